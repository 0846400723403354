"""How the numbers of parts become one number, level by level from outside."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .function_calls import Compute
from .nested_parts import Batch, Nested, leaves

__all__ = ["Together", "fold", "fold_with_replaced"]

Folds = Sequence[tuple[str, str]]


class Together(NamedTuple):
    """How values are put together beside the operation of each level.

    Attributes:
        skips_nan: Whether values that are NaN are left out.
        gathered: The level each of whose parts becomes one number before its parts are put together. Means of levels
            that stand one inside the other are one mean without it: a trainer puts all values into one list.
        weight: Gives the weight of the batches of one call in a mean; all count alike without it.
    """

    skips_nan: bool = False
    gathered: str | None = None
    weight: Callable[[list[Batch]], float] | None = None


_PLAINLY = Together()


def fold(data: Nested, folds: Folds, compute: Compute, how: Together = _PLAINLY) -> Tensor:
    """Return the number of nested parts.

    A level that is pooled is the innermost, so that all below it is one call.

    Args:
        data: Lists in one another, one for each fold.
        folds: Level and operation, outer first.
        compute: Gives the number of the batches of one call.
        how: How values are put together.

    Returns:
        The number; NaN where nothing is left to put together.
    """
    values = _values(data, folds, compute, how)
    return values[0][0] if not folds or folds[0][1] != "mean" else _mean(values)


def _values(data: Nested, folds: Folds, compute: Compute, how: Together) -> list[tuple[Tensor, float]]:
    """Return what is averaged together at the outermost level with weights, or the one number where that is no mean."""
    if not folds or folds[0][1] in ("pool", "elements"):
        batches = leaves(data)
        if folds and folds[0][1] == "elements":
            batches = [_averaged(batches)]
        return [(compute(batches), 1.0 if how.weight is None else how.weight(batches))]
    (level, operation), rest = folds[0], folds[1:]
    parts = data if not isinstance(data, Mapping) else [data]
    if operation == "mean" and level != how.gathered:
        inner = [_values(part, rest, compute, how) for part in parts]
        values = [value for group in inner for value in group]
        return [(value, by) for value, by in values if not (how.skips_nan and bool(value.isnan().any()))]
    if operation in ("first", "last"):
        parts = [parts[0 if operation == "first" else -1]]
    numbers = [fold(part, rest, compute, how) for part in parts]
    if how.skips_nan and operation not in ("first", "last"):
        numbers = [value for value in numbers if not bool(value.isnan().any())]
    if operation == "mean":
        return [(value, 1.0) for value in numbers]
    if operation in ("first", "last"):
        return [(numbers[0], 1.0)]
    return [(_OPERATIONS[operation](torch.stack(numbers)) if numbers else _nothing(), 1.0)]


def _averaged(batches: Sequence[Batch]) -> Batch:
    """Return tensors that are averaged over batches, element by element."""
    stacked = {name: [torch.as_tensor(batch[name]) for batch in batches] for name in batches[0]}
    return {
        name: torch.stack(tensors).double().mean(0) if tensors[0].is_floating_point() else tensors[0]
        for name, tensors in stacked.items()
    }


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


def _mean(values: Sequence[tuple[Tensor, float]]) -> Tensor:
    if not values:
        return _nothing()
    if len({by for _, by in values}) == 1:
        return torch.stack([value for value, _ in values]).mean(0)
    total = sum(by for _, by in values)
    return torch.stack([value * (by / total) for value, by in values]).sum(0)


def _nothing() -> Tensor:
    return torch.tensor(math.nan, dtype=torch.float64)


_OPERATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "sum": lambda values: values.sum(0),
    "max": lambda values: values.amax(0),
    "min": lambda values: values.amin(0),
    "std": lambda values: values.std(0),
}
