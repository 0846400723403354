"""Cases of sources that are cited by name."""

from __future__ import annotations

from lint.lint_case import Case, P

R = "sources"
WRITTEN = 'references: [{title: A paper, url: "https://example.org/paper"}]'
OTHER = 'references: [paper, {title: Another paper, url: "https://example.org/other"}]'

CASES = [
    Case(
        "unknown-source",
        [(P, "references: [paper]", "references: [¦papr]")],
        [(P, "references: [paper]", "references: [{title: papr}]")],
        "there is no source `papr`",
    ),
    Case(
        "source-repeated",
        [(P, "references: [paper]", WRITTEN.replace("[{", "[¦{"))],
        [(P, "references: [paper]", OTHER)],
        "`A paper` is written here again",
    ),
    Case(
        "source-repeated",
        [
            (R, "", '  ¦twin: {title: The same paper, url: "https://example.org/paper"}\n'),
            (P, "references: [paper]", "references: [paper, twin]"),
        ],
        [
            (R, "", '  part: {title: A line of it, url: "https://example.org/paper", path: a.py, line: 3}\n'),
            (P, "references: [paper]", "references: [paper, part]"),
        ],
        "`twin` has the address of `paper`",
    ),
    Case(
        "unused-source",
        [(R, "", "  ¦spare: {title: A spare one}\n")],
        [(R, "", "  spare: {title: A spare one}\n"), (P, "references: [paper]", "references: [paper, spare]")],
        "nothing cites the source `spare`",
    ),
]
