"""Follows statements from one release to the next: the same, the most similar one, and the same one elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from .symbols import Symbol

__all__ = ["SimilarStatement", "most_similar", "similarity", "text_of"]

ENOUGH = 0.6
"""Statements that are less similar are not taken for one that was edited."""

_TOKEN = re.compile(r"\w+|[^\w\s]")


class SimilarStatement(NamedTuple):
    """A statement of another symbol, and how similar it is: 1.0 for the same one."""

    place: int
    likeness: float


def text_of(symbol: Symbol, place: int, lines: Sequence[str]) -> str:
    """Return the lines of a statement of a symbol, joined, without the comments at their ends and repeated blanks."""
    statement = symbol.statements[place]
    return " ".join(line.strip() for line in lines[statement.first - 1 : statement.last])


def similarity(a: str, b: str) -> float:
    """Return how alike two statements are, between 0 and 1, by their tokens in order."""
    matcher = SequenceMatcher(None, _TOKEN.findall(a), _TOKEN.findall(b), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= 0.3 else matcher.quick_ratio()


def most_similar(
    text: str, symbol: Symbol, lines: Sequence[str], skipped: Iterable[int] = (), enough: float = ENOUGH
) -> SimilarStatement | None:
    """Return the statement of a symbol that is most like a text, or None where none is alike."""
    left_out = set(skipped)
    candidates = [
        SimilarStatement(index, similarity(text, text_of(symbol, index, lines)))
        for index in range(len(symbol.statements))
        if index not in left_out
    ]
    best = max(candidates, key=lambda match: (match.likeness, -match.place), default=None)
    return best if best is not None and best.likeness >= enough else None
