"""How unevenly a mixture of experts is used."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["mean_absolute_violation"]


def mean_absolute_violation(expert_assignments: Tensor) -> Tensor:
    """Return the mean absolute deviation of the experts' loads from their mean, relative to the mean.

    Args:
        expert_assignments: Number of tokens routed to each expert of one layer ``[N]``, int. Counts of several batches
            are to be added up expert by expert before.

    Returns:
        A float64 scalar, NaN without experts or without any assignment.
    """
    load = expert_assignments.to(torch.float64)
    return (load / load.mean() - 1).abs().mean()
