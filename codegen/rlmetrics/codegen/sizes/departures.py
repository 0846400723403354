"""Traits whose effect follows from a batch alone: for each, the number that shows it, beside the plain one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from .step_parts import Numbers, can_compute

if TYPE_CHECKING:
    from rlmetrics.state import MetricFunction

    from .batches import Step

__all__ = ["DEPARTURES"]

Departure = Callable[["MetricFunction", "MetricFunction | None", "Step"], "tuple[float, float] | None"]
"""Takes a function, its metric's own one and a step; returns the plain number and the other, None if unknown."""


def _padded(metric: MetricFunction, plain: MetricFunction | None, step: Step) -> tuple[float, float] | None:
    """Count padding: what it holds is known only where a variant of the formula says so."""
    if plain is None or not metric.id.endswith("@padded") or not can_compute(plain, step.generated[0]):
        return None
    return Numbers(plain, step).pooled, Numbers(metric, step).pooled


def _uncut(metric: MetricFunction, _: MetricFunction | None, step: Step) -> tuple[float, float] | None:
    """Count text after the end: sums over a response grow with it, whatever it is; of means nothing is known."""
    # A variant may do something to padding, too, of which none is left then.
    sums = "seq_sum(" in " ".join([metric.formula, *metric.let.values()])
    if "@" in metric.id or not sums or not can_compute(metric, step.uncut[0]):
        return None
    numbers = Numbers(metric, step)
    return numbers.over(step.generated), numbers.over(step.uncut)


def _finished(metric: MetricFunction, _: MetricFunction | None, step: Step) -> tuple[float, float] | None:
    """Leave out truncated responses."""
    if metric.atom not in ("token", "sequence"):
        return None
    if all(bool(inputs["terminated"].all()) for inputs in step.generated):
        return None
    finished = [
        {name: piece.inputs[name][piece.inputs["terminated"]] for name, _, _ in metric.inputs}
        for piece in step.pieces
        if piece.inputs["terminated"].any()
    ]
    numbers = Numbers(metric, step)
    return (numbers.pooled, numbers.over(finished)) if finished else None


def _main_process(metric: MetricFunction, _: MetricFunction | None, step: Step) -> tuple[float, float] | None:
    """Only responses of the main process count."""
    if step.layout.ranks == 1:
        return None
    numbers = Numbers(metric, step)
    return numbers.pooled, numbers.reduced("rank", "first")


DEPARTURES: Mapping[str, Departure] = {
    "padding_counted": _padded,
    "text_after_end_counted": _uncut,
    "truncated_responses_excluded": _finished,
    "truncated_responses_masked": _finished,
    "values_of_main_process": _main_process,
}
"""What computes the size of a trait, by its name."""
