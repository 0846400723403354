"""How Chinese is written beside Latin words: full-width punctuation, one space, and no English left over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ..context import Context

__all__ = ["CHECKS", "CODE", "chinese_faults"]

_HAN = r"\u4e00-\u9fff"
CODE = re.compile(
    r"`[^`]*`|rlmetrics [a-z]+|\{[^{}\s]*\}|[\w@.]+(?:/[\w{}@.]+)+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?:\(\))?|\w+\(\)"
    r"|'[\w-]+'"
)
"""What stands in a sentence as it is: code, commands, placeholders, keys with slashes, dotted names, calls, strings."""
_QUOTED = re.compile(r"“[A-Za-z][\w -]*”")
"""A name that looks like any English word, such as that of a column, is told from one by its quotes."""
_FAULTS = (
    (re.compile(rf"[{_HAN}][,;:!?()]|[,;:!?()][{_HAN}]|[{_HAN}]\.(?:\s|$)"), "punctuation of half width"),
    (re.compile(rf"[{_HAN}][A-Za-z0-9`{{]|[A-Za-z0-9`%}}][{_HAN}]"), "no space between Chinese and Latin"),
    (re.compile(rf"[，。；：！？（）、“”] | [，。；：！？（）、“”]|[{_HAN}] +[{_HAN}]|  "), "a space too many"),
)
_WORD = re.compile(r"(?<![\w./-])[A-Za-z](?:[A-Za-z'-]*[A-Za-z])?(?!\w)")


def chinese_faults(text: str) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the punctuation and the spaces of a Chinese sentence, and where."""
    for pattern, what in _FAULTS:
        match = pattern.search(text)
        if match is not None:
            yield what, text[max(0, match.start() - 4) : match.end() + 4]


@check(
    "chinese-style",
    "warning",
    what="Chinese with punctuation of half width, without a space beside Latin words and numbers, or with English "
    "words that are no names.",
    fix="write it as Chinese is set; names that stay are listed under `names` in the glossary, or quoted: “prompt”",
    whole=True,
    prose=True,
)
def chinese_style(context: Context) -> Iterator[Hit]:
    for language, texts in context.spec.texts.items():
        if language != "zh":
            continue
        glossary = texts.glossary
        words = [word for term in glossary.terms for word in glossary.words(term)]
        kept = {word.lower() for one in (*words, *glossary.names) for word in _WORD.findall(one)}
        for part, file in texts.files.items():
            for english, text in file.sentences.items():
                hit = f"texts/{language}/{part}", ("sentences", english)
                for what, where in chinese_faults(text):
                    yield Hit(*hit, f"{what}: `{where}`", value=True)
                for word in _WORD.findall(_QUOTED.sub(" ", CODE.sub(" ", text))):
                    if word.islower() and word not in kept:
                        yield Hit(*hit, f"`{word}` is left in English", value=True)


CHECKS: tuple[Check, ...] = (chinese_style,)
