"""In which order metrics are looked at: what guides call crucial first, what tells about the machine last."""

from __future__ import annotations

from functools import cached_property

from rlmetrics.health.key_meanings import KeyMeaning
from rlmetrics.health.rules import Rules
from rlmetrics.names.tables.crucial_metrics import FIRST_FAMILIES, MACHINE_FAMILIES, crucial_quantities, measured
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.metric_facts import is_timer

__all__ = ["CRUCIAL", "JUDGED", "MACHINE", "OTHER", "MetricOrder"]

CRUCIAL, JUDGED, OTHER, MACHINE = range(4)
"""What guides call crucial and scores on held-out data; what a rule of health looks at; others; counters and timers."""
_SETTINGS = {"optimizer/learning_rate"}
"""What is set and not measured."""


class MetricOrder:
    """The order of metrics.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    @cached_property
    def _crucial(self) -> set[object]:
        return crucial_quantities(self._tables)

    @cached_property
    def _judged(self) -> set[str]:
        return {name for rule in Rules(self._tables).rules for name in rule.metrics}

    @cached_property
    def _places(self) -> dict[str, int]:
        return {metric: place for place, metric in enumerate(self._tables.metrics)}

    def rank(self, meaning: KeyMeaning) -> int:
        """Return how closely a key is looked at: one of ``CRUCIAL``, ``JUDGED``, ``OTHER`` and ``MACHINE``."""
        metric = meaning.metric
        if meaning.held_out:
            return CRUCIAL
        if metric is None or metric not in self._tables.metrics:
            return OTHER
        row = self._tables.metrics[metric]
        family = self._tables.metrics.family(metric)
        if family in MACHINE_FAMILIES or row.get("kind") == "counter" or is_timer(metric, self._tables):
            return MACHINE
        if metric in _SETTINGS:
            return OTHER
        if measured(self._tables, metric) in self._crucial:
            return CRUCIAL
        return JUDGED if metric in self._judged else OTHER

    def place(self, meaning: KeyMeaning) -> tuple[int, bool, int, int, str]:
        """Return what sorts keys: by rank, training first, then by family and in the order of the spec."""
        metric = meaning.metric or ""
        family = self._tables.metrics.family(metric) if metric in self._tables.metrics else ""
        first = FIRST_FAMILIES.index(family) if family in FIRST_FAMILIES else len(FIRST_FAMILIES)
        spec = self._places.get(metric, len(self._places))
        return self.rank(meaning), meaning.mode != "train", first, spec, meaning.key
