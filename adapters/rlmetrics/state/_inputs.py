"""Checks and conversions at the entrance: shapes, dtypes, broadcasts that the formula asks for."""

from __future__ import annotations

import torch
from torch import Tensor


def wide_dtype(x: Tensor) -> torch.dtype:
    """Return the dtype to accumulate in: float64, or float32 on devices that have no float64 (Apple's MPS)."""
    return torch.float32 if x.device.type == "mps" else torch.float64


def as_float(x: Tensor) -> Tensor:
    """Return ``x`` in float32 or better: half precision is widened, integers become float64."""
    if x.dtype in (torch.float32, torch.float64):
        return x
    return x.float() if x.is_floating_point() else x.to(wide_dtype(x))


def masked(x: Tensor, mask: Tensor) -> Tensor:
    """Return ``x`` with zero wherever the mask is false; floats in float32 or better, integers as they are.

    Garbage in padding is stopped here, at the entrance: an operation on it later could have a gradient of NaN, which
    even a masked sum would let through, because zero times NaN is NaN.

    Raises:
        ValueError: The shapes differ.
    """
    if x.shape != mask.shape:
        msg = f"expected the shape of the mask, {tuple(mask.shape)}, got {tuple(x.shape)}"
        raise ValueError(msg)
    value = as_float(x) if x.is_floating_point() else x
    return value.masked_fill(~mask, 0)


def scalar(value: float) -> Tensor:
    """Return a number as a float64 tensor ``[]`` on the CPU, which combines with tensors of any device."""
    return torch.tensor(value, dtype=torch.float64)


def same_shape(**tensors: Tensor) -> None:
    """Check that all tensors have the shape of the first.

    Raises:
        ValueError: One has another shape.
    """
    (first, model), *others = tensors.items()
    for name, tensor in others:
        if tensor.shape != model.shape:
            msg = f"{name}: expected shape {tuple(model.shape)} like {first}, got {tuple(tensor.shape)}"
            raise ValueError(msg)


def same_length(**tensors: Tensor) -> None:
    """Check that all tensors but the first are vectors with as many elements as the first has rows.

    Raises:
        ValueError: One is no vector or has another length.
    """
    (first, model), *others = tensors.items()
    for name, tensor in others:
        if tensor.shape != model.shape[:1]:
            msg = f"{name}: expected shape {tuple(model.shape[:1])}, one element per row of {first}, got {tuple(tensor.shape)}"
            raise ValueError(msg)


def per_token(x: Tensor, like: Tensor, mask: Tensor | None = None) -> Tensor:
    """Repeat sequence values ``[B]`` (or one value ``[]``) for every token of ``like`` ``[B, T]``.

    Args:
        x: The values.
        like: A token tensor whose shape is taken.
        mask: Where given, floats become zero where it is false, so that no gradient comes back from padding.
    """
    repeated = (x.unsqueeze(-1) if x.dim() else x).expand_as(like)
    if mask is None or not x.is_floating_point():
        return repeated
    return repeated.masked_fill(~mask, 0)


def per_vocab(x: Tensor, like: Tensor) -> Tensor:
    """Repeat token values ``[…]`` for every entry of the vocabulary of ``like`` ``[…, V]``."""
    return x.unsqueeze(-1).expand_as(like)
