"""The share of ranks that hold up the others."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["slow_rank_share"]


def slow_rank_share(rank_values: Tensor) -> Tensor:
    """Return the share of ranks whose time lies above the interpolated 90th percentile of all ranks.

    Args:
        rank_values: Time of each rank ``[N]``, float, in seconds.

    Returns:
        A float64 scalar, NaN without ranks or where a time is NaN.
    """
    times = rank_values.detach().to(torch.float64)
    if not times.numel():
        return torch.full((), torch.nan, dtype=torch.float64, device=times.device)
    limit = torch.quantile(times, 0.9)
    return torch.where(limit.isnan(), limit, (times > limit).to(torch.float64).mean())
