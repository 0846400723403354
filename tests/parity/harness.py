"""Computes captured numbers with the functions of this project, and says how far apart the two are.

The framework computed in float32; the functions get the same float32 tensors and reduce in float64. What remains is
rounding, mostly the framework's: a sum in float32 is off by a few units of 2**-24, relative to the size of its terms.
`TOLERANCE` is a handful of those units, and holds for every number alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import torch
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricFunction
from torch import Tensor

from .quantities import Quantity

UNIT = 2.0**-24
"""Half the distance of float32 numbers around 1: the relative error of one rounding."""

TOLERANCE = 32 * UNIT
"""Largest difference that counts as rounding, relative to the number and to the size of what was added up."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """The tensors of one call of a metric's function, by the names of `spec/inputs.yaml`."""

    tensors: Mapping[str, Tensor]


@dataclass(frozen=True, eq=False)
class Parts:
    """What was reduced at one level, such as the micro-batches of a mini-batch."""

    level: str
    parts: Sequence[Leaf | Parts]


Data = Leaf | Parts


@dataclass(frozen=True, eq=False)
class Term:
    """A quantity over data."""

    quantity: Quantity
    data: Data
    parameters: Mapping[str, float] = field(default_factory=dict)


def _only(values: Sequence[float]) -> float:
    (value,) = values
    return value


@dataclass(frozen=True, eq=False)
class Case:
    """A captured number and how to compute it.

    Attributes:
        key: The logged key that the number is, or is a part of.
        where: What it covers, such as ``logged`` or ``one micro-batch``; with the key, a row of the table.
        number: Event and path of the number in the fixture.
        expected: What the framework reported: a number, or an array that is logged as a distribution.
        terms: What is computed; one term, unless the number is made of several.
        combine: Makes the number from the values of the terms.
        formula: What ``combine`` does, in terms of the functions; needed where there are several terms.
    """

    key: str
    where: str
    number: str
    expected: float | Tensor
    terms: Sequence[Term]
    combine: Callable[[Sequence[float]], float] = _only
    formula: str | None = None

    @property
    def function(self) -> str:
        """The functions that are used, as the table shows them."""
        if self.formula is not None:
            return self.formula
        (term,) = self.terms
        quantity = term.quantity
        scale = "" if quantity.scale == 1 else f"{quantity.scale:g} * "
        offset = "" if quantity.offset == 0 else f" + {quantity.offset:g}"
        return f"{scale}`{quantity.function}`{offset}"


@dataclass(frozen=True)
class Reason:
    """A captured number that no function computes, and why."""

    key: str
    number: str
    why: str


@dataclass(frozen=True)
class Outcome:
    """How far a computed number is from the captured one.

    Attributes:
        difference: The largest absolute difference, by the function or by its reference.
        size: The size to which rounding is relative.
    """

    case: Case
    difference: float
    size: float

    @property
    def relative(self) -> float:
        """The difference relative to the size of what was added up."""
        return self.difference / self.size

    @property
    def agrees(self) -> bool:
        """Whether the difference is rounding."""
        return self.relative <= TOLERANCE


def outcome(case: Case) -> Outcome:
    """Compute a case twice, with the generated function and with its reference, and compare both with the capture."""
    if isinstance(case.expected, Tensor):
        return _distribution(case, case.expected)
    values = [case.combine([reduced(term, compute) for term in case.terms]) for compute in (by_function, by_reference)]
    difference = max(_difference(value, case.expected) for value in values)
    return Outcome(case, difference, max(abs(case.expected), 1.0))


def reduced(term: Term, compute: Callable[[MetricFunction, Data, tuple[tuple[str, float], ...]], float]) -> float:
    """Return the value of a term over all its parts, as the signature of the quantity says."""
    parameters = tuple(sorted(term.parameters.items()))
    quantity = term.quantity
    value = _reduced(quantity, term.data, lambda data: compute(REGISTRY[quantity.function], data, parameters))
    return quantity.scale * value + quantity.offset


