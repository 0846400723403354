"""Tensors in nested lists, outer level first, and one batch that is cut into such lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from rlmetrics.names.tables.loading import load_tables

__all__ = ["Batch", "Nested", "cut_batch", "leaves", "lengths", "nested"]

Batch = Mapping[str, Any]
"""Tensors by the names of ``spec/inputs.yaml``."""

Nested = Batch | Sequence["Nested"]
"""A batch, or a list of parts."""

_WITH_ROWS = ("token", "sequence", "vocab")
"""Domains of inputs whose first axis is that of the responses."""


def nested(data: Nested, levels: Sequence[str]) -> Nested:
    """Return data with exactly one list for each level; a batch alone is the only part at every level.

    Raises:
        TypeError: It holds something else than lists and mappings.
        ValueError: A list is empty, or there are more or fewer lists in one another than levels.
    """
    depth = _depth(data)
    if depth != len(levels) and _is_single(data):
        for _ in range(depth):
            data = data[0]  # type: ignore[index]
        for _ in levels:
            data = [data]
        return data
    if depth != len(levels):
        names = ", ".join(levels) or "no level: hand over one mapping"
        msg = f"the lists must be {len(levels)} deep, one for each of {names}; these are {depth} deep"
        raise ValueError(msg)
    return data


def _depth(data: Nested) -> int:
    if isinstance(data, Mapping):
        return 0
    if not isinstance(data, Sequence) or isinstance(data, str):
        msg = f"tensors come as mappings by name, in lists of lists; {type(data).__name__} is neither"
        raise TypeError(msg)
    depths = {_depth(part) for part in data}
    if len(depths) != 1:
        msg = "a list is empty" if not depths else "lists that stand side by side must be equally deep"
        raise ValueError(msg)
    return depths.pop() + 1


def _is_single(data: Nested) -> bool:
    return isinstance(data, Mapping) or (len(data) == 1 and _is_single(data[0]))


def leaves(data: Nested) -> list[Batch]:
    """Return the batches of nested lists in order."""
    return [data] if isinstance(data, Mapping) else [batch for part in data for batch in leaves(part)]


def lengths(data: Nested, levels: Sequence[str]) -> dict[str, int]:
    """Return how many parts there are at each level, where that is the same everywhere."""
    counts: dict[str, int] = {}
    here: list[Nested] = [data]
    for level in levels:
        inside = [part for part in here if not isinstance(part, Mapping)]
        sizes = {len(part) for part in inside}
        if len(sizes) == 1:
            counts[level] = sizes.pop()
        here = [piece for part in inside for piece in part]
    return counts


def cut_batch(batch: Batch, cut: Mapping[str, int], levels: Sequence[str]) -> Nested:
    """Return one batch cut into equal parts, level by level from outside.

    Every level has as many parts inside each part of the level around it. Each epoch goes over the same responses. A
    level that is cut although the number is taken over all its parts at once changes nothing.

    Args:
        batch: Tensors by name.
        cut: The number of parts by level, in the singular or the plural: ``{"ranks": 2, "micro_batches": 4}``.
        levels: The levels of the number, outer first.

    Raises:
        TypeError: The batch is no mapping.
        ValueError: There is no such level, or the responses cannot be cut into so many equal parts.
    """
    if not isinstance(batch, Mapping):
        msg = f"only one mapping of tensors can be cut, not a {type(batch).__name__}"
        raise TypeError(msg)
    counts: dict[str, int] = {}
    known = load_tables(None).levels
    for name, count in cut.items():
        level = next((level for level in known if name in (level, f"{level}s", f"{level}es")), None)
        if level is None:
            msg = f"there is no level {name!r} to cut; there are {', '.join(known)}"
            raise ValueError(msg)
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            msg = f"{name} must be a whole number of parts, not {count!r}"
            raise ValueError(msg)
        counts[level] = count
    return _cut(batch, [(level, counts.get(level, 1)) for level in levels])


def _cut(batch: Batch, levels: Sequence[tuple[str, int]]) -> Nested:
    if not levels:
        return batch
    (level, count), rest = levels[0], levels[1:]
    parts = [batch] * count if level == "epoch" else _chunks(batch, count, level)
    return [_cut(part, rest) for part in parts]


def _chunks(batch: Batch, count: int, level: str) -> list[Batch]:
    if count == 1:
        return [batch]
    inputs = load_tables(None).inputs
    rows = [name for name in batch if name in inputs and inputs[name]["domain"] in _WITH_ROWS]
    tensors = {name: torch.as_tensor(batch[name]) for name in rows}
    axes = {name: len(tensor) for name, tensor in tensors.items()}
    if len(set(axes.values())) != 1:
        msg = f"a batch is cut by its responses, of which these tensors hold different numbers: {axes}"
        raise ValueError(msg)
    size = next(iter(axes.values()))
    if size % count:
        msg = f"{size} responses cannot be cut into {count} equal parts at the level {level}; hand over nested lists"
        raise ValueError(msg)
    pieces = {name: tensor.tensor_split(count) for name, tensor in tensors.items()}
    return [{**batch, **{name: piece[index] for name, piece in pieces.items()}} for index in range(count)]
