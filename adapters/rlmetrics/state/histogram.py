"""A distribution as a suite reports it: counts in equal bins, ready for any tracker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, nan
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .slot_layout import Slot

__all__ = ["Histogram"]


@dataclass(frozen=True)
class Histogram:
    """Counts of a population, all ranks and updates together.

    ``wandb.Histogram(np_histogram=(histogram.counts, histogram.edges))`` takes it as it is.

    Attributes:
        counts: How many values fell into each bin; the last bin includes its upper end.
        edges: The ends of the bins, one more than there are bins.
        below: How many values are smaller than the first edge.
        above: How many values are larger than the last edge.
        minimum: The smallest value, NaN if there is none or a value was NaN.
        maximum: The largest value, NaN if there is none or a value was NaN.
    """

    counts: tuple[float, ...]
    edges: tuple[float, ...]
    below: float
    above: float
    minimum: float
    maximum: float

    @classmethod
    def of(cls, slot: Slot, values: Sequence[float]) -> Histogram:
        """Return what a ``bins`` slot holds."""
        below, *counts, above, minimum, maximum = values
        step = (slot.high - slot.low) / slot.bins
        edges = (*(slot.low + step * number for number in range(slot.bins)), slot.high)
        # Only an empty population leaves the minimum above the maximum.
        ends = (nan, nan) if minimum > maximum and not isfinite(minimum) else (minimum, maximum)
        return cls(tuple(counts), edges, below, above, *ends)
