"""Reads the glossary, and finds the words that it rejects."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from folders import ROOT

DOCS = ROOT / "docs"
ROW = re.compile(r"^\| (?P<word>[^|]+) \| (?P<meaning>[^|]+) \| (?P<others>[^|]*)\|$", re.MULTILINE)
ANOTHER_SENSE = re.compile(r"\*[^*]+\*")
CODE = re.compile(
    r"\A---\n.*?^---$|^ *```.*?^ *```$|<!--.*?-->|``[^`]*``|`[^`]*`|\]\([^)]*\)", re.DOTALL | re.MULTILINE
)


class Row(NamedTuple):
    """A row of the glossary: the word, what it is, and the words that no page uses for it."""

    word: str
    meaning: str
    rejected: tuple[str, ...]


@cache
def glossary(language: str = "") -> list[Row]:
    """Return the rows of the glossary."""
    found = []
    for row in ROW.finditer((DOCS / language / "glossary.md").read_text(encoding="utf-8")):
        if row["word"] in ("word", "词") or set(row["word"]) == {"-"}:
            continue
        others = re.split("[,、]", ANOTHER_SENSE.sub("", row["others"]))
        found.append(Row(row["word"], row["meaning"], tuple(word.strip() for word in others if word.strip())))
    return found


@cache
def rejected_words() -> re.Pattern[str]:
    """Return a pattern for all rejected words."""
    words = [re.escape(word).replace(r"\ ", r"\s+") for row in glossary() for word in row.rejected]
    return re.compile(rf"(?<![\w/.-])(?:{'|'.join(words)})s?(?![\w/-])", re.IGNORECASE)


def rejected_in(text: str) -> list[str]:
    """Return the rejected words of a text, whether capital or plural; what is code is no word."""
    return [" ".join(match.group().split()) for match in rejected_words().finditer(CODE.sub("`", text))]
