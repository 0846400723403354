"""The curves of a run: what its keys are, and which rules look at them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rlmetrics.names.tables.tables import Tables

from .instances import Channel, Instance
from .intake import Intake
from .judged_keys import SourceNames
from .key_meanings import HELD_OUT, KeyMeaning
from .rules import Rule, rules_of

__all__ = ["JudgedCurves"]

_COMMON = ("timing/", "memory/", "throughput/", "progress/")
"""Families of metrics that rows of every kind have."""
_LEARNING_RATE = "optimizer/learning_rate"
_MOST_OF_METRIC = 500
"""Curves of one metric: users name reward functions, and names with a running number must not fill the memory."""


class JudgedCurves:
    """The curves of a run.

    Args:
        tables: The spec.
        config: The settings of the run.
        ahead: How many rows may wait to be taken together.

    Attributes:
        rules: The rules and diagnoses by which the run is judged.
        names: What answers questions about keys; None while the source is not known.
        intake: What takes rows into the curves.
        by_metric: The curves of each metric.
        version: Another number after each new curve.
    """

    def __init__(self, tables: Tables, config: Mapping[str, Any], ahead: int) -> None:
        self.tables = tables
        self.config = config
        self.rules = rules_of(tables)
        self.names: SourceNames | None = None
        self.intake = Intake(self._meet)
        self.by_metric: dict[str, list[Channel]] = {}
        self.version = 0
        self._ahead = ahead

    @property
    def channels(self) -> dict[str, Channel | None]:
        """Every key that came, and its curve if any rule needs it."""
        return self.intake.channels

    def open(self, at: str, others: Iterable[str] = ()) -> None:
        """Take the keys for those of a source, as far as further ones that may have logged them agree.

        Raises:
            NamesError: A source is unknown.
        """
        self.names = SourceNames(at, self.config, self.tables, [*others], self._judged_alike)

    def instances(self) -> Iterator[Instance]:
        """Yield what each rule knows of each curve."""
        return (item for channel in self.channels.values() if channel is not None for item in channel.instances)

    def _meet(self, key: str) -> Channel | None:
        """Find out what a key is."""
        if self.names is None:
            return None
        meaning = self.names.meaning(key)
        rules = self._rules_of(meaning)
        if not rules and not self._is_used(meaning):
            return None
        if len(self.by_metric.get(str(meaning.metric), ())) >= _MOST_OF_METRIC:
            return None
        channel = Channel(meaning, rules, self._ahead)
        channel.series.budget = self._budget()
        self.by_metric.setdefault(str(meaning.metric), []).append(channel)
        if meaning.held_out and meaning.metric != HELD_OUT:
            self.by_metric.setdefault(HELD_OUT, []).append(channel)
        self.version += 1
        return channel

    def scheduled(self, key: str) -> bool:
        """Tell whether a key is the learning rate, which is known before the update."""
        return self.names is not None and self.names.meaning(key).metric == _LEARNING_RATE

    def tells(self, key: str) -> bool:
        """Tell whether a key says what its row is about."""
        channel = self.intake.channels.get(key)
        return channel is not None and bool(channel.instances) and not str(channel.meaning.metric).startswith(_COMMON)

    def _judged_alike(self, one: KeyMeaning, other: KeyMeaning) -> bool:
        """Tell whether the same rules, and at least one, look at two meanings."""
        mine, theirs = self._rules_of(one), self._rules_of(other)
        return bool(mine) and mine == theirs

    def _rules_of(self, meaning: KeyMeaning) -> list[Rule]:
        """Return the rules that look at a key; of a disputed one, those that look at each meaning that it may have."""
        if not meaning.rivals:
            return self.rules.of(meaning.metric, meaning.mode, held_out=meaning.held_out)
        first, *others = (self.rules.of(metric, meaning.mode, held_out=False) for metric in meaning.rivals)
        return [rule for rule in first if all(rule in other for other in others)]

    def _is_used(self, meaning: KeyMeaning) -> bool:
        return meaning.metric in self.rules.beside or meaning.held_out

    def _budget(self) -> float | None:
        for name in ("max_steps", "trainer.total_training_steps", "total_training_steps"):
            value = self.config.get(name)
            if isinstance(value, int | float) and value > 0:
                return float(value)
        return None
