"""Cases of texts in other languages."""

from __future__ import annotations

from lint.lint_case import Case, Edit, P

FAMILY, SPANS, GLOSSARY = "texts/zh/metrics/policy", "texts/zh/spans/acme", "texts/zh/glossary"
LOSS = "Surrogate loss over response tokens."
WORDS: Edit = (GLOSSARY, "", "terms: {loss: 损失, surrogate loss: 代理损失}\nnames: [token]\n")


def sentences(*lines: str, file: str = FAMILY) -> list[Edit]:
    """A glossary and a file of sentences, given as English and Chinese in turn."""
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return [WORDS, (file, "", "sentences:\n" + "".join(f"  {english}:\n    {text}\n" for english, text in pairs))]


PARTS = "Loss below `x` and 0.5 of {key}."
RIGHT = sentences(LOSS, "响应 token 上的代理损失。")
SAID = sentences(LOSS, "响应 token 上的“Surrogate loss”，见“prompt”。")
"""Names in quotes stay as they are."""


CASES = [
    Case(
        "stale-text",
        sentences("¦Surrogate loss over some tokens.", "部分 token 上的代理损失。"),
        RIGHT,
        "nothing says `Surrogate loss over some tokens.`",
    ),
    Case(
        "stale-text",
        [*RIGHT[:1], (P, LOSS, "Loss over response tokens."), (FAMILY, "", f"sentences:\n  ¦{LOSS}: 代理损失\n")],
        [*sentences("Loss over response tokens.", "响应 token 上的损失。"), (P, LOSS, "Loss over response tokens.")],
        "nothing says `Surrogate loss",
    ),
    Case(
        "stale-text",
        sentences("¦A part of the update.", "更新的一部分。", file=SPANS),
        sentences("The whole update.", "整个更新。", file=SPANS),
        "nothing says `A part of the update.`",
    ),
    Case(
        "text-parts",
        [
            WORDS,
            (P, LOSS, PARTS),
            (
                FAMILY,
                "",
                "sentences:\n  Surrogate loss below `x` and 0.5 of {key}.: ¦低于 `y` 和 {key} 的 0.5 的代理损失。\n",
            ),
        ],
        [
            WORDS,
            (P, LOSS, PARTS),
            (
                FAMILY,
                "",
                "sentences:\n  Surrogate loss below `x` and 0.5 of {key}.: 低于 `x` 和 {key} 的 0.5 的代理损失。\n",
            ),
        ],
        "code and placeholders: the translation lacks `x` and adds `y`",
    ),
    Case(
        "text-parts",
        [
            WORDS,
            (P, LOSS, "Surrogate loss below 0.5."),
            (FAMILY, "", "sentences:\n  Surrogate loss below 0.5.: ¦低于 0.2 的代理损失。\n"),
        ],
        [],
        "numbers: the translation lacks 0.5 and adds 0.2",
    ),
    Case(
        "glossary-term",
        sentences(LOSS, "¦响应 token 上的替代损失。"),
        RIGHT,
        "`Surrogate loss` is 代理损失 in the glossary",
    ),
    Case(
        "glossary-term",
        sentences(LOSS, "¦响应 token 上的替代损失。"),
        [
            (GLOSSARY, "", "terms: {surrogate loss: {text: 代理损失, also: [替代损失]}}\nnames: [token]\n"),
            (FAMILY, "", f"sentences: {{{LOSS}: 响应 token 上的替代损失。}}\n"),
        ],
        "is 代理损失 in the glossary",
    ),
    Case(
        "glossary-term",
        sentences(LOSS, "¦响应 token 上的替代损失。"),
        [
            (GLOSSARY, "", f"terms: {{surrogate loss: 代理损失}}\nnames: [token]\nbesides:\n  {LOSS}: Said so.\n"),
            (FAMILY, "", f"sentences: {{{LOSS}: 响应 token 上的替代损失。}}\n"),
        ],
        "is 代理损失 in the glossary",
    ),
    Case(
        "chinese-style",
        sentences(LOSS, "¦响应token 上的代理损失。"),
        RIGHT,
        "no space between Chinese and Latin: `响应to",
    ),
    Case("chinese-style", sentences(LOSS, "¦代理损失,在响应 token 上。"), RIGHT, "punctuation of half width"),
    Case("chinese-style", sentences(LOSS, "¦响应 token 上的代理损失 。"), RIGHT, "a space too many"),
    Case("chinese-style", sentences(LOSS, "¦响应 tokens 上的代理损失。"), RIGHT, "`tokens` is left in English"),
    Case(
        "chinese-style",
        sentences(LOSS, "¦响应 token 上的代理损失，见 update。"),
        sentences(LOSS, "响应 token 上的代理损失，见 actor.update、update() 和 'update'。"),
        "`update` is left in English",
    ),
    Case(
        "chinese-style", sentences(LOSS, "¦响应 token 上的代理损失，见 prompt。"), SAID, "`prompt` is left in English"
    ),
    Case("glossary-term", sentences(LOSS, "¦响应 token 上的 x。"), SAID, "is 代理损失 in the glossary"),
    Case("stray-file", [("texts/zh/other", "", "¦sentences: {}\n")], [WORDS], "nothing reads this file"),
    Case("wrong-type", [(FAMILY, "", "sentences: {One.: ¦1}\n")], RIGHT, "must be text"),
]
