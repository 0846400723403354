"""Words of names and texts, and how far two spellings lie apart, as `docs/assets/search-spelling.js` has it."""

from __future__ import annotations

import re

__all__ = ["allowed", "edits", "loose", "stem", "words_of"]

_SEPARATORS = re.compile(r"[^a-z0-9{}\u3400-\u9fff]+")
_WORD = re.compile(r"[\u3400-\u9fff]+|[a-z0-9]+(?:\.[0-9]+)+[a-z0-9.]*|[a-z0-9]+")
_ENDING = re.compile(r"(ings?|ed|es|s|e)$")


def loose(text: str) -> str:
    """Return a name in small letters, with one blank for whatever separates words."""
    return _SEPARATORS.sub(" ", text.lower().replace("@", " at ")).strip()


def words_of(text: str) -> list[str]:
    """Return the words of a text; releases keep their dots."""
    return _WORD.findall(text.lower().replace("w&b", "wandb"))


def stem(word: str) -> str:
    """Return a word without its ending."""
    return _ENDING.sub("", word) if len(word) > 5 else word.removesuffix("s")


def allowed(length: int) -> int:
    """Return how many letters of a word of this length may be wrong."""
    return 0 if length < 4 else 1 if length < 8 else 2


def edits(one: str, other: str, most: int) -> int:
    """Return how many letters were left out, added, changed or swapped; more than ``most`` is too many."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    if len(set(one).difference(other)) > most:
        return most + 1  # each of these letters is a mistake of its own
    before: list[int] = []
    last = list(range(len(other) + 1))
    for at in range(1, len(one) + 1):
        row = [at]
        for to in range(1, len(other) + 1):
            cost = one[at - 1] != other[to - 1]
            value = min(last[to] + 1, row[to - 1] + 1, last[to - 1] + cost)
            if before and to > 1 and one[at - 1] == other[to - 2] and one[at - 2] == other[to - 1]:
                value = min(value, before[to - 2] + 1)
            row.append(value)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return last[-1]
