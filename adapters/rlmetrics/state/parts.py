"""What the updates of suites call: the reductions of :mod:`rlmetrics.state.ops`, made cheap by the dozen.

Small tensors cost what a call costs, so reductions of one kind over tensors of one shape are put off and done together.
Large tensors on the CPU cost what memory and the slowest instructions cost, so masks and comparisons become bit
patterns, which take a fifth of the time that truth values take. Under ``torch.compile``, which does both better, they
are what ``ops`` has.

``keep`` stands for a mask in any of these forms; ``clean`` says that values are 0, or conditions false, outside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Final

import torch
from torch import Tensor

from . import ops
from ._select import SMALL, all_bits, bit_pattern, bits_will_do, select

__all__ = [
    "Part",
    "Value",
    "comoments",
    "count",
    "eq",
    "ge",
    "gt",
    "keep_of",
    "largest",
    "last",
    "le",
    "lt",
    "masked",
    "moments",
    "ne",
    "number_of",
    "one",
    "rows_of",
    "seq_sum",
    "smallest",
    "total",
    "truth",
    "widened",
]

_ONE: Final = bit_pattern(torch.float32, 1.0)

_LAUNCH_BOUND: Final = 1 << 17
"""Up to this many elements, an accelerator takes longer to start an operation than to do it."""


Part = tuple[str, Tensor, Tensor | None, bool]
"""A reduction that was put off: its kind, what is reduced, the population or None for everything, and ``clean``."""

Value = Tensor | Part | float | None
"""A slot of one update: its value, a part to be reduced with others, a number, or None for what it starts from."""


# Inputs


def truth(mask: Tensor | None) -> Tensor | None:
    """Return an optional input as truth values."""
    return None if mask is None else mask.bool()


def keep_of(mask: Tensor) -> Tensor:
    """Return a mask in the form that selects fastest."""
    return all_bits(mask) if bits_will_do(mask) else mask


def masked(keep: Tensor | None, *inputs: Tensor | None) -> tuple[Any, ...]:
    """Return inputs as :func:`rlmetrics.state.ops.masked` does, and None for those that are missing.

    Small ones of one dtype and shape are masked together.
    """
    if keep is None:
        return tuple([None if x is None else ops.as_float(x) for x in inputs])
    given = [x for x in inputs if x is not None]
    if given and _put_off(given[0]) and len({(x.dtype, x.shape) for x in given}) == 1:
        found = iter(torch.where(keep, ops.as_float(torch.stack(given)), 0).unbind())
        return tuple([None if x is None else next(found) for x in inputs])
    return tuple([None if x is None else ops.masked(x, keep) for x in inputs])


def widened(x: Tensor | None) -> Tensor | None:
    """Return an optional input in float32 or better."""
    return None if x is None else ops.as_float(x)


# Conditions


def _comparison(function: Callable[..., Tensor]) -> Callable[[Tensor, Tensor | float, Tensor], Tensor]:
    def compare(x: Tensor, y: Tensor | float, keep: Tensor) -> Tensor:
        """Compare; where ``keep`` is bits, so is the result: those of 1.0 where the comparison holds, else none."""
        if keep.dtype == torch.bool:
            return function(x, y)
        if x.dtype == torch.float32 and (not isinstance(y, Tensor) or (y.dtype, y.shape) == (x.dtype, x.shape)):
            # Only comparisons that return floats are vectorised.
            return function(x, y, out=torch.empty_like(x)).view(torch.int32)
        return function(x, y).to(torch.int32).mul_(_ONE)

    return compare


lt, le, gt, ge, eq, ne = map(_comparison, (torch.lt, torch.le, torch.gt, torch.ge, torch.eq, torch.ne))


# Reductions


def _put_off(x: Tensor) -> bool:
    return 0 < x.numel() <= (SMALL if x.is_cpu else _LAUNCH_BOUND) and not torch.compiler.is_compiling()


def _alike(x: Tensor) -> Tensor:
    """Return values of sequences in float64, so that numbers of all dtypes are reduced together."""
    return x if x.dim() != 1 else x.to(ops.wide_dtype(x))


def total(x: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return the sum over the population."""
    if _put_off(x):
        return "total", _alike(x), over, clean
    x = x if clean or over is None else select(over, x, 0)
    return _sum(x)


def _sum(x: Tensor, narrow: torch.dtype | None = None) -> Tensor:
    """Return the sum, within rows in a narrow dtype where one is named, or where float64 takes three times as long.

    Eager torch makes a float64 copy for sums in float64, while its sums in float32 are pairwise.
    """
    if narrow is None and x.dtype == torch.float32 and bits_will_do(x):
        narrow = torch.float32
    if narrow is None:
        return ops.total(x)
    if torch.compiler.is_compiling() and x.numel() < 1 << 31:
        return x.sum(dtype=narrow).to(ops.wide_dtype(x))
    return x.sum(-1, dtype=narrow).sum(dtype=ops.wide_dtype(x))


