"""What the updates of suites call: the reductions of :mod:`rlmetrics.state.ops`, made cheap by the dozen.

Small tensors cost what a call costs, so reductions of one kind over tensors of one shape are put off and done together.
Large tensors on the CPU cost what is read, so padding is left behind at the entrance: afterwards tokens are ``[n]``.
``torch.compile`` does both better, and gets the plain reductions.

``keep`` is the mask of tokens, or their number where only those under the mask are left; ``clean`` says that values are
0, or conditions false, outside the mask.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch import Tensor

from . import ops

__all__ = [
    "Keep",
    "Part",
    "Value",
    "at_max",
    "comoments",
    "count",
    "first_of",
    "histogram",
    "largest",
    "last",
    "masked",
    "moments",
    "number_of",
    "one",
    "rows_of",
    "selected",
    "seq_sum",
    "size",
    "smallest",
    "total",
    "truth",
    "widened",
]

_SMALL: Final = 1 << 12
"""Up to this many elements, the host takes longer to call an operation than to do it."""

_LAUNCH_BOUND: Final = 1 << 17
"""Up to this many elements, an accelerator takes longer to start an operation than to do it."""

Keep = Tensor | int
"""A mask of tokens ``[B, T]``, or how many tokens were selected."""

Part = tuple[str, Tensor, Tensor | None, bool]
"""A reduction that was put off: its kind, what is reduced, the population or None for everything, and ``clean``."""

Value = Tensor | Part | float | None
"""A slot of one update: its value, a part to be reduced with others, a number, or None for what it starts from."""


# Inputs


def first_of(*inputs: Tensor | None) -> Tensor:
    """Return the first input that is given: it says on which device an update is."""
    return next(x for x in inputs if x is not None)


def truth(mask: Tensor | None) -> Tensor | None:
    """Return an optional input as truth values."""
    return None if mask is None else mask.bool()


def masked(mask: Tensor | None, *inputs: Tensor | None) -> tuple[Any, ...]:
    """Return the mask, and inputs in float32 or better with zero wherever it is false; what is no float stays as it is.

    Missing inputs stay None. Small ones of one dtype and shape are masked together.
    """
    if mask is None:
        return (None, *[None if x is None else _as_number(x) for x in inputs])
    floats = [x for x in inputs if x is not None and x.is_floating_point()]
    if floats and _put_off(floats[0]) and len({(x.dtype, x.shape) for x in floats}) == 1:
        cleaned = iter(torch.where(mask, ops.as_float(torch.stack(floats)), 0).unbind())
    else:
        cleaned = iter([ops.masked(x, mask) for x in floats])
    return (mask, *[next(cleaned) if x is not None and x.is_floating_point() else x for x in inputs])


def selected(mask: Tensor | None, *inputs: Tensor | None) -> tuple[Any, ...]:
    """Return what :func:`masked` does, or, where that saves time, the number of tokens and inputs ``[n]`` of those.

    Which tokens they are is only known on the host, so on an accelerator this would wait for it.
    """
    if mask is None or not mask.is_cpu or mask.numel() <= _SMALL or torch.compiler.is_compiling():
        return masked(mask, *inputs)
    number = int(mask.count_nonzero())
    flat = [None if x is None else x.reshape(-1) for x in inputs]
    if number < mask.numel():
        places = mask.flatten().nonzero().squeeze(1)
        flat = [None if x is None else x.index_select(0, places) for x in flat]
    return (number, *[None if x is None else _as_number(x) for x in flat])


def widened(x: Tensor | None) -> Tensor | None:
    """Return an optional input in float32 or better."""
    return None if x is None else ops.as_float(x)


def _as_number(x: Tensor) -> Tensor:
    return ops.as_float(x) if x.is_floating_point() else x


# Reductions


def _put_off(x: Tensor) -> bool:
    return 0 < x.numel() <= (_SMALL if x.is_cpu else _LAUNCH_BOUND) and not torch.compiler.is_compiling()


def total(x: Tensor, over: Keep | None = None, *, clean: bool = False) -> Value:
    """Return the sum over the population."""
    if isinstance(over, int):
        return ops.total(x)
    if _put_off(x):
        return "total", x, over, clean
    return ops.total(x, None if clean else over)


def count(condition: Tensor, over: Keep | None = None, *, clean: bool = False) -> Value:
    """Return how many elements of a condition are true within the population."""
    if isinstance(over, int):
        return condition.sum()
    if _put_off(condition):
        return "count", condition, over, clean
    return ops.count(condition if clean or over is None else condition & over)


def size(keep: Keep) -> Value:
    """Return how many tokens the mask holds."""
    if isinstance(keep, int):
        return torch.tensor(keep, dtype=torch.float64)
    # Counted with its own mask, it is one of the conditions that are counted together.
    return count(keep, keep, clean=True)


def smallest(x: Tensor, over: Keep | None = None, *, clean: bool = False) -> Value:
    """Return the minimum over the population."""
    if isinstance(over, int):
        return ops.smallest(x)
    if _put_off(x):
        return "smallest", x, over, clean
    return ops.smallest(x, over)


def largest(x: Tensor, over: Keep | None = None, *, clean: bool = False) -> Value:
    """Return the maximum over the population."""
    if isinstance(over, int):
        return ops.largest(x)
    if _put_off(x):
        return "largest", x, over, clean
    return ops.largest(x, over)


def moments(x: Tensor, over: Keep | None = None, *, clean: bool = False) -> Value:
    """Return count, mean and sum of squared deviations from the mean."""
    if isinstance(over, int):
        return _of_selected(x)
    if _put_off(x):
        return "moments", x, over, clean
    return ops.moments(x, over)


def _of_selected(x: Tensor) -> Tensor:
    rest = x.double()
    mean = rest.sum() / max(x.numel(), 1)
    rest = rest - mean
    return torch.stack([torch.tensor(x.numel(), dtype=rest.dtype), mean, torch.dot(rest, rest)])


def seq_sum(x: Tensor, keep: Tensor, *, clean: bool = False) -> Tensor:
    """Return the sum of each sequence, float64 ``[B]``."""
    return ops.seq_sum(x, None if clean else keep)


def comoments(x: Tensor, y: Tensor, over: Keep | None = None) -> Value:
    """Return count, both means, both M2 and the sum of products of deviations."""
    return ops.comoments(x, y, _mask(over))


def at_max(x: Tensor, by: Tensor, over: Keep | None = None) -> Value:
    """Return the size of the population, the largest of a value, and another value beside it."""
    return ops.at_max(x, by, _mask(over))


def histogram(x: Tensor, over: Keep | None = None, *, low: float, high: float, bins: int) -> Value:
    """Return the counts of a population in bins of equal width, and its ends."""
    return ops.histogram(x, _mask(over), low=low, high=high, bins=bins)


def _mask(over: Keep | None) -> Tensor | None:
    return over if isinstance(over, Tensor) else None


def last(x: Tensor) -> Value:
    """Return a scalar as the value of a ``last`` slot."""
    return ops.last(x)


def number_of(x: Tensor) -> Value:
    """Return how many elements ``x`` has."""
    return ops.number_of(x) if torch.compiler.is_compiling() else float(x.numel())


def rows_of(x: Tensor) -> Value:
    """Return how many rows ``x`` has."""
    return ops.number_of(x[:, 0]) if torch.compiler.is_compiling() else float(x.shape[0])


def one() -> Value:
    """Return the number one: an update counts itself."""
    return 1.0
