"""What each meaning has to do with each other one of its metric, as the resolver says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rlmetrics.names.differences.relations import relate
from rlmetrics.wording.map_notes import gone_when, level_words
from rlmetrics.wording.size_words import typical_words

if TYPE_CHECKING:
    from collections.abc import Collection

    from rlmetrics.names.differences.relations import Relation
    from rlmetrics.names.tables.key_records import Difference
    from rlmetrics.names.tables.tables import Tables

    from .meaning_numbers import NumberedMeanings, Place, PlacedMeaning

__all__ = ["Relations", "Told"]

GRADES = ("minor", "biased", "incomparable")
SHOWS = (False, True, None)

Told = list[Any]
"""A relation or a difference as the page reads it: a list, to be small."""


class Relations:
    """The relations of all meanings; asked when all meanings are known.

    Args:
        tables: The spec.
        meanings: All meanings.
    """

    def __init__(self, tables: Tables, meanings: NumberedMeanings) -> None:
        self._tables = tables
        self._meanings = meanings
        self._rows: dict[tuple[Place, int], list[tuple[Any, ...]]] = {}

    def row(self, place: Place, number: int) -> list[tuple[Any, ...]]:
        """Return the relations from one meaning to all meanings of its place, by their numbers.

        Returns:
            For each its kind, its differences, and scale and offset of the conversion, empty without one. A difference
            has its words, grade, whether it shows, the words for when it is gone, its correction, and its size.
        """
        if (place, number) not in self._rows:
            meanings = self._meanings.of(place)
            source = meanings[number]
            self._rows[place, number] = [self._relation(source, target) for target in meanings]
        return self._rows[place, number]

    def _relation(self, source: PlacedMeaning, target: PlacedMeaning) -> tuple[Any, ...]:
        sides = source.circumstances, target.circumstances
        found = relate(source.entry, target.entry, self._tables, circumstances=sides)
        there = () if target.entry.signature is None else target.entry.signature.traits
        differences = tuple(self._difference(item, source.entry.mode, there) for item in found.differs_by)
        return found.kind, differences, _conversion(found)

    def _difference(self, item: Difference, mode: str | None, there: Collection[str]) -> tuple[Any, ...]:
        """Return a difference as a row; ``there`` are the traits of the target, in which these are undone."""
        words = level_words(item, self._tables, mode) or item.what
        gone = gone_when(item.vanishes_when, self._tables, mode)
        size = None if item.applies is False else typical_words(item.typical)
        grade, shows = GRADES.index(item.grade), SHOWS.index(item.applies)
        correction = None if item.applies is False else item.correction
        if correction and item.about.removeprefix("trait:") in there:
            correction = f"in {{target}}: {correction}"
        return words, grade, shows, gone, correction, size


def _conversion(relation: Relation) -> tuple[float, ...]:
    found = relation.transform
    return () if found is None else (found.scale, found.offset)
