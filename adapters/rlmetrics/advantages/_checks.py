"""The entrance and exit of estimators: dtypes, padding, gradients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import torch
from torch import Tensor

from rlmetrics.state.ops import wide_dtype

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def renamed(**words: str) -> Callable[[Callable[_Given, _Result]], Callable[_Given, _Result]]:
    """Let a function take inputs by names that they had once, with a warning.

    Args:
        words: The present name of each former one.
    """

    def decorate(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
        @wraps(function)
        def call(*args: _Given.args, **given: _Given.kwargs) -> _Result:
            for former, present in words.items():
                if former in given:
                    msg = f"{function.__name__}: {former} is deprecated, it is called {present}"
                    warnings.warn(msg, DeprecationWarning, stacklevel=2)
                    given[present] = given.pop(former)
            return function(*args, **given)

        return call

    return decorate


def truth(mask: Tensor) -> Tensor:
    """Return a mask as truth values; of integers, anything but 0 is true.

    Raises:
        TypeError: The mask is neither bool nor int.
    """
    if mask.is_floating_point() or mask.is_complex():
        msg = f"mask: expected a bool tensor [B, T], got {mask.dtype}; pass mask.bool() if that is what it means"
        raise TypeError(msg)
    return mask.bool()


def entrance(mask: Tensor, **tensors: Tensor) -> tuple[Tensor, ...]:
    """Return float tensors in float64, without gradient, with 0 where the mask is false.

    Raises:
        TypeError: A tensor is not float.
    """
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
