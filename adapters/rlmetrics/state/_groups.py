"""Reductions of sequences ``[B]`` to groups ``[B]`` (places of which only as many are taken as there are groups)."""

from __future__ import annotations

from math import inf, nan

import torch
from torch import Tensor
from torch.nn.functional import pad

from ._finalize import root
from ._inputs import wide_dtype


def group_index(group_ids: Tensor) -> Tensor:
    """Return for each sequence the place of its group: the rank of its id among the distinct ids, int64 ``[B]``."""
    ordered, order = torch.sort(group_ids)
    starts = torch.zeros_like(order)
    starts[1:] = ordered[1:] != ordered[:-1]
    return torch.zeros_like(order).scatter(0, order, starts.cumsum(0))


def group_exists(index: Tensor) -> Tensor:
    """Return which places hold a group, bool ``[B]``."""
    return group_count(index) > 0


def group_count(index: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the number of sequences of each group, float64 ``[B]``."""
    ones = torch.ones(index.shape, dtype=wide_dtype(index), device=index.device)
    return group_sum(ones, index, over)


def group_sum(x: Tensor, index: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the sum of each group, float64 ``[B]``."""
    value = (x if over is None else torch.where(over, x, 0)).to(wide_dtype(x))
    return torch.zeros_like(value).scatter_add(0, index, value)


def group_mean(x: Tensor, index: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the mean of each group, float64 ``[B]``; NaN where nothing was selected."""
    return _ratio(group_sum(x, index, over), group_count(index, over))


def group_var(x: Tensor, index: Tensor, over: Tensor | None = None, *, ddof: int) -> Tensor:
    """Return the variance of each group, float64 ``[B]``; NaN unless more than ``ddof`` sequences were selected."""
    deviation = x.to(wide_dtype(x)) - group_mean(x, index, over)[index]
    return _ratio(group_sum(deviation.square(), index, over), group_count(index, over) - ddof)


def group_std(x: Tensor, index: Tensor, over: Tensor | None = None, *, ddof: int) -> Tensor:
    """Return the root of the variance of each group, float64 ``[B]``; its gradient is zero where the variance is."""
    return root(group_var(x, index, over, ddof=ddof))


def group_min(x: Tensor, index: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the minimum of each group, float64 ``[B]``; NaN where nothing was selected."""
    return _extreme(x, index, over, "amin", inf)


def group_max(x: Tensor, index: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the maximum of each group, float64 ``[B]``; NaN where nothing was selected."""
    return _extreme(x, index, over, "amax", -inf)


def per_sequence(x: Tensor, index: Tensor) -> Tensor:
    """Return for each sequence the value of its group, ``[B]``."""
    return x[index]


def pad_groups(x: Tensor, index: Tensor) -> Tensor:
    """Lay group values ``[G]``, given in ascending order of group id, out over the ``[B]`` places.

    Raises:
        ValueError: There are more values than sequences, so they cannot be one per group.
    """
    free = index.shape[0] - x.shape[0]
    if x.dim() != 1 or free < 0:
        msg = f"expected one value per group of {index.shape[0]} sequences, got shape {tuple(x.shape)}"
        raise ValueError(msg)
    return pad(x, (0, free))


def _ratio(numerator: Tensor, denominator: Tensor) -> Tensor:
    return torch.where(denominator > 0, numerator / denominator.clamp(min=1), nan)


def _extreme(x: Tensor, index: Tensor, over: Tensor | None, reduce: str, identity: float) -> Tensor:
    value = (x if over is None else torch.where(over, x, identity)).to(wide_dtype(x))
    extreme = torch.full_like(value, identity).scatter_reduce(0, index, value, reduce)
    return torch.where(group_count(index, over) > 0, extreme, nan)
