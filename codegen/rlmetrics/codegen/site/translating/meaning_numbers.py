"""Every meaning that any key of any release has: how two of them relate depends on nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rlmetrics.names.differences.severity import UNKNOWN, Circumstances
from rlmetrics.names.tables.levels import UPDATE

if TYPE_CHECKING:
    from rlmetrics.names.tables.key_records import Entry, Signature
    from rlmetrics.names.tables.tables import Tables

__all__ = ["NumberedMeanings", "Place", "PlacedMeaning"]

Place = tuple[str, str]
"""A metric, and ``train`` or ``eval``: only meanings of one place are ever compared."""


class PlacedMeaning(NamedTuple):
    """One entry that has the meaning, and what decides there whether differences show."""

    entry: Entry
    circumstances: Circumstances | None


class NumberedMeanings:
    """Numbers the meanings of each place, in the order in which they turn up.

    Two entries mean the same if their kinds, signatures and all answers of their settings are equal, as far as
    comparing them asks for any.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._found: dict[Place, dict[tuple[Any, ...], PlacedMeaning]] = {}
        self._numbers: dict[Place, dict[tuple[Any, ...], int]] = {}
        self._signatures: dict[int, tuple[Signature, tuple[Any, ...]]] = {}
        self._signed: dict[str, dict[tuple[Any, ...], int]] = {}
        self._answers: dict[tuple[int, str], tuple[Circumstances, bool | None]] = {}

    def number(self, entry: Entry, circumstances: Circumstances | None) -> int:
        """Return the number of an entry's meaning among those of its metric and mode."""
        place = str(entry.metric), entry.mode
        said = entry.kind, self._spelled(entry.signature), self._said(entry, circumstances)
        numbers = self._numbers.setdefault(place, {})
        if said not in numbers:
            numbers[said] = len(numbers)
            self._found.setdefault(place, {})[said] = PlacedMeaning(entry, circumstances)
        return numbers[said]

    def signature(self, entry: Entry) -> int:
        """Return the number of an entry's signature among those of its metric, whatever the settings answer."""
        numbers = self._signed.setdefault(str(entry.metric), {})
        return numbers.setdefault(self._spelled(entry.signature), len(numbers))

    def of(self, place: Place) -> list[PlacedMeaning]:
        """Return the meanings of a place by their numbers."""
        return list(self._found.get(place, {}).values())

    def places(self) -> list[Place]:
        """Return every place that has a meaning."""
        return list(self._found)

    def _spelled(self, signature: Signature) -> tuple[Any, ...]:
        known = self._signatures.get(id(signature))
        if known is None:
            spelled = (
                signature.population,
                signature.snapshot,
                tuple(sorted(signature.reduction.items())),
                signature.span,
                signature.lag,
                signature.scale,
                signature.offset,
                signature.traits,
                signature.reproduced_by,
                signature.unstated,
            )
            # The signature is kept, so that its identity stays its own.
            known = self._signatures[id(signature)] = signature, spelled
        return known[1]

    def _said(self, entry: Entry, circumstances: Circumstances | None) -> tuple[Any, ...]:
        """Return what the settings answer to all that a comparison may ask of this side."""
        if circumstances is None:
            return ()
        traits = (circumstances.trait(self._tables.traits[name], entry.mode) for name in entry.signature.traits)
        countable = (level.name for level in self._tables.levels.values() if level.is_countable)
        parts = (circumstances.part(name, entry.mode) for name in (*countable, UPDATE))
        return tuple(self._answer(circumstances, guard) for guard in (*traits, *parts))

    def _answer(self, circumstances: Circumstances, guard: str | None) -> bool | str | None:
        if guard is None or guard == UNKNOWN:
            return guard
        place = id(circumstances), guard
        if place not in self._answers:
            self._answers[place] = circumstances, circumstances.settings.holds(guard)
        return self._answers[place][1]
