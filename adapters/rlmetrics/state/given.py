"""What an update of a suite is given: the checks of it, and what they remember. They look at metadata only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import torch
from torch import Tensor

from .input_checks import check_inputs
from .row_forms import MARKS

if TYPE_CHECKING:
    from .fusion import Fusion

__all__ = ["check_given", "fast_to_compare", "kinds_of", "named_inputs", "wrong_name"]

_Update = TypeVar("_Update", bound=Callable[..., Any])


class _Named(Protocol):
    """What takes inputs by name, such as a suite."""

    def _check_names(self, args: Sequence[object], tensors: Collection[str]) -> None:
        """Say what is wrong with what an update was given."""


def named_inputs(update: _Update) -> _Update:
    """Let an update of a suite, whose signature names its inputs, say what it takes when it gets something else."""

    @wraps(update)
    def checked(self: _Named, *args: Any, **tensors: Any) -> Any:
        self._check_names(args, tensors)
        return update(self, **tensors)

    return checked  # type: ignore[return-value]


def wrong_name(fusion: Fusion, args: Sequence[object], tensors: Collection[str]) -> str:
    """Return what is wrong with the names of an update's inputs, empty if nothing is."""
    if args:
        return f"expected inputs by name, as in update({next(iter(fusion.inputs))}=…)"
    for name in tensors:
        if name not in fusion.inputs and name not in MARKS:
            return f"unknown input {name!r}; it takes {', '.join(fusion.inputs)}"
    return ""


def check_given(title: str, fusion: Fusion, given: Mapping[str, Tensor]) -> None:
    """Check dtypes and shapes, and that each input is of use.

    Raises:
        TypeError: An input is no tensor, of another dtype, or of no use without another one.
        ValueError: An input has another shape than expected.
    """
    check_inputs(fusion.inputs, given)
    for name in given:
        blocks = [block.inputs for block in fusion.blocks if name in block.inputs]
        if not any(given.keys() >= {*block} for block in blocks):
            missing = min(([other for other in block if other not in given] for block in blocks), key=len)
            msg = f"{title}: {name!r} is of no use without {' and '.join(map(repr, missing))}"
            raise TypeError(msg)


def kinds_of(given: Mapping[str, Tensor]) -> tuple[object, ...]:
    """Return what the checks look at, and all that tells one kind of update from another."""
    kinds: tuple[object, ...] = tuple([(name, *_kind_of(x)) for name, x in given.items()])
    ids = [id(x) for x in given.values()]
    if len(set(ids)) < len(ids):
        # What is given twice is reduced once, which holds only where the same inputs are one again.
        kinds += tuple(map(ids.index, ids))
    return kinds


def _kind_of(x: object) -> tuple[object, ...]:
    return (type(x), x.dtype, x.shape, x.device) if isinstance(x, Tensor) else (type(x),)


def fast_to_compare(x: Tensor) -> Tensor:
    """Return truth values of tokens on the CPU as integers: loops that the compiler makes read those twice as fast."""
    return x.to(torch.int32) if x.dtype == torch.bool and x.dim() > 1 and x.is_cpu else x
