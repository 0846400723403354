"""What a row of the parity table holds: the function that reproduces an output of verl, or why none does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from .verl_scenario import Scenario


@dataclass(frozen=True)
class Reproduced:
    """An output that rlmetrics computes from the same tensors.

    Attributes:
        key: The metric function, as in ``REGISTRY``.
        value: Returns rlmetrics' value for a batch.
        how: What is done around the function, empty if nothing.
        leaks: Whether verl's value is NaN where padding holds NaN, because it multiplies padding by zero.
        inside: Whether only values inside the mask are compared; what stands outside is never used.
        magnitude: Size of what is added up, to which rounding is relative where it nearly cancels.
    """

    key: str
    value: Callable[[Scenario], float | Tensor]
    how: str = ""
    leaks: bool = False
    inside: bool = False
    magnitude: float = 1.0


@dataclass(frozen=True)
class Explained:
    """An output that no function of rlmetrics computes.

    Attributes:
        reason: Why.
        constant: The value that verl reports on every batch, if it is a constant.
    """

    reason: str
    constant: float | None = None


Row = Reproduced | Explained
