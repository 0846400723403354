"""Cases of frameworks and files as a whole."""

from __future__ import annotations

from lint.lint_case import Case, T, new_record

SECOND = """framework: zeta
title: TITLE
package: zeta
brief: Another framework.
releases: [{release: 1.0.0, date: '2026-01-01'}]
"""
OTHER = "frameworks/zeta/framework"

CASES = [
    Case(
        "extends-itself",
        [(T, "extends: [shared]", "extends: [shared, ¦trainer]")],
        [],
        "the file extends itself",
    ),
    Case(
        "zero-scale",
        [
            (
                T,
                "profile: averaged\n      logged_when: penalised\n      scale: 1 / width",
                "profile: averaged\n      logged_when: penalised\n      scale: ¦0",
            )
        ],
        [(T, "scale: 1 / width", "scale: 1 / (2 * width)")],
        "a number times 0",
    ),
    Case(
        "title-twice",
        [(OTHER, "", SECOND.replace("TITLE", "¦ACME"))],
        [(OTHER, "", SECOND.replace("TITLE", "Zeta"))],
        "`acme` has the title",
    ),
    Case(
        "prefixed-twice",
        [(T, "shared:\n", new_record("¦eval_score", "    modes: [train, eval]\n"))],
        [(T, "shared:\n", new_record("eval_score", "    modes: [train]\n"))],
        "in evaluation `eval_score` would be called `eval_eval_score`",
    ),
]
