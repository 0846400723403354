"""How rows come to a suite: padded, packed, nested, or split over the ranks of a process group."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch import Tensor

from .packed import unpack
from .ranks import all_gathered

if TYPE_CHECKING:
    from .checks import Vocabulary
    from .fusion import Fusion
    from .registry import MetricFunction

__all__ = ["MARKS", "are_plain", "as_rows", "gathered_rows", "rows_of", "unpacked_rows"]

MARKS = ("cu_seqlens", "position_ids")
"""What tells packed responses apart."""


def are_plain(tensors: Mapping[str, Tensor]) -> bool:
    """Return whether tensors of tokens are rows already, as far as can be told."""
    return not any(name in MARKS or getattr(x, "is_nested", False) for name, x in tensors.items())


def as_rows(
    title: str, fusion: Fusion, tensors: Mapping[str, Tensor], split: dist.ProcessGroup | None
) -> dict[str, Tensor]:
    """Return inputs with tokens as padded rows ``[B, T]`` of whole responses.

    Args:
        title: Who asks.
        fusion: The metrics.
        tensors: The inputs, and what tells packed responses apart.
        split: The process group over whose ranks each row is split, None for whole rows.

    Returns:
        What this rank adds; nothing where another rank of the group adds it.
    """
    given = dict(tensors)
    if split is not None:
        plain = are_plain(given)
        first = dist.get_rank(split) == 0
        if plain and not _needs_whole_rows(fusion, given):
            return {name: x for name, x in given.items() if first or "T" in _kinds(fusion.inputs, name)}
        given = gathered_rows(title, fusion.inputs, given, split)
        if not first:
            return {}
    return unpacked_rows(title, fusion, given)


def unpacked_rows(title: str, fusion: Fusion, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return inputs with packed or nested tokens as padded rows.

    Raises:
        ValueError: A metric also looks at padding, which packed rows do not have.
    """
    if are_plain(tensors):
        return dict(tensors)
    for block in fusion.blocks:
        if block.over_padding and tensors.keys() >= {*block.inputs}:
            msg = f"{title}: {block.over_padding} looks at padding too, which packed rows have not; give padded rows"
            raise ValueError(msg)
    return unpack_inputs(fusion.inputs, tensors)


def rows_of(metric: MetricFunction, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the inputs of one metric with packed or nested tokens as padded rows.

    Raises:
        ValueError: The metric also looks at padding, which packed rows do not have.
    """
    if are_plain(tensors):
        return dict(tensors)
    if metric.over_padding:
        msg = f"{metric.id} looks at padding too, which packed rows have not; give padded rows"
        raise ValueError(msg)
    return unpack_inputs({name: (axes, dtype) for name, axes, dtype in metric.inputs}, tensors)


def unpack_inputs(vocabulary: Vocabulary, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return inputs with those of tokens unpacked, the others as they are."""
    packed = {name for name in tensors if name in MARKS or "T" in _kinds(vocabulary, name)}
    rows = unpack(**{name: x for name, x in tensors.items() if name in packed})
    return {**{name: x for name, x in tensors.items() if name not in packed}, **rows}


def gathered_rows(
    title: str, vocabulary: Vocabulary, tensors: Mapping[str, Tensor], group: dist.ProcessGroup
) -> dict[str, Tensor]:
    """Return inputs with the parts of each row that the ranks of a group hold side by side, in the order of the ranks.

    One collective tells how long the parts are, one more for each dtype brings them together.

    Raises:
        ValueError: The ranks give other inputs, or other numbers of rows.
    """
    names = [name for name in sorted(tensors) if "T" in _kinds(vocabulary, name)]
    if not names:
        return dict(tensors)
    found = dict(tensors)
    ranks = dist.get_world_size(group)
    places = {name: _place(vocabulary, name, tensors[name]) for name in names}
    first = tensors[names[0]]
    shape = [number for name in names for number in _shape(tensors[name], places[name])]
    mark = sum(ord(letter) * 31**place for place, letter in enumerate(" ".join(names))) % (1 << 61)
    mine = torch.tensor([mark, len(shape), *shape, *[0] * (96 - len(shape))], dtype=torch.int64).to(first.device)
    shapes: list[list[int]] = all_gathered(mine, ranks, group).tolist()
    if any(one[:2] != shapes[0][:2] for one in shapes):
        msg = f"{title}: expected the same inputs on all ranks that rows are split over, got {', '.join(names)} here"
        raise ValueError(msg)
    for number, name in enumerate(names):
        before, lengths = {one[2 + 3 * number] for one in shapes}, [one[3 + 3 * number] for one in shapes]
        after = {one[4 + 3 * number] for one in shapes}
        if len(before) > 1 or len(after) > 1:
            msg = (
                f"{name}: expected as many rows on all ranks that they are split over, got {list(tensors[name].shape)}"
            )
            raise ValueError(msg)
        found[name] = _joined(tensors[name], places[name], lengths, group)
    return found


def _joined(part: Tensor, place: int, lengths: list[int], group: dist.ProcessGroup) -> Tensor:
    missing = max(lengths) - part.shape[place]
    even = part.detach().movedim(place, 0)
    if missing:
        even = torch.cat([even, even.new_zeros(missing, *even.shape[1:])])
    # Not every backend sends truth values.
    every = all_gathered(even.to(torch.uint8) if part.dtype == torch.bool else even, len(lengths), group)
    whole = torch.cat([one[:length] for one, length in zip(every, lengths, strict=True)])
    return whole.to(part.dtype).movedim(0, place)


def _needs_whole_rows(fusion: Fusion, given: Mapping[str, Tensor]) -> bool:
    for block in fusion.blocks:
        kinds = [_kinds(fusion.inputs, name) for name in block.inputs]
        over_tokens = [bool("T" in axes) for axes in kinds]
        if given.keys() >= {*block.inputs} and any(over_tokens) and not (block.atom == "token" and all(over_tokens)):
            return True
    return False


def _place(vocabulary: Vocabulary, name: str, tensor: Tensor) -> int:
    """Return which axis the tokens are: packed rows may lack the one before it."""
    return 0 if tensor.dim() < len(vocabulary[name][0]) else 1


def _shape(tensor: Tensor, place: int) -> tuple[int, int, int]:
    rows = tensor.shape[0] if place else 1
    return rows, tensor.shape[place], int(torch.Size(tensor.shape[place + 1 :]).numel())


def _kinds(vocabulary: Vocabulary, name: str) -> Collection[str]:
    """Return the axes of an input without their numbers."""
    return [axis.rstrip("0123456789") for axis in vocabulary[name][0]] if name in vocabulary else ()
