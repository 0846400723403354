"""The state of hand-written metrics, which are means over groups or over batches: a sum of values, and their number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch
from torch import Tensor

from . import ops
from .slot_layout import Slot
from .slots import pack

__all__ = ["SLOTS", "finalize", "held", "over_batches", "over_groups"]

SLOTS: Final = (Slot("value_sum", "sum"), Slot("value_count", "count"))


def over_groups(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return what makes the packed state of one batch, whose groups count alike.

    Args:
        function: Takes ``group_ids``, other inputs and parameters, and returns the mean over the groups.
    """

    def update(*, group_ids: Tensor, **given: Any) -> Tensor:
        mean = function(group_ids=group_ids, **given)
        count = ops.count(ops.group_exists(ops.group_index(group_ids)))
        # Over no group the mean is NaN, which would stay.
        return pack([torch.where(count > 0, mean * count, 0), count])

    return update


def over_batches(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Return what makes the packed state of one batch, which counts as one, however much is in it.

    Args:
        function: Takes inputs and parameters, and returns the value of the batch; NaN for one without anything in it.
    """

    def update(**given: Any) -> Tensor:
        value = function(**given)
        counts = held(value, *(x for x in given.values() if isinstance(x, Tensor)))
        return pack([torch.where(counts, value, 0), counts.to(value.dtype)])

    return update


def held(value: Tensor, *inputs: Tensor) -> Tensor:
    """Return whether a batch counts: NaN that comes from no input says that there was nothing in it."""
    finite = [x.isfinite().all() for x in inputs if x.is_floating_point()]
    return ~torch.stack([value.isnan(), *finite]).all()


def finalize(state: Tensor) -> Tensor:
    """Return the mean over the groups or batches that a state has seen, NaN over none."""
    return state[0] / state[1]
