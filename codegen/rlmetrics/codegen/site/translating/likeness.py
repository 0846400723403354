"""Which metrics are taken for one another, and why they must not be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rlmetrics.names.differences.relations import relate, why_confused, why_in_short
from rlmetrics.names.tables.key_records import Entry, Signature

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["Likenesses"]

_VALIDATION = "validation"
_FRIEND, _NAMED, _QUANTITY, _ANOTHER, _STATISTIC, _HELD_OUT, _POLICY, _KEY = (1 << bit for bit in range(8))
"""What is so of a pair: the first names the second as its look-alike; the second the first; they are of one quantity;
nothing but their identities tells them apart; they are one statistic; the second is of held-out prompts; they differ by
the policy alone; only one who finds both under one key takes them for each other."""


class Likenesses:
    """The pairs of metrics that are confused.

    Args:
        tables: The spec.
        spelled: For each key or template of any component, the metrics that it ever means.
    """

    def __init__(self, tables: Tables, spelled: Mapping[str, Iterable[str]]) -> None:
        self._tables = tables
        self._metrics = tables.metrics
        self._rows: dict[str, list[list[Any]]] = {}
        self._by_quantity: dict[str, list[str]] = {}
        self._named_by: dict[str, list[str]] = {}
        self._sharing: dict[str, dict[str, None]] = {}
        for metric, row in tables.metrics.items():
            self._by_quantity.setdefault(str(_identity(row).get("quantity")), []).append(metric)
            for friend in row.get("false_friends", ()):
                self._named_by.setdefault(friend, []).append(metric)
        for metrics in spelled.values():
            for metric in metrics:
                self._sharing.setdefault(metric, {}).update(dict.fromkeys(metrics))

    def of(self, metric: str) -> list[list[Any]]:
        """Return the metrics that one is taken for, its own look-alikes first.

        Returns:
            For each its name, what is so of the pair (bits), how many facets tell them apart but one, and the reason in
            a few words.
        """
        if metric not in self._rows:
            row = self._metrics[metric]
            others = dict.fromkeys(
                (
                    *row.get("false_friends", ()),
                    *self._named_by.get(metric, ()),
                    *self._by_quantity.get(str(_identity(row).get("quantity")), ()),
                    *self._sharing.get(metric, ()),
                )
            )
            self._rows[metric] = [
                found for other in others if other != metric and (found := self._pair(metric, other)) is not None
            ]
        return self._rows[metric]

    def _pair(self, metric: str, other: str) -> list[Any] | None:
        first, second = self._metrics.get(metric, {}), self._metrics.get(other, {})
        here, there = _identity(first), _identity(second)
        bits = 0
        why = why_confused(metric, other, self._tables)
        if why is None:
            bits |= _KEY
            why = relate(_entry(metric), _entry(other), self._tables).why
        if why is None:
            return None
        bits |= _FRIEND if other in first.get("false_friends", ()) else 0
        bits |= _NAMED if metric in second.get("false_friends", ()) else 0
        bits |= _QUANTITY if here.get("quantity") == there.get("quantity") is not None else 0
        bits |= _ANOTHER if why.startswith("another metric") else 0
        bits |= _STATISTIC if here.get("statistic") == there.get("statistic") else 0
        bits |= _HELD_OUT if self._metrics.family(other) == _VALIDATION else 0
        bits |= _POLICY if {**here, "policy": None} == {**there, "policy": None} else 0
        return [other, bits, why.count(";"), why_in_short(metric, other, self._tables) or why]


def _identity(row: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = row.get("identity", {})
    return found


def _entry(metric: str) -> Entry:
    """Return an entry under a key that it shares with another."""
    return Entry("", "", "train", metric, "scalar", Signature(), None, True, True, (), None, (), {}, (), None)
