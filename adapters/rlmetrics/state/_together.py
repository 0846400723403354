"""Reductions that were put off, done together: one stack of all values over one population, then one call of each kind.

Small tensors cost what calls cost, so there are few of them, whatever the number of metrics.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod
from typing import TYPE_CHECKING, Any, Final

import torch
from torch import Tensor

if TYPE_CHECKING:
    from .parts import Part

__all__ = ["Group", "group_of"]

_EXTREMES: Final = ("smallest", "largest")


def group_of(part: Part) -> tuple[object, ...]:
    """Return what parts that can be done together have in common."""
    kind, x, over, _ = part
    # A population has the shape of what it selects from; sequences are widened, so that all dtypes go together.
    values = "conditions" if kind == "count" else x.dtype if x.dim() > 1 else "sequences"
    return values, x.shape, id(over)


class Group:
    """Parts over one population of tensors of one shape.

    Attributes:
        length: How many numbers a call returns.
        numbers: Which of them belong to each slot.
    """

    def __init__(self, parts: Sequence[tuple[int, Part]], dtype: torch.dtype) -> None:
        """Work out how the parts are laid out.

        Args:
            parts: The slot and the part of each.
            dtype: What numbers are kept in.
        """
        self._dtype = dtype
        self._clean = all(clean for _, (_, _, _, clean) in parts)
        self._masked = parts[0][1][2] is not None
        self._each = prod(parts[0][1][1].shape)
        kinds: dict[int, set[str]] = {}
        slots: dict[int, int] = {}
        for place, (kind, x, _, _) in parts:
            kinds.setdefault(id(x), set()).add(kind)
            slots.setdefault(id(x), place)
        # Tensors with extremes first and those with moments next, so that either are neighbours.
        order = sorted(kinds, key=lambda x: _rank(kinds[x]))
        self._places = [slots[x] for x in order]
        self._counted = "count" in kinds[order[0]]
        extremes = [row for row, x in enumerate(order) if kinds[x] & {*_EXTREMES}]
        moments = [row for row, x in enumerate(order) if "moments" in kinds[x]]
        self._extremes = len(extremes)
        self._moments = slice(moments[0], moments[-1] + 1) if moments else None
        needed = set[str]().union(*kinds.values())
        self._smallest, self._largest = (kind in needed for kind in _EXTREMES)
        self._summed = "total" in needed or bool(moments and self._masked)
        starts = self._starts(len(order))
        rows = {x: row for row, x in enumerate(order)}
        self.numbers = {place: self._numbers_of(kind, rows[id(x)], starts) for place, (kind, x, _, _) in parts}

    def _starts(self, rows: int) -> dict[str, int]:
        """Set the length, and return where the numbers of each kind start."""
        extremes, moments = self._extremes, self._moments.stop - self._moments.start if self._moments else 0
        sizes = {
            "count": rows * self._counted,
            "total": rows * self._summed,
            "smallest": extremes * self._smallest,
            "largest": extremes * self._largest,
            "size": bool(moments),
            "mean": moments,
            "deviation": moments,
        }
        starts, self.length = {}, 0
        for name, size in sizes.items():
            starts[name] = self.length
            self.length += size
        return starts

    def _numbers_of(self, kind: str, row: int, starts: dict[str, int]) -> list[int]:
        if kind != "moments":
            return [starts[kind] + row]
        assert self._moments is not None
        row -= self._moments.start
        return [starts["size"], starts["mean"] + row, starts["deviation"] + row]

    def __call__(self, values: Sequence[Any]) -> list[Tensor]:
        """Return the numbers, one tensor ``[…]`` after the other.

        Args:
            values: The values of all slots.
        """
        chosen: list[Part] = [values[place] for place in self._places]
        _, x, over, _ = chosen[0]
        keep = None if over is None else over.reshape(-1)
        rows = [part[1] if x.dim() > 1 or self._counted else part[1].to(self._dtype) for part in chosen]
        stacked = (torch.stack(rows) if len(rows) > 1 else rows[0]).reshape(len(rows), -1)
        if self._counted:
            if keep is not None and not self._clean:
                stacked = stacked & keep
            return [stacked.sum(1, dtype=self._dtype)]
        stacked = stacked.to(self._dtype)
        if keep is not None and not self._clean:
            stacked = torch.where(keep, stacked, 0)
        sums = [stacked.sum(1)] if self._summed else []
        totals = sums
        extremes = stacked[: self._extremes]
        if self._smallest:
            sums = [*sums, (extremes if keep is None else torch.where(keep, extremes, inf)).amin(1)]
        if self._largest:
            sums = [*sums, (extremes if keep is None else torch.where(keep, extremes, -inf)).amax(1)]
        if self._moments is None:
            return sums
        chosen_rows = stacked[self._moments]
        if keep is None:
            variance, mean = torch.var_mean(chosen_rows, 1, correction=0)
            return [*sums, mean.new_full((1,), self._each), mean, variance * self._each]
        size = keep.sum(dtype=self._dtype)
        mean = totals[0][self._moments] / size.clamp(min=1)
        rest = (chosen_rows - mean.unsqueeze(1)).mul_(keep)
        return [*sums, size.view(1), mean, rest.mul_(rest).sum(1)]


def _rank(kinds: set[str]) -> int:
    if "moments" in kinds:
        return 1 if kinds & {*_EXTREMES} else 2
    return 0 if kinds & {*_EXTREMES} else 3
