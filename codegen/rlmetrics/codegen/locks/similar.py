"""Follows statements from one release to the next: the same, the most similar one, and the same one elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from .symbols import Symbol

__all__ = ["Match", "align", "most_similar", "similarity", "text_of"]

ENOUGH = 0.6
"""Statements that are less similar are not taken for one that was edited."""

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Match(NamedTuple):
    """A statement of another symbol, and how similar it is: 1.0 for the same one."""

    place: int
    likeness: float


def text_of(symbol: Symbol, place: int, lines: Sequence[str]) -> str:
    """The lines of a statement of a symbol, joined, without the comments at their ends and repeated blanks."""
    statement = symbol.statements[place]
    return " ".join(line.strip() for line in lines[statement.first - 1 : statement.last])


def similarity(a: str, b: str) -> float:
    """How alike two statements are, between 0 and 1, by their tokens in order."""
    matcher = SequenceMatcher(None, _TOKEN.findall(a), _TOKEN.findall(b), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= 0.3 else matcher.quick_ratio()


def align(
    old: Symbol, new: Symbol, old_lines: Sequence[str], new_lines: Sequence[str], only: Iterable[int] | None = None
) -> dict[int, Match]:
    """Which statement of a symbol's next version stands for which of its old one.

    Args:
        old: The symbol as it was.
        new: The symbol as it is.
        old_lines: Lines of the old symbol's file.
        new_lines: Lines of the new symbol's file.
        only: Places in the old symbol that matter; all, if left out.

    Returns:
        Place in the old symbol to its match in the new one; what has none is left out.
    """
    a = [statement.fingerprint for statement in old.statements]
    b = [statement.fingerprint for statement in new.statements]
    found: dict[int, Match] = {}
    replaced: list[tuple[range, range]] = []
    for tag, low, high, first, last in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            found.update({low + offset: Match(first + offset, 1.0) for offset in range(high - low)})
        elif tag == "replace":
            replaced.append((range(low, high), range(first, last)))
    taken = {match.place for match in found.values()}
    # Moved as they are.
    for place, said in enumerate(a):
        others = [other for other in new.places.get(said, ()) if other not in taken]
        if place not in found and len(others) == 1:
            found[place] = Match(others[0], 1.0)
            taken.add(others[0])
    wanted = set(range(len(a)) if only is None else only)
    pairs = [
        (similarity(text_of(old, place, old_lines), text_of(new, other, new_lines)), -place, -other)
        for places, others in replaced
        for place in places
        if place not in found and place in wanted
        for other in others
        if other not in taken
    ]
    for likeness, minus_place, minus_other in sorted(pairs, reverse=True):
        if likeness >= ENOUGH and -minus_place not in found and -minus_other not in taken:
            found[-minus_place] = Match(-minus_other, likeness)
            taken.add(-minus_other)
    return found


def most_similar(text: str, symbol: Symbol, lines: Sequence[str], skipped: Iterable[int] = ()) -> Match | None:
    """The statement of a symbol that is most like a text, or None where none is alike."""
    left_out = set(skipped)
    found = [
        Match(place, similarity(text, text_of(symbol, place, lines)))
        for place in range(len(symbol.statements))
        if place not in left_out
    ]
    best = max(found, key=lambda match: (match.likeness, -match.place), default=None)
    return best if best is not None and best.likeness >= ENOUGH else None
