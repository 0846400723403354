"""What slots can hold: a class for each kind, with what fills it, what it starts from, and how two of it merge.

torch is imported only where tensors merge: the compiler of formulas reads the rest without it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf
from typing import TYPE_CHECKING, Final, Literal, get_args

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["KINDS", "SLOT_KINDS", "KindOfSlot", "SlotKind"]

SlotKind = Literal["sum", "count", "min", "max", "moments", "comoments", "bins", "last", "at_max", "values"]
"""The names of all kinds, in the order in which slots of a fused state stand."""

SLOT_KINDS: Final[tuple[SlotKind, ...]] = get_args(SlotKind)


class KindOfSlot(ABC):
    """A kind of slot.

    Attributes:
        fill: The function of ``rlmetrics.state.ops`` that makes the value of an update.
        called: What a slot is called after the names of what is reduced.
        start: What it holds before anything was seen; merging that changes nothing.
        each: For each number the kind that it merges like; nothing if they merge together only.
        has_size: Whether its first number is the size of the population.
        clean: Whether what fills it gains from being told that values are 0 outside the population.
    """

    fill: str
    called: str
    start: tuple[float, ...] = (0.0,)
    each: tuple[SlotKind, ...] = ()
    has_size: bool = False
    clean: bool = False

    def identity(self, bins: int) -> tuple[float, ...]:
        """Return what a slot with so many bins starts from; most kinds have none."""
        return self.start

    def numbers(self, bins: int) -> tuple[SlotKind, ...]:
        """Return ``each`` for a slot with so many bins."""
        return self.each

    @abstractmethod
    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Merge values ``[…]`` of slots of width one, or ``[…, width]``; ``left`` came first."""


class Sum(KindOfSlot):
    """A sum: both are added."""

    fill, called, each, clean = "total", "{0}_sum", ("sum",), True

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Add."""
        return left + right


class Count(Sum):
    """A number of elements."""

    fill, called = "count", "{0}_count"


class Min(KindOfSlot):
    """The smallest of all."""

    fill, called, start, each, clean = "smallest", "{0}_min", (inf,), ("min",), True

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Take the minimum; NaN propagates."""
        return left.minimum(right)


class Max(KindOfSlot):
    """The largest of all."""

    fill, called, start, each, clean = "largest", "{0}_max", (-inf,), ("max",), True

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Take the maximum; NaN propagates."""
        return left.maximum(right)


class Moments(KindOfSlot):
    """Count, mean and M2, the sum of squared deviations from the mean."""

    fill, called, start, has_size, clean = "moments", "{0}_moments", (0.0,) * 3, True, True

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Merge by the pairwise update of Chan, Golub and LeVeque (1979)."""
        import torch

        count_left, mean_left, m2_left = left.unbind(-1)
        count_right, mean_right, m2_right = right.unbind(-1)
        count = count_left + count_right
        share = count_right / count.clamp(min=1)
        delta = mean_right - mean_left
        m2 = m2_left + m2_right + delta * delta * count_left * share
        return _unless_empty(left, right, torch.stack([count, mean_left + delta * share, m2], dim=-1))


class Comoments(KindOfSlot):
    """Count, both means, both M2, and the sum of products of deviations."""

    fill, called, start, has_size = "comoments", "{0}_{1}_comoments", (0.0,) * 6, True

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Merge as moments."""
        import torch

        count_left, x_left, y_left, xx_left, yy_left, xy_left = left.unbind(-1)
        count_right, x_right, y_right, xx_right, yy_right, xy_right = right.unbind(-1)
        count = count_left + count_right
        share = count_right / count.clamp(min=1)
        weight = count_left * share
        delta_x, delta_y = x_right - x_left, y_right - y_left
        both = [
            count,
            x_left + delta_x * share,
            y_left + delta_y * share,
            xx_left + xx_right + delta_x * delta_x * weight,
            yy_left + yy_right + delta_y * delta_y * weight,
            xy_left + xy_right + delta_x * delta_y * weight,
        ]
        return _unless_empty(left, right, torch.stack(both, dim=-1))


class Bins(KindOfSlot):
    """A histogram: the counts below its range, in its bins and above its range, then minimum and maximum."""

    fill, called = "histogram", "{0}_bins"

    def identity(self, bins: int) -> tuple[float, ...]:
        """Return no counts, and ends that every value moves."""
        return (0.0,) * (bins + 2) + (inf, -inf)

    def numbers(self, bins: int) -> tuple[SlotKind, ...]:
        """Return that counts add, and that the ends take the extremes."""
        counts: list[SlotKind] = ["sum"] * (bins + 2)
        return (*counts, "min", "max")

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Add the counts, and take the extremes of the ends."""
        import torch

        ends = [left[..., -2:-1].minimum(right[..., -2:-1]), left[..., -1:].maximum(right[..., -1:])]
        return torch.cat([left[..., :-2] + right[..., :-2], *ends], -1)


class Last(KindOfSlot):
    """Whether there is a value, and that value."""

    fill, called, start, has_size = "last", "last_{0}", (0.0, 0.0), True

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Take the later one, if there is one."""
        return right.where(right[..., :1] > 0, left)


class AtMax(KindOfSlot):
    """The size of the population, the largest of a value, and another value beside it."""

    fill, called, start, has_size = "at_max", "{0}_at_max", (0.0, -inf, 0.0), True

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Take the larger one: of equals the earlier stays, and NaN propagates."""
        import torch

        before, after = left[..., 1:2], right[..., 1:2]
        later = (after > before) | (after.isnan() & ~before.isnan())
        return torch.cat([left[..., :1] + right[..., :1], torch.where(later, right[..., 1:], left[..., 1:])], -1)


class Values(KindOfSlot):
    """All values, in their order. Of no fixed width, it is the last slot of a state."""

    fill, called, start = "kept", "{0}_values", ()

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Put one after the other."""
        import torch

        return torch.cat([left, right])


def _unless_empty(left: Tensor, right: Tensor, both: Tensor) -> Tensor:
    # A side that saw nothing must not touch the other: its mean of zero would turn an infinite mean into NaN.
    merged = right.where(left[..., :1] == 0, both)
    return left.where(right[..., :1] == 0, merged)


KINDS: Final[dict[SlotKind, KindOfSlot]] = {
    "sum": Sum(),
    "count": Count(),
    "min": Min(),
    "max": Max(),
    "moments": Moments(),
    "comoments": Comoments(),
    "bins": Bins(),
    "last": Last(),
    "at_max": AtMax(),
    "values": Values(),
}
"""Every kind by name."""
