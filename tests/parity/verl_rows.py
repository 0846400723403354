"""What a row of the parity table holds: the function that reproduces an output of verl, or why none does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from torch import Tensor

from parity.verl_scenario import Scenario


@dataclass(frozen=True)
class Reproduced:
    """An output that rlmetrics computes from the same tensors.

    Attributes:
        key: The metric function, as in ``REGISTRY``.
        value: Returns rlmetrics' value for a batch.
        how: What is done around the function, empty if nothing.
        leaks: Whether verl's value is NaN where padding holds NaN, because it multiplies padding by zero.
        magnitude: Size of the terms that are summed, for the tolerance where they nearly cancel.
    """

    key: str
    value: Callable[[Scenario], float | Tensor]
    how: str = ""
    leaks: bool = False
    magnitude: float = 1.0


@dataclass(frozen=True)
class Explained:
    """An output that no function of rlmetrics computes.

    Attributes:
        reason: Why.
    """

    reason: str


Row = Reproduced | Explained
Rows = Mapping[tuple[str, str], Row]
"""Rows by function and output."""

RowsOf = Callable[[str], Iterator[tuple[tuple[str, str], Row]]]
"""Yields the rows of a release."""
