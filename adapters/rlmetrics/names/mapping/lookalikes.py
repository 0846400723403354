"""Keys of a target that are taken for a translation and are none."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ..differences.relations import Relation, relate, why_in_short
from ..meanings.protocol import View
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
    def _readings(self) -> dict[tuple[str, str], list[Entry]]:
        """What the target logs, by quantity, by metric and by key."""
        readings: dict[tuple[str, str], list[Entry]] = {}
        for target in self._to.entries():
            quantity = self._metrics.get(target.metric or "", {}).get("identity", {}).get("quantity")
            for place in (("quantity", quantity), ("metric", target.metric), ("key", target.key)):
                if place[1] is not None:
                    readings.setdefault((place[0], place[1]), []).append(target)
        return readings

    @cached_property
    def _friends(self) -> dict[str, list[str]]:
        """For each metric, those of the target that name it as a look-alike."""
        friends: dict[str, list[str]] = {}
        for metric in dict.fromkeys(target.metric for target in self._to.entries()):
            for friend in self._metrics.get(metric or "", {}).get("false_friends", ()):
                friends.setdefault(friend, []).append(str(metric))
        return friends

    def _confusable(self, entry: Entry) -> list[Entry]:
        row = self._metrics.get(entry.metric or "", {})
        friends = [*row.get("false_friends", ()), *self._friends.get(entry.metric or "", [])]
        places = [("key", entry.key), *(("metric", friend) for friend in friends)]
        places.append(("quantity", str(row.get("identity", {}).get("quantity"))))
        return [
            target
            for target in {id(item): item for place in places for item in self._readings.get(place, ())}.values()
            if target.metric != entry.metric and (target.mode == entry.mode or self._evaluates(entry, target))
        ]

    def _evaluates(self, entry: Entry, target: Entry) -> bool:
        """Tell whether a key is of evaluation, too, though it has no mode of its own: a validation score."""
        if entry.mode != "eval" or target.metric not in self._metrics:
            return False
        return self._to.tables.metrics.family(str(target.metric)) == _VALIDATION


def in_short(why: str, key: str) -> str:
    """Return what is incomparable about the same metric: of the other key, or of the one that is named."""
    return why.replace("only in the target: ", "").replace("only in the source: ", f"of {key}: ")


def _constant(target: Entry) -> str | None:
    """Return which value a key always has, and why, or None if it varies."""
    return next((text for text in target.constant_when if text.partition(":")[0].endswith(" always")), None)
