"""Computes captured numbers with the functions of this project, and says how far apart the two are.

The framework computed in float32; the functions get the same float32 tensors and reduce in float64. What remains is
rounding, mostly the framework's: a sum in float32 is off by a few units of 2**-24, relative to the size of its terms.
`TOLERANCE` is a handful of those units, and holds for every number alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from rlmetrics.functional import REGISTRY
from rlmetrics.reproduction import AsLogged
from rlmetrics.reproduction.nested_parts import Nested
from rlmetrics.state import MetricFunction
from torch import Tensor

from .quantities import Quantity, joined

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
        recipe = term.quantity.recipe
        if recipe.constant is not None:
            return f"always {recipe.constant:g}"
        scale = "" if recipe.scale == 1 else f"{recipe.scale:g} * "
        offset = "" if recipe.offset == 0 else f" + {recipe.offset:g}"
        return f"{scale}`{recipe.function}`{offset}"


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
    both = ([by_function(term) for term in case.terms], [by_reference(term) for term in case.terms])
    difference = max(_difference(case.combine(values), case.expected) for values in both)
    return Outcome(case, difference, max(abs(case.expected), 1.0))


def by_function(term: Term) -> float:
    """Return the value of a term over all its parts, by the generated function."""
    return _computed(term, term.quantity.by_function)


def by_reference(term: Term) -> float:
    """Return the same by the reference of the function, in plain Python."""
    return _computed(term, term.quantity.by_reference)


def _computed(term: Term, logged: AsLogged) -> float:
    return float(logged(_nested(term.data, logged.levels), None, **term.parameters))


def _nested(data: Data, levels: Sequence[str]) -> Nested:
    """Return data as lists, one for each level; parts of a level that is not asked for are put together."""
    if not levels:
        return joined([leaf.tensors for leaf in leaves_of(data)])
    if isinstance(data, Parts) and data.level not in levels and len(data.parts) == 1:
        return _nested(data.parts[0], levels)
    if isinstance(data, Parts) and data.level == levels[0]:
        return [_nested(part, levels[1:]) for part in data.parts]
    return [_nested(data, levels[1:])]


def leaves_of(data: Data) -> list[Leaf]:
    """Return the leaves of data in order."""
    return [data] if isinstance(data, Leaf) else [leaf for part in data.parts for leaf in leaves_of(part)]


def _chosen(metric: MetricFunction, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name: tensors[name] for name, _, _ in metric.inputs}


def _difference(value: float, expected: float) -> float:
    if math.isnan(value) or math.isnan(expected) or math.isinf(value) or math.isinf(expected):
        return 0.0 if value == expected or (math.isnan(value) and math.isnan(expected)) else math.inf
    return abs(value - expected)


def histogram(array: NDArray[np.float64], slot: Any) -> Tensor:
    """Return how a distribution shows an array: the counts of its bins and of what lies beyond, and both ends."""
    inner = np.histogram(array, bins=slot.bins, range=(slot.low, slot.high))[0]
    counts = [(array < slot.low).sum(), *inner, (array > slot.high).sum()]
    return torch.tensor([*counts, array.min(), array.max()], dtype=torch.float64)


def _distribution(case: Case, logged: Tensor) -> Outcome:
    """Compare histograms: the counts must be those of the logged array, its ends differ by rounding."""
    (term,) = case.terms
    metric = REGISTRY[term.quantity.function]
    (slot,) = metric.slots
    array = logged.numpy().astype(np.float64).ravel()
    expected = histogram(array, slot)
    whole = _chosen(metric, joined([leaf.tensors for leaf in leaves_of(term.data)]))
    found = (metric(**whole, **term.parameters), metric.reference(**whole, **term.parameters))
    differences = [(value - expected).abs() for value in found]
    miscounted = max(float(difference[:-2].max()) for difference in differences)
    ends = max(float(difference[-2:].max()) for difference in differences)
    return Outcome(case, max(miscounted, ends), max(float(np.abs(array).max()), 1.0))