def count(condition: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return how many elements of a condition are true within the population."""
    if _put_off(condition):
        return "count", condition, over, clean
    if over is not None and not clean:
        condition = condition & over
    # Within a row, a narrow sum is exact, and several times as fast.
    if condition.dtype == torch.int32:
        return _sum(condition.view(torch.float32) if condition.shape[-1] < 1 << 24 else condition != 0)
    return _sum(condition, torch.int32) if condition.dim() else ops.count(condition)


def smallest(x: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return the minimum over the population."""
    if _put_off(x):
        return "smallest", _alike(x), over, clean
    return ops.smallest(_filled(x, over, inf)) if clean and _has_bits(x, over) else ops.smallest(x, over)


def largest(x: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return the maximum over the population."""
    if _put_off(x):
        return "largest", _alike(x), over, clean
    return ops.largest(_filled(x, over, -inf)) if clean and _has_bits(x, over) else ops.largest(x, over)


def _has_bits(x: Tensor, over: Tensor | None) -> bool:
    return over is not None and over.dtype == torch.int32 and x.dtype == torch.float32 and x.shape == over.shape


def _filled(x: Tensor, keep: Tensor | None, number: float) -> Tensor:
    """Return values, which are 0 outside the mask, with a number there; its bits are kept for the next of its kind."""
    assert keep is not None
    made: dict[float, Tensor] = keep.__dict__.setdefault("outside", {})  # pyright: ignore[reportAttributeAccessIssue]
    if number not in made:
        made[number] = keep.bitwise_not().bitwise_and_(bit_pattern(torch.float32, number))
    return (x.view(torch.int32) | made[number]).view(torch.float32)


def moments(x: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return count, mean and sum of squared deviations from the mean."""
    if _put_off(x):
        return "moments", _alike(x), over, clean
    if over is None or x.dtype != torch.float32 or not (torch.compiler.is_compiling() or bits_will_do(x)):
        return ops.moments(x, None if over is None else over.bool())
    n = _size(over)
    size = n.clamp(min=1)
    near = (_sum(x if clean else select(over, x, 0)) / size).float()
    # What is left without about the mean is small or exact, so float32 loses nothing.
    rest = select(over, x - near, 0).to(n.dtype).flatten()
    shift = rest.sum() / size
    return torch.stack([n, near + shift, torch.dot(rest, rest) - n * shift * shift])


def _size(keep: Tensor) -> Tensor:
    """Return how many elements a mask holds; kept with bits, because the mask is that of all moments of an update."""
    if keep.dtype == torch.bool:
        return _sum(keep, torch.int32)
    size: Tensor | None = keep.__dict__.get("size")
    if size is None:
        size = keep.__dict__["size"] = _sum(keep, torch.int32).neg_()  # pyright: ignore[reportIndexIssue]
    return size


def seq_sum(x: Tensor, keep: Tensor, *, clean: bool = False) -> Tensor:
    """Return the sum of each sequence, float64 ``[B]``."""
    x = x if clean else select(keep, x, 0)
    narrow = x.dtype == torch.float32 and bits_will_do(x)
    return x.sum(-1).double() if narrow else ops.seq_sum(x)


def comoments(x: Tensor, y: Tensor, over: Tensor | None = None) -> Value:
    """Return count, both means, both M2 and the sum of products of deviations."""
    return ops.comoments(x, y, over)


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


# Together


def together(parts: Sequence[Part], *, clean: bool) -> Tensor:
    """Do reductions of one kind, over one population, of tensors of one shape and dtype.

    Args:
        parts: The reductions.
        clean: Whether values are 0, or conditions false, outside the population in all of them.

    Returns:
        float64 ``[k]``, or ``[k, 3]`` for moments.
    """
    kind, x, over, _ = parts[0]
    stacked = torch.stack([part[1] for part in parts]) if len(parts) > 1 else x.unsqueeze(0)
    wide = ops.wide_dtype(stacked)
    reduced = tuple(range(1, stacked.dim()))
    if not reduced:
        stacked, reduced = stacked.unsqueeze(1), (1,)
    if kind == "moments":
        return _moments(stacked.to(wide), over, reduced, clean=clean)
    if kind in ("count", "total"):
        if over is not None and not clean:
            stacked = stacked & over if kind == "count" else torch.where(over, stacked, 0)
        return stacked.sum(reduced, dtype=wide)
    bound = inf if kind == "smallest" else -inf
    selected = stacked if over is None else torch.where(over, stacked, bound)
    found = selected.amin(reduced) if kind == "smallest" else selected.amax(reduced)
    return found.to(wide)


def _moments(stacked: Tensor, over: Tensor | None, reduced: tuple[int, ...], *, clean: bool) -> Tensor:
    if over is None:
        variance, mean = torch.var_mean(stacked, reduced, correction=0)
        n = torch.full_like(mean, stacked[0].numel())
        return torch.stack([n, mean, variance * n], -1)
    keep = over.to(stacked.dtype)
    n = keep.sum()
    rest = stacked if clean else torch.where(over, stacked, 0)
    mean = rest.sum(reduced) / n.clamp(min=1)
    rest = (rest - mean.reshape(-1, *[1] * len(reduced))).mul_(keep)
    return torch.stack([n.expand_as(mean), mean, rest.mul_(rest).sum(reduced)], -1)
