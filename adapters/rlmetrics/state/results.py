"""From a packed state to a result, for the states that many metrics have; other metrics have code of their own."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from . import ops

__all__ = ["counted", "deviation", "histogram", "last", "only", "quantile", "ratio", "value_at_max", "variance"]


def ratio(state: Tensor) -> Tensor:
    """Return a sum or count over the size of its population; NaN over nothing."""
    amount, size = state.unbind()
    return amount / size


def counted(state: Tensor) -> Tensor:
    """Return what is kept beside the size of its population; NaN over nothing."""
    value, size = state.unbind()
    return ops.or_nan(value, size)


def only(state: Tensor) -> Tensor:
    """Return the one number of a state."""
    return state[0]


def last(state: Tensor) -> Tensor:
    """Return the latest value; NaN if there is none."""
    return ops.last_value(state)


def value_at_max(state: Tensor) -> Tensor:
    """Return the value beside the largest one; NaN if that is NaN or minus infinity."""
    return ops.value_at_max(state)


def histogram(state: Tensor) -> Tensor:
    """Return the counts of bins, then minimum and maximum, which are NaN if nothing was counted."""
    return ops.histogram_result(state)


def variance(ddof: int) -> Callable[[Tensor], Tensor]:
    """Return what computes the variance of moments; ``ddof`` is subtracted from their count."""

    def result(state: Tensor) -> Tensor:
        return ops.variance(state, ddof=ddof)

    return result


def deviation(ddof: int) -> Callable[[Tensor], Tensor]:
    """Return what computes the standard deviation of moments; ``ddof`` is subtracted from their count."""

    def result(state: Tensor) -> Tensor:
        return ops.standard_deviation(state, ddof=ddof)

    return result


def quantile(level: float) -> Callable[[Tensor], Tensor]:
    """Return what computes a quantile of the values of a state that begins with their number, interpolated."""

    def result(state: Tensor) -> Tensor:
        return ops.quantile(state[1:], state[0], level=level)

    return result
