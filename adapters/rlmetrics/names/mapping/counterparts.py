"""Keys of a target that would be the translation under another configuration."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from ..differences.severity import Circumstances, unmet
from ..meanings.protocol import KeyPlace, View
from ..tables.key_records import Entry, LookAlike

__all__ = ["OtherCounterparts", "needed"]

_MOST = 2
"""How many such keys a row names."""

_SECTION = re.compile(r"\b(?:[a-z_0-9]+\.)+(?=[a-z_]+)")
"""The sections before the name of a setting."""


class OtherCounterparts:
    """What a target would measure with other settings.

    Args:
        to: The target.
    """

    def __init__(self, to: View) -> None:
        self._to = to

    @cached_property
    def _places(self) -> dict[tuple[str, str], list[KeyPlace]]:
        """For each metric and mode, the keys that can measure it."""
        places: dict[tuple[str, str], list[KeyPlace]] = {}
        for place in self._to.places():
            for metric in place.metrics:
                places.setdefault((metric, place.mode), []).append(place)
        return places

    def _of(self, entry: Entry) -> list[tuple[Entry, str]]:
        """Return which keys would measure what an entry does, and when."""
        keys: dict[str, tuple[Entry, str]] = {}
        for place in self._places.get((str(entry.metric), entry.mode), ()):
            if self._to.metric(place) == entry.metric:
                continue
            target = self._to.at(place)
            for other in target.alternatives:
                if other.when is not None and other.metric == entry.metric:
                    keys.setdefault(target.key, (target, other.when))
        return list(keys.values())[:_MOST]

    def notes(self, entry: Entry) -> list[str]:
        """Return which keys would be the translation of an entry, each with the whole condition."""
        return [f"{target.key} measures it when {when}" for target, when in self._of(entry)]

    def look_alikes(self, entry: Entry) -> Iterator[LookAlike]:
        """Yield the same keys with what is missing for that."""
        for target, when in self._of(entry):
            short = f"the counterpart if {needed(when, self._to.circumstances(target.component))}"
            yield LookAlike(target.key, target.component, f"measures it when {when}", short)


def needed(when: str, side: Circumstances | None) -> str:
    """Return what of a condition does not hold in the settings of a component, with the plain names of settings."""
    parts = unmet(when, None if side is None else side.settings) or [when]
    return " and ".join(_SECTION.sub("", part) for part in parts)
