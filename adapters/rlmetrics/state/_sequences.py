"""Reductions of tokens ``[B, T]`` to one value per sequence ``[B]``.

Over a sequence without a selected token, sums and counts are zero, ``any`` is false, ``all`` is true, and the others
are NaN. A population that leaves such sequences out (``over=seq_any(mask)``) keeps NaN out of value and gradient.
"""

from __future__ import annotations

from math import inf, nan

import torch
from torch import Tensor
from torch.nn.functional import pad

from ._inputs import wide_dtype


def seq_sum(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the sum of each sequence, float64 ``[B]``."""
    selected = x if over is None else torch.where(over, x, 0)
    return selected.sum(-1, dtype=wide_dtype(x))


def seq_count(condition: Tensor, over: Tensor | None = None) -> Tensor:
    """Return how many tokens of each sequence fulfil the condition, float64 ``[B]``."""
    # A row is shorter than 2**31, and a sum in float64 takes five times as long.
    counts = (condition if over is None else condition & over).sum(-1, dtype=torch.int32)
    return counts.to(wide_dtype(condition))


def seq_mean(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the mean of each sequence (a fraction for booleans), float64 ``[B]``."""
    n = seq_count(torch.ones_like(x, dtype=torch.bool) if over is None else over)
    total = seq_count(x, over) if x.dtype == torch.bool else seq_sum(x, over)
    return torch.where(n > 0, total / n.clamp(min=1), nan)


def seq_min(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the minimum of each sequence, float64 ``[B]``."""
    x, over = _with_a_token(x, over)
    return torch.where(over.any(-1), torch.where(over, x, inf).amin(-1), nan).to(wide_dtype(x))


def seq_max(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the maximum of each sequence, float64 ``[B]``."""
    x, over = _with_a_token(x, over)
    return torch.where(over.any(-1), torch.where(over, x, -inf).amax(-1), nan).to(wide_dtype(x))


def seq_any(condition: Tensor, over: Tensor | None = None) -> Tensor:
    """Return whether any token of each sequence fulfils the condition, bool ``[B]``."""
    return (condition if over is None or over is condition else condition & over).any(-1)


def seq_all(condition: Tensor, over: Tensor | None = None) -> Tensor:
    """Return whether all tokens of each sequence fulfil the condition, bool ``[B]``."""
    return (condition if over is None else condition | ~over).all(-1)


def seq_first(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the value of the first token of each sequence, float64 ``[B]``."""
    x, over = _with_a_token(x, over)
    place = torch.arange(x.shape[-1], device=x.device)
    return _at(x, over, torch.where(over, place, x.shape[-1] - 1).amin(-1))


def seq_last(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the value of the last token of each sequence, float64 ``[B]``."""
    x, over = _with_a_token(x, over)
    place = torch.arange(x.shape[-1], device=x.device)
    return _at(x, over, torch.where(over, place, 0).amax(-1))


def _at(x: Tensor, over: Tensor, place: Tensor) -> Tensor:
    value = x.gather(-1, place.unsqueeze(-1)).squeeze(-1).to(wide_dtype(x))
    return torch.where(over.any(-1), value, nan)


def _with_a_token(x: Tensor, over: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return values and population with at least one token, because extremes over no column are errors in torch."""
    over = torch.ones_like(x, dtype=torch.bool) if over is None else over
    return (pad(x, (0, 1)), pad(over, (0, 1))) if x.shape[-1] == 0 else (x, over)
