"""Keys of a target that are taken for a translation and are none."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property

from ..differences.relations import Relation, relate, why_in_short
from ..meanings.protocol import KeyPlace, View
from ..tables.key_records import Entry, LookAlike

__all__ = ["INSTEAD", "Likeness", "LookAlikes", "in_short"]

INSTEAD = "logged by default is "
"""How the note begins that names such a key."""

_VALIDATION = "validation"
"""The family of metrics that are of held-out prompts, in whatever mode they are logged."""

Likeness = tuple[object, ...]
"""Sorts look-alikes, the likeliest first."""


class LookAlikes:
    """What may be taken for a key: the same quantity, declared look-alikes, the same name.

    Args:
        to: The target.
    """

    def __init__(self, to: View) -> None:
        self._to = to
        self._metrics = to.tables.metrics
        self._relations: dict[tuple[str | None, str | None, bool], Relation] = {}

    def of(self, entry: Entry) -> Iterator[tuple[Likeness, Entry, str]]:
        """Yield keys of other metrics that look like an entry's, each with how likely they are confused, and why."""
        for target in self._confusable(entry):
            relation = self._relation(entry, target)
            if relation.kind == "related" and relation.why is not None:
                constant = _constant(target)
                score = (
                    1,
                    target.key != entry.key,
                    constant is not None,
                    relation.why.startswith("another metric"),
                    relation.why.count(";"),
                    self._statistic(target) != self._statistic(entry),
                    target.component != entry.component,
                    target.logged is not True,
                )
                why = relation.why if constant is None else f"{relation.why.rstrip('.')}; constant there: {constant}"
                yield score, target, why

    def told(self, entry: Entry, target: Entry, why: str) -> LookAlike:
        """Return a look-alike with its reason, also in a few words."""
        short = why_in_short(str(entry.metric), str(target.metric), self._to.tables, entry.key)
        if short is not None and _constant(target) is not None:
            short = f"{short}; constant there"
        return LookAlike(target.key, target.component, why, short)

    def instead(self, entry: Entry) -> str | None:
        """Return which key, logged by default, measures the same of another policy, such as the one that sampled."""
        here = {**self._metrics.get(entry.metric or "", {}).get("identity", {}), "policy": None}
        for target in self._confusable(entry):
            there = {**self._metrics.get(target.metric or "", {}).get("identity", {}), "policy": None}
            if target.logged is True and here == there:
                short = why_in_short(str(entry.metric), str(target.metric), self._to.tables, entry.key)
                return f"{INSTEAD}{target.key}: {short}"
        return None

    def _statistic(self, entry: Entry) -> object:
        return self._metrics.get(entry.metric or "", {}).get("identity", {}).get("statistic")

    def _relation(self, entry: Entry, target: Entry) -> Relation:
        """Return how two entries of different metrics relate: the metrics, and whether the keys agree, say it all."""
        asked = (entry.metric, target.metric, entry.key == target.key)
        if asked not in self._relations:
            self._relations[asked] = relate(entry, target, self._to.tables)
        return self._relations[asked]

    @cached_property
    def _places(self) -> dict[tuple[str, str | None], dict[int, KeyPlace]]:
        """Where the target can log a key, a metric and a quantity, each place with its number."""
        places: dict[tuple[str, str | None], dict[int, KeyPlace]] = {}
        for number, place in enumerate(self._to.places()):
            places.setdefault(("key", place.key), {})[number] = place
            for metric in place.metrics:
                places.setdefault(("metric", metric), {})[number] = place
                if (quantity := self._quantity(metric)) is not None:
                    places.setdefault(("quantity", quantity), {})[number] = place
        return places

    @cached_property
    def _friends(self) -> dict[str, dict[str, None]]:
        """For each metric, those that the target can log and that name it as a look-alike."""
        friends: dict[str, dict[str, None]] = {}
        for metric in {metric: None for place in self._to.places() for metric in place.metrics}:
            for friend in self._metrics.get(metric, {}).get("false_friends", ()):
                friends.setdefault(friend, {})[metric] = None
        return friends

    def _quantity(self, metric: str | None) -> str | None:
        quantity: str | None = self._metrics.get(metric or "", {}).get("identity", {}).get("quantity")
        return quantity

    def _confusable(self, entry: Entry) -> list[Entry]:
        metric = entry.metric or ""
        known = self._metrics.get(metric, {})
        friends = [*known.get("false_friends", ()), *sorted(self._friends.get(metric, ()), key=self._first)]
        asked = [("key", entry.key), *(("metric", friend) for friend in friends), ("quantity", self._quantity(metric))]
        found: dict[int, Entry] = {}
        for kind, name in asked:
            for number, place in self._places.get((kind, name), {}).items():
                other = self._to.metric(place)
                is_one = other == name if kind == "metric" else kind == "key" or self._quantity(other) == name
                is_here = place.mode == entry.mode or (entry.mode == "eval" and self._is_of_validation(other))
                if is_one and is_here and other != entry.metric and number not in found:
                    found[number] = self._to.at(place)
        return list(found.values())

    def _first(self, metric: str) -> float:
        """Return where the target first logs a metric that it can log."""
        places = self._places["metric", metric].items()
        return next((number for number, place in places if self._to.metric(place) == metric), math.inf)

    def _is_of_validation(self, metric: str | None) -> bool:
        """Tell whether what is measured is of evaluation, though it has no mode of its own: a validation score."""
        return metric in self._metrics and self._to.tables.metrics.family(str(metric)) == _VALIDATION


def in_short(why: str, key: str) -> str:
    """Return what is incomparable about the same metric: of the other key, or of the one that is named."""
    return why.replace("only in the target: ", "").replace("only in the source: ", f"of {key}: ")


def _constant(target: Entry) -> str | None:
    """Return which value a key always has, and why, or None if it varies."""
    return next((text for text in target.constant_when if text.partition(":")[0].endswith(" always")), None)
