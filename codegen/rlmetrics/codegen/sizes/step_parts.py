"""The number of a metric over a step and over its parts: computed and merged by the metric's own state."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rlmetrics.state import MetricState

if TYPE_CHECKING:
    from torch import Tensor

    from rlmetrics.state import MetricFunction

    from .batches import Step, Tensors

__all__ = ["LEVELS", "OPERATIONS", "Numbers", "can_compute"]

_Place = tuple[int, ...]

LEVELS: Mapping[str, int] = {"token": 5, "sequence": 5, "micro_batch": 4, "mini_batch": 3, "epoch": 2, "rank": 1}
"""How many numbers of a place tell the parts of a level apart: process, epoch, mini-batch, micro-batch, response."""

_SINGLE = LEVELS["sequence"]

_FEW = 64
"""Single responses are looked at in steps with at most so many, for the time that it takes."""

OPERATIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda values: sum(values) / len(values),
    "max": max,
    "min": min,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}
"""How parts become one number; parts in the order in which they are worked on."""

_WITHOUT_DEFAULT = {"lower": 0.5, "upper": 2.0}


def can_compute(metric: MetricFunction, inputs: Iterable[str]) -> bool:
    """Return whether inputs of these names, and parameters that are known here, are all that a number needs."""
    if metric.kind == "distribution":
        return False
    needed = {name for name, default in metric.parameters.items() if default is None}
    return {name for name, _, _ in metric.inputs} <= set(inputs) and needed <= {*_WITHOUT_DEFAULT, "limit"}


class Numbers:
    """The numbers of one metric over a step and over its parts.

    Args:
        metric: The metric.
        step: The step.
    """

    def __init__(self, metric: MetricFunction, step: Step) -> None:
        self._metric = metric
        self._step = step
        self._found: dict[int, dict[_Place, list[float]]] = {}
        known = {**_WITHOUT_DEFAULT, "limit": step.profile.limit}
        self._parameters: dict[str, Any] = {
            name: known[name] for name, default in metric.parameters.items() if default is None
        }

    def over(self, batches: Iterable[Tensors]) -> float:
        """Return the number over some batches together."""
        return float(_merged([self._state(inputs) for inputs in batches]).compute())

    @cached_property
    def pooled(self) -> float:
        """The number over the whole step."""
        return float(_merged(list(self._states.values())).compute())

    def reduced(self, level: str, operation: str) -> float:
        """Return the number of a step whose parts at a level become one by an operation; finer levels are pooled.

        Coarser levels are averaged: an average of averages of equally many parts is the average of all parts.
        """
        apply = OPERATIONS[operation]
        return OPERATIONS["mean"]([apply(values) for values in self._within(level).values()])

    def has(self, level: str) -> bool:
        """Return whether a step has several parts at a level, none of which cuts what the metric needs as a whole."""
        layout = self._step.layout
        if self._metric.atom == "group":
            return level == "rank" and layout.ranks > 1
        if self._metric.atom == "batch" or (LEVELS[level] == _SINGLE and (layout.epochs > 1 or layout.rows > _FEW)):
            return False
        return min(len(values) for values in self._within(level).values()) > 1

    def _within(self, level: str) -> dict[_Place, list[float]]:
        """Return the numbers of a level's parts, by the part of the next coarser level that they belong to."""
        depth = LEVELS[level]
        if depth not in self._found:
            states: dict[_Place, list[MetricState]] = {}
            for place, state in (self._rows if depth == _SINGLE else self._states).items():
                states.setdefault(place[:depth], []).append(state)
            within: dict[_Place, list[float]] = {}
            for place, parts in states.items():
                within.setdefault(place[: depth - 1], []).append(float(_merged(parts).compute()))
            self._found[depth] = within
        return self._found[depth]

    @cached_property
    def _states(self) -> dict[_Place, MetricState]:
        """The state of each micro-batch; of each process where micro-batches would cut groups."""
        if self._metric.atom == "group":
            return {(rank,): self._state(inputs) for rank, inputs in enumerate(self._step.generated)}
        return {piece.place: self._state(piece.inputs) for piece in self._step.pieces}

    @cached_property
    def _rows(self) -> dict[_Place, MetricState]:
        """The state of each response alone."""
        found: dict[_Place, MetricState] = {}
        for piece in self._step.pieces:
            inputs = self._picked(piece.inputs)
            for row in range(len(next(iter(inputs.values())))):
                found[(*piece.place, row)] = self._state({name: each[row : row + 1] for name, each in inputs.items()})
        return found

    def _state(self, inputs: Tensors) -> MetricState:
        return MetricState(self._metric, **self._parameters).update(**self._picked(inputs))

    def _picked(self, inputs: Tensors) -> dict[str, Tensor]:
        return {name: inputs[name] for name, _, _ in self._metric.inputs}


def _merged(states: Sequence[MetricState]) -> MetricState:
    """Return what some states have seen together; they stay as they are."""
    first = states[0]
    if len(states) == 1:
        return first
    parameters: dict[str, Any] = first.parameters
    whole = MetricState(first.metric, **parameters)
    for state in states:
        whole.merge(state)
    return whole
