"""The entrance and exit of estimators: dtypes, padding, gradients."""

from __future__ import annotations

import torch
from torch import Tensor

from rlmetrics.state.ops import wide_dtype


def entrance(mask: Tensor, **tensors: Tensor) -> tuple[Tensor, ...]:
    """Return float tensors in float64, without gradient, with 0 where the mask is false.

    Raises:
        TypeError: The mask is not bool or another tensor is not float.
    """
    if mask.dtype != torch.bool:
        msg = f"mask: expected a bool tensor [B, T], got {mask.dtype}"
        raise TypeError(msg)
    return tuple(wide(name, tensor).masked_fill(~mask, 0) for name, tensor in tensors.items())


def wide(name: str, tensor: Tensor) -> Tensor:
    """Return a float tensor in float64, without gradient.

    Raises:
        TypeError: The tensor is not float.
    """
    if not tensor.is_floating_point():
        msg = f"{name}: expected a float tensor {'[B, T]' if tensor.dim() > 1 else '[B]'}, got {tensor.dtype}"
        raise TypeError(msg)
    return tensor.detach().to(wide_dtype(tensor))


def in_dtype_of(model: Tensor, result: Tensor) -> Tensor:
    """Return a result in the dtype of an input, or in float32 if that is wider."""
    return result.to(torch.promote_types(model.dtype, torch.float32))
