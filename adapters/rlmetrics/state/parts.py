"""What the updates of suites call: the reductions of :mod:`rlmetrics.state.ops`, made cheap by the dozen.

Small tensors cost what a call costs, so reductions of one kind over tensors of one shape are put off and done together.
Large tensors on the CPU cost what memory and the slowest instructions cost, so masks and comparisons become bit
patterns, which take a fifth of the time that truth values take. Under ``torch.compile``, which does both better, what
is left is that reductions of tokens go row by row: those over all elements stand in a loop of their own, and each loop
reads everything again.

``keep`` stands for a mask in any of these forms; ``clean`` says that values are 0, or conditions false, outside it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Final

import torch
from torch import Tensor

from . import ops
from ._select import SMALL, all_bits, bit_pattern, bits_will_do, select

__all__ = [
    "Part",
    "Value",
    "at_max",
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


def total(x: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return the sum over the population."""
    if _put_off(x):
        return "total", x, over, clean
    x = x if clean or over is None else select(over, x, 0)
    return _added(_row_sums(x, keep=clean)) if _sums_rows(x) else ops.total(x)


def _compiles_rows(x: Tensor) -> bool:
    """Return whether the compiler is to reduce row by row."""
    return x.dim() > 1 and torch.compiler.is_compiling()


def _sums_rows(x: Tensor) -> bool:
    """Return whether sums go by rows: eager torch makes a float64 copy of all for sums in float64."""
    return _compiles_rows(x) or (x.dtype == torch.float32 and bits_will_do(x))


def _row_sums(x: Tensor, *, keep: bool) -> Tensor:
    """Return the sum of each row.

    Eager sums are pairwise in float32, and kept with values that were masked, which nobody else has. The compiler adds
    one after the other, but converts for nothing.
    """
    if torch.compiler.is_compiling():
        return x.sum(-1, dtype=ops.wide_dtype(x))
    sums: Tensor | None = x.__dict__.get("row_sums")
    if sums is None:
        sums = x.sum(-1)
        if keep:
            x.__dict__["row_sums"] = sums  # pyright: ignore[reportIndexIssue]
    return sums


def _added(rows: Tensor) -> Value:
    """Return the sum of the sums of rows, which is exact enough only in float64."""
    return ("total", rows, None, True) if _put_off(rows) else ops.total(rows)


def count(condition: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return how many elements of a condition are true within the population."""
    if _put_off(condition):
        return "count", condition, over, clean
    if over is condition:
        return _size(condition)
    if over is not None and not clean:
        condition = condition & over
    if condition.dtype == torch.int32 and condition.shape[-1] < 1 << 24:
        return _added(condition.view(torch.float32).sum(-1))
    return _number(condition != 0 if condition.dtype == torch.int32 else condition)


def _number(condition: Tensor) -> Value:
    """Return how many elements of a condition are true."""
    if not condition.dim():
        return ops.count(condition)
    # Within a row, a narrow sum is exact, and several times as fast.
    return _added(condition.sum(-1, dtype=torch.int32))


def smallest(x: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return the minimum over the population."""
    if _put_off(x):
        return "smallest", x, over, clean
    if _compiles_rows(x) and x.numel():
        return ops.smallest((x if over is None else select(over, x, inf)).amin(-1))
    return _filled(x, over, inf).amin() if clean and _has_bits(x, over) else ops.smallest(x, over)


def largest(x: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return the maximum over the population."""
    if _put_off(x):
        return "largest", x, over, clean
    if _compiles_rows(x) and x.numel():
        return ops.largest((x if over is None else select(over, x, -inf)).amax(-1))
    return _filled(x, over, -inf).amax() if clean and _has_bits(x, over) else ops.largest(x, over)


def _has_bits(x: Tensor, over: Tensor | None) -> bool:
    return over is not None and over.dtype == torch.int32 and x.dtype == torch.float32 and x.shape == over.shape


def _filled(x: Tensor, keep: Tensor | None, number: float) -> Tensor:
    """Return values, which are 0 outside the mask, with a number there, until the next call with this mask.

    The bits of the number are kept for the next of its kind, and what is written to, which stays in the cache.
    """
    assert keep is not None
    made: dict[float, Tensor] = keep.__dict__.setdefault("outside", {})  # pyright: ignore[reportAttributeAccessIssue]
    if not made:
        made[0.0], made[1.0] = keep.bitwise_not(), torch.empty_like(keep)
    if number not in made:
        made[number] = made[0.0] & bit_pattern(torch.float32, number)
    return torch.bitwise_or(x.view(torch.int32), made[number], out=made[1.0]).view(torch.float32)


def moments(x: Tensor, over: Tensor | None = None, *, clean: bool = False) -> Value:
    """Return count, mean and sum of squared deviations from the mean."""
    if _put_off(x):
        return "moments", x, over, clean
    if over is None or x.dtype != torch.float32 or not (torch.compiler.is_compiling() or bits_will_do(x)):
        return ops.moments(x, None if over is None else over.bool())
    n = _size(over)
    size = n.clamp(min=1)
    chosen = x if clean else select(over, x, 0)
    near = (_row_sums(chosen, keep=clean).sum(dtype=n.dtype) if _sums_rows(chosen) else ops.total(chosen)) / size
    near = near.float()
    # What is left without about the mean is small or exact, so float32 loses nothing.
    rest = x - near
    if _has_bits(rest, over):
        rest.view(torch.int32).bitwise_and_(over)
    else:
        rest = select(over, rest, 0)
    rest = rest.to(n.dtype)
    if torch.compiler.is_compiling():
        left, squares = rest.sum(-1).sum(), rest.square().sum(-1).sum()
    else:
        rest = rest.flatten()
        left, squares = rest.sum(), torch.dot(rest, rest)
    shift = left / size
    return torch.stack([n, near + shift, squares - left * shift])


def _size(keep: Tensor) -> Tensor:
    """Return how many elements a mask holds; kept with bits, because the mask is that of all moments of an update."""
    if keep.dtype == torch.bool:
        return ops.count(keep.sum(-1, dtype=torch.int32) if _compiles_rows(keep) else keep)
    size: Tensor | None = keep.__dict__.get("size")
    if size is None:
        rows = keep.sum(-1, dtype=torch.int32)
        size = keep.__dict__["size"] = rows.sum(dtype=ops.wide_dtype(keep)).neg_()  # pyright: ignore[reportIndexIssue]
    return size


def seq_sum(x: Tensor, keep: Tensor, *, clean: bool = False) -> Tensor:
    """Return the sum of each sequence, float64 ``[B]``."""
    x = x if clean else select(keep, x, 0)
    return _row_sums(x, keep=clean).to(ops.wide_dtype(x)) if _sums_rows(x) else ops.seq_sum(x)


def comoments(x: Tensor, y: Tensor, over: Tensor | None = None) -> Value:
    """Return count, both means, both M2 and the sum of products of deviations."""
    return ops.comoments(x, y, over)


def at_max(x: Tensor, by: Tensor, over: Tensor | None = None) -> Value:
    """Return the size of the population, the largest of a value, and another value beside it."""
    return ops.at_max(x, by, over)


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