def _reduced(quantity: Quantity, data: Data, compute: Callable[[Data], float]) -> float:
    if isinstance(data, Parts) and quantity.operation(data.level) != "pool":
        values = [_reduced(quantity, part, compute) for part in data.parts]
        if "nan_entries_skipped" in quantity.traits:
            values = [value for value in values if not math.isnan(value)]
        return _OPERATIONS[quantity.operation(data.level)](values)
    if isinstance(data, Parts) and len(data.parts) == 1:
        return _reduced(quantity, data.parts[0], compute)
    value = compute(data)
    return 0.0 if math.isnan(value) and {"zero_when_empty", "zero_without_token"} & quantity.traits else value


_OPERATIONS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda values: sum(values) / len(values) if values else math.nan,
    "sum": sum,
    "max": max,
    "min": min,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}


@cache
def by_function(metric: MetricFunction, data: Data, parameters: tuple[tuple[str, float], ...]) -> float:
    """Compute with the generated function; parts that are pooled go through states that are merged."""
    return float(_pooled(metric, data, parameters))


@cache
def by_reference(metric: MetricFunction, data: Data, parameters: tuple[tuple[str, float], ...]) -> float:
    """Compute with the reference of the function; parts that are pooled are put together first."""
    return float(metric.reference(**_chosen(metric, _joined(data)), **dict(parameters)))


def _pooled(metric: MetricFunction, data: Data, parameters: tuple[tuple[str, float], ...]) -> Tensor:
    leaves = leaves_of(data)
    if len(leaves) == 1:
        return metric(**_chosen(metric, leaves[0].tensors), **dict(parameters))
    states = [metric.state(device=None, **dict(parameters)).update(**_chosen(metric, leaf.tensors)) for leaf in leaves]
    for state in states[1:]:
        states[0].merge(state)
    return states[0].compute()


def leaves_of(data: Data) -> list[Leaf]:
    """Return the leaves of data in order."""
    return [data] if isinstance(data, Leaf) else [leaf for part in data.parts for leaf in leaves_of(part)]


def _joined(data: Data) -> Mapping[str, Tensor]:
    first, *rest = (leaf.tensors for leaf in leaves_of(data))
    return (
        {name: torch.cat([tensor, *(other[name] for other in rest)]) for name, tensor in first.items()}
        if rest
        else first
    )


def _chosen(metric: MetricFunction, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensors[name] for name, _, _ in metric.inputs}


def _difference(value: float, expected: float) -> float:
    if math.isnan(value) or math.isnan(expected) or math.isinf(value) or math.isinf(expected):
        return 0.0 if value == expected or (math.isnan(value) and math.isnan(expected)) else math.inf
    return abs(value - expected)


def _distribution(case: Case, logged: Tensor) -> Outcome:
    """Compare histograms: the counts must be those of the logged array, its ends differ by rounding."""
    (term,) = case.terms
    metric = REGISTRY[term.quantity.function]
    (slot,) = metric.slots
    array = logged.numpy().astype(np.float64).ravel()
    inner = np.histogram(array, bins=slot.bins, range=(slot.low, slot.high))[0]
    counts = [(array < slot.low).sum(), *inner, (array > slot.high).sum()]
    expected = torch.tensor([*counts, array.min(), array.max()], dtype=torch.float64)
    parameters = tuple(sorted(term.parameters.items()))
    reference = metric.reference(**_chosen(metric, _joined(term.data)), **term.parameters)
    differences = [(value - expected).abs() for value in (_pooled(metric, term.data, parameters), reference)]
    miscounted = max(float(difference[:-2].max()) for difference in differences)
    ends = max(float(difference[-2:].max()) for difference in differences)
    return Outcome(case, max(miscounted, ends), max(float(np.abs(array).max()), 1.0))
