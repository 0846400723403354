"""How the numbers of parts become one number, level by level from outside."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import torch
from torch import Tensor

from .function_calls import Compute
from .nested_parts import Batch, Nested, leaves

__all__ = ["fold", "fold_with_replaced"]

Folds = Sequence[tuple[str, str]]


def fold(data: Nested, folds: Folds, compute: Compute, *, skips_nan: bool) -> Tensor:
    """Return the number of nested parts.

    Means of levels that stand one inside the other are one mean: a trainer puts all values into one list. A level that
    is pooled is the innermost, so that all below it is one call.

    Args:
        data: Lists in one another, one for each fold.
        folds: Level and operation, outer first.
        compute: Gives the number of the batches of one call.
        skips_nan: Whether values that are NaN are left out wherever values are put together.

    Returns:
        The number; NaN where nothing is left to put together.
    """
    values = _values(data, folds, compute, skips_nan)
    return values[0] if not folds or folds[0][1] != "mean" else _mean(values)


def _values(data: Nested, folds: Folds, compute: Compute, skips_nan: bool) -> list[Tensor]:
    """Return what is averaged together at the outermost level, or the one number where that is no mean."""
    if not folds or folds[0][1] == "pool":
        return [compute(leaves(data))]
    operation, rest = folds[0][1], folds[1:]
    parts = data if not isinstance(data, Mapping) else [data]
    if operation == "mean":
        inner = [_values(part, rest, compute, skips_nan) for part in parts]
        values = [value for group in inner for value in group]
        return [value for value in values if not bool(value.isnan().any())] if skips_nan else values
    if operation in ("first", "last"):
        chosen = parts[0 if operation == "first" else -1]
        return [fold(chosen, rest, compute, skips_nan=skips_nan)]
    values = [fold(part, rest, compute, skips_nan=skips_nan) for part in parts]
    if skips_nan:
        values = [value for value in values if not bool(value.isnan().any())]
    return [_OPERATIONS[operation](torch.stack(values)) if values else torch.tensor(math.nan, dtype=torch.float64)]


def fold_with_replaced(data: Nested, folds: Folds, compute: Compute) -> Tensor:
    """Return the mean over a logging window as transformers takes it, which replaces what is NaN or infinite.

    Each process adds up its micro-batches, each by its share of an optimizer step. In place of one that is not finite
    it adds what there is so far by the steps since the last log, the present one included. Then processes are averaged.
    """
    operations = dict(folds)
    within = 1 if operations.get("micro_batch") == "sum" else None
    sums: dict[int, Tensor] = {}
    steps: dict[int, int] = {}
    before: dict[int, tuple[int, ...]] = {}
    for place, batches, beside in _placed(data, folds):
        rank = place.get("rank", 0)
        step = tuple(index for level, index in place.items() if level not in ("rank", "micro_batch"))
        if before.get(rank) != step:
            before[rank] = step
            steps[rank] = steps.get(rank, 0) + 1
        value = compute(batches) / (within or beside)
        known = sums.get(rank, torch.zeros_like(value))
        sums[rank] = known + (value if bool(value.isfinite()) else known / steps[rank])
    return torch.stack([total / steps[rank] for rank, total in sums.items()]).mean(0)


def _placed(data: Nested, folds: Folds) -> Iterator[tuple[dict[str, int], list[Batch], int]]:
    """Yield each call's batches with its place by level, and how many micro-batches its step has."""
    if not folds or folds[0][1] == "pool":
        yield {}, leaves(data), 1
        return
    (level, operation), rest = folds[0], folds[1:]
    parts = data if not isinstance(data, Mapping) else [data]
    for index, part in enumerate(parts[:1] if operation == "first" else parts):
        for place, batches, beside in _placed(part, rest):
            yield {level: index, **place}, batches, len(parts) if level == "micro_batch" else beside


def _mean(values: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(values)).mean(0) if values else torch.tensor(math.nan, dtype=torch.float64)


_OPERATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "sum": lambda values: values.sum(0),
    "max": lambda values: values.amax(0),
    "min": lambda values: values.amin(0),
    "std": lambda values: values.std(0),
}
