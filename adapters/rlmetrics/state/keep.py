"""What a state keeps of one batch, packed, for the reductions that most formulas end in."""

from __future__ import annotations

from torch import Tensor

from . import ops
from .slots import pack

__all__ = ["largest", "mean", "share", "smallest", "total"]


def mean(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return sum and size of a population, float64 ``[2]``."""
    return pack([ops.total(x, over), _size(x, over)])


def share(condition: Tensor, over: Tensor | None = None) -> Tensor:
    """Return how many of a population fulfil a condition, and its size, float64 ``[2]``."""
    return pack([ops.count(condition if over is None else condition & over), _size(condition, over)])


def largest(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return maximum and size of a population, float64 ``[2]``."""
    return pack([ops.largest(x, over), _size(x, over)])


def smallest(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return minimum and size of a population, float64 ``[2]``."""
    return pack([ops.smallest(x, over), _size(x, over)])


def total(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the sum of a population, float64 ``[1]``."""
    return ops.total(x, over).reshape(1)


def _size(x: Tensor, over: Tensor | None) -> Tensor:
    return ops.number_of(x) if over is None else ops.count(over)
