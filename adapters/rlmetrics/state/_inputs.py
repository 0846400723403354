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
    """
    return torch.where(mask, as_float(x) if x.is_floating_point() else x, 0)


def scalar(value: float) -> Tensor:
    """Return a number as a float64 tensor ``[]`` on the CPU, which combines with tensors of any device."""
    return torch.tensor(value, dtype=torch.float64)


def choose(condition: Tensor, then: float, otherwise: float) -> Tensor:
    """Return one number where the condition holds and another elsewhere, in float64."""
    dtype = wide_dtype(condition)
    return torch.where(
        condition, condition.new_full((), then, dtype=dtype), condition.new_full((), otherwise, dtype=dtype)
    )


def on_one_device(**tensors: Tensor) -> None:
    """Check that all are tensors and lie where the first one does.

    Raises:
        TypeError: One is no tensor.
        ValueError: One lies on another device.
    """
    (first, model), *_ = tensors.items()
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            msg = f"{name}: expected a tensor, got {type(tensor).__name__}"
            raise TypeError(msg)
    for name, tensor in tensors.items():
        if tensor.device != model.device:
            msg = f"{name}: expected a tensor on {model.device} as {first}, got one on {tensor.device}"
            raise ValueError(msg)


def same_shape(rank: int, /, **tensors: Tensor) -> None:
    """Check that all tensors have this many dimensions and the shape of the first, and lie on its device.

    Raises:
        TypeError: One is no tensor.
        ValueError: One has another shape or lies on another device.
    """
    on_one_device(**tensors)
    (first, model), *others = tensors.items()
    if model.dim() != rank:
        msg = f"{first}: expected {rank} dimensions, got shape {tuple(model.shape)}"
        raise ValueError(msg)
    for name, tensor in others:
        if tensor.shape != model.shape:
            msg = f"{name}: expected shape {tuple(model.shape)} like {first}, got {tuple(tensor.shape)}"
            raise ValueError(msg)


def same_rows(**tensors: Tensor) -> None:
    """Check that the dimensions of all tensors are the leading dimensions of the first, and that all lie on its device.

    Raises:
        TypeError: One is no tensor.
        ValueError: One has others or lies on another device.
    """
    on_one_device(**tensors)
    (first, model), *others = tensors.items()
    for name, tensor in others:
        expected = model.shape[: tensor.dim()]
        if tensor.shape != expected:
            msg = f"{name}: expected shape {tuple(expected)}, the rows of {first}, got {tuple(tensor.shape)}"
            raise ValueError(msg)


def per_token(x: Tensor, like: Tensor) -> Tensor:
    """Repeat sequence values ``[B]`` (or one value ``[]``) for every token of ``like`` ``[B, T]``."""
    return (x.unsqueeze(-1) if x.dim() else x).expand_as(like)


def per_vocab(x: Tensor, like: Tensor) -> Tensor:
    """Repeat token values ``[…]`` for every entry of the vocabulary of ``like`` ``[…, V]``."""
    return x.unsqueeze(-1).expand_as(like)
