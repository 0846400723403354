"""Cases of keys with placeholders."""

from __future__ import annotations

from lint.lint_case import Case, F, T, new_record

CASES = [
    # Templates
    Case(
        "template-syntax", [(T, "  score/{source}:\n", "  ¦score/{source:\n")], [], "does not belong to a placeholder"
    ),
    Case(
        "template-syntax",
        [(T, "  score/{source}:\n", "  ¦score/{source}{reward}:\n")],
        [(T, "  score/{source}:\n", "  score/{source}/{reward}:\n")],
        "two placeholders with nothing between them",
    ),
    Case(
        "placeholder-pattern",
        [(F, "pattern: '[a-z]+'", "pattern: ¦'[a-z'")],
        [(F, "pattern: '[a-z]+'", r"pattern: '[\w]+'")],
        "is not a regular expression",
    ),
    Case(
        "placeholder-pattern",
        [(F, "pattern: '[a-z]+'", "pattern: ¦'(?!x)[a-z]+'")],
        [(F, "pattern: '[a-z]+'", "pattern: '(?:[a-w]|[y-z])[a-z]*|code'")],
        "cannot be analysed",
    ),
    Case(
        "placeholder-pattern",
        [(F, "pattern: '[a-z]+'", "pattern: ¦'[a-z]*'")],
        [(F, "pattern: '[a-z]+'", "pattern: '[a-z]{1,8}'")],
        "`{source}` may be empty",
    ),
    Case(
        "placeholder-example",
        [(F, "examples: [math, code]", "examples: [math, ¦Code]")],
        [(F, "examples: [math, code]", "examples: [math, x]")],
        "does not match the example `Code`",
    ),
    Case(
        "placeholder-example",
        [(T, "bind: {reward: length}", "bind: {reward: ¦a-b}")],
        [(T, "bind: {reward: length}", "bind: {reward: a_b}")],
        "does not match the bound value `a-b`",
    ),
    Case(
        "round-trip",
        [
            (T, "  score/{source}:\n", "  ¦score/{source}_{reward}:\n"),
            (F, "pattern: '[a-z]+', examples: [math, code]", "pattern: '[a-z_]+', examples: [math]"),
        ],
        [(T, "  score/{source}:\n", "  score/{source}_{reward}:\n")],
        "is read back as source=math_format, reward=ok",
    ),
    Case(
        "ambiguous-template",
        [(T, "shared:\n", new_record("¦'{reward}/{source}'"))],
        [(T, "shared:\n", new_record("'{reward}/{source}/x'"))],
        "both match `score/a`",
    ),
    Case(
        "ambiguous-template",
        [(T, "shared:\n", new_record("¦score/{reward}"))],
        [
            (T, "shared:\n", new_record("score/{reward}")),
            (T, "'[A-Za-z0-9_]+', examples: [length, format_ok]", "'[A-Za-z0-9]*_[A-Za-z0-9]*', examples: [_a, b_]"),
            (T, "bind: {reward: length}", "bind: {reward: a_}"),
        ],
        "`score/{reward}` and `score/{source}` (spec/frameworks/acme/trainer.yaml:44:3) both match",
    ),
    Case(
        "open-template",
        [(F, "pattern: '[a-z]+', examples: [math, code]", "pattern: 'math|code', examples: [math, code], ¦open: true")],
        [(F, "examples: [math, code]", "examples: [math, code], open: true")],
        "lists all its values",
    ),
    Case(
        "loose-placeholder",
        [(F, "pattern: '[a-z]+'", "pattern: ¦'.+'")],
        [(F, "pattern: '[a-z]+', examples: [math, code]", "pattern: '.+', examples: [math, code], open: true")],
        "`{source}` matches anything",
    ),
]
