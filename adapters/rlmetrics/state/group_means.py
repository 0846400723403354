"""The state of hand-written metrics that are a mean over groups: the sum of the groups' values, and their number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor

from . import ops
from .layout import Slot
from .slots import pack

__all__ = ["SLOTS", "finalize", "update_of"]

SLOTS: Final = (Slot("group_value_sum", "sum"), Slot("group_count", "count"))


def update_of(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return what makes the packed state of one batch.

    Args:
        function: Takes ``group_ids``, other inputs and parameters, and returns the mean over the groups.
    """

    def update(*, group_ids: Tensor, **given: Any) -> Tensor:
        mean = function(group_ids=group_ids, **given)
        count = ops.count(ops.group_exists(ops.group_index(group_ids)))
        # Over no group the mean is NaN, which would stay.
        return pack([torch.where(count > 0, mean * count, 0), count])

    return update


def finalize(state: Tensor) -> Tensor:
    """Return the mean over the groups that a state has seen, NaN over none."""
    return state[0] / state[1]
