"""Checks of a metric's inputs: names, dtypes, shapes. They look at metadata only and never wait for the device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor

Dtype = Literal["float", "int", "bool"]

Vocabulary = Mapping[str, tuple[tuple[str, ...], Dtype]]
"""For each input its axes, such as ``("B", "T")``, and its kind of dtype."""

_HINTS = {"float": ".float()", "int": ".long()", "bool": ".bool()"}


def check_inputs(vocabulary: Vocabulary, tensors: Mapping[str, Tensor]) -> None:
    """Check that tensors are what their names promise and that equal axes have equal sizes.

    Where truth values are expected, integers will do: anything but 0 is true.

    Args:
        vocabulary: Axes and dtype of each input.
        tensors: The tensors by input name.

    Raises:
        TypeError: If a value is no tensor, or a tensor of another dtype.
        ValueError: If a tensor has another number of axes, or two inputs disagree about the size of an axis or lie on
            different devices.
    """
    first_with: dict[str, str] = {}
    home: Tensor | None = None
    first = ""
    for name, tensor in tensors.items():
        axes, dtype = vocabulary[name]
        if not isinstance(tensor, Tensor):
            msg = f"{name}: expected a {dtype} tensor {dims(axes)}, got {type(tensor).__name__}"
            raise TypeError(msg)
        if type(tensor).__name__ == "DTensor":
            msg = f"{name}: expected a plain tensor {dims(axes)}, got a DTensor; pass {name}.full_tensor()"
            raise TypeError(msg)
        if tensor.is_nested:
            msg = f"{name}: expected a padded tensor {dims(axes)}, got a nested one; see rlmetrics.state.unpack"
            raise TypeError(msg)
        if not _has_dtype(tensor, dtype):
            msg = (
                f"{name}: expected a {dtype} tensor {dims(axes)}, got {_describe(tensor)}; "
                f"pass {name}{_HINTS[dtype]} if that is what the values mean"
            )
            raise TypeError(msg)
        if tensor.dim() != len(axes):
            flat = "T" in dims(axes) and tensor.dim() == len(axes) - 1
            fix = "; packed tokens need cu_seqlens or position_ids, see rlmetrics.state.unpack" if flat else ""
            msg = f"{name}: expected a tensor {dims(axes)}, got {_describe(tensor)}{fix}"
            raise ValueError(msg)
        if axes:
            # A single number may come from the host; torch takes it along.
            if home is None:
                home, first = tensor, name
            elif tensor.device != home.device:
                msg = (
                    f"{name}: expected a tensor {dims(axes)} on {home.device} as {first}, got {_describe(tensor)} "
                    f"on {tensor.device}"
                )
                raise ValueError(msg)
        for position, axis in enumerate(axes):
            other = first_with.setdefault(axis, name)
            if other != name:
                reference = tensors[other]
                size = reference.shape[vocabulary[other][0].index(axis)]
                if tensor.shape[position] != size:
                    msg = (
                        f"{name}: expected a tensor {dims(axes)} with {_kind(axis)} = {size} as in {other} "
                        f"{list(reference.shape)}, got {_describe(tensor)}"
                    )
                    raise ValueError(msg)


def _has_dtype(tensor: Tensor, dtype: Dtype) -> bool:
    if dtype == "float":
        return tensor.is_floating_point()
    if tensor.is_floating_point() or tensor.is_complex():
        return False
    # Masks are often kept as integers; a mask of floats may be weights, which is something else.
    return dtype == "bool" or tensor.dtype != torch.bool


def dims(axes: tuple[str, ...]) -> str:
    """Return axes as messages show them: ``[B, T]``."""
    return f"[{', '.join(map(_kind, axes))}]"


def _kind(axis: str) -> str:
    """Return an axis without the number that tells it from others of its kind: a suite may have several."""
    return axis.rstrip("0123456789")


def _describe(tensor: Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"
