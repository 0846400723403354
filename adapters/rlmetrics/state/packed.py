"""Packed rows to padded ones: what stands one response after the other becomes ``[B, T]``, where every metric is right.

Responses must be told apart wherever a metric sums or picks within one, and only ``cu_seqlens``, ``position_ids`` or a
nested tensor can tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import torch
from torch import Tensor

__all__ = ["unpack"]


def unpack(
    *, cu_seqlens: Tensor | None = None, position_ids: Tensor | None = None, **tensors: Tensor
) -> dict[str, Tensor]:
    """Return packed tensors of tokens as padded ones, with zero, or false, in padding.

    Where the responses begin is read on the host; ``cu_seqlens`` on the CPU spares waiting for the device.

    Args:
        cu_seqlens: Where each response begins, and where the last one ends: int ``[B + 1]``, from 0 to N.
        position_ids: In place of ``cu_seqlens`` the place of each token in its response, int of the shape of the
            tensors without a vocabulary: a response begins where it is 0.
        tensors: Tensors of tokens by name: flat ``[N]`` or ``[N, V]``, as one row ``[1, N]`` or ``[1, N, V]``, with
            ``position_ids`` as several rows ``[R, L]`` that each hold whole responses, or nested ``[B, j]``, which
            need neither.

    Returns:
        The tensors as ``[B, T]`` or ``[B, T, V]``, with T the length of the longest response.

    Raises:
        TypeError: Both or none of ``cu_seqlens`` and ``position_ids`` are given, or they are no int tensors; only some
            tensors are nested, or one is no tensor.
        ValueError: Tensors disagree about the number of tokens, or those two do not describe them.

    Example:
        >>> padded = unpack(cu_seqlens=cu_seqlens, logprobs=logprobs, mask=mask)
    """
    for name, tensor in {**tensors, "cu_seqlens": cu_seqlens, "position_ids": position_ids}.items():
        if not isinstance(tensor, Tensor) and not (tensor is None and name in ("cu_seqlens", "position_ids")):
            msg = f"{name}: expected a tensor, got {type(tensor).__name__}"
            raise TypeError(msg)
    if any(tensor.is_nested for tensor in tensors.values()):
        if cu_seqlens is not None or position_ids is not None:
            msg = "cu_seqlens: expected none beside nested tensors, which know where responses begin"
            raise TypeError(msg)
        flat, lengths = _of_nested(tensors)
        return _padded(flat, lengths)
    if (cu_seqlens is None) == (position_ids is None):
        msg = f"cu_seqlens: expected either this or position_ids, got {'none' if cu_seqlens is None else 'both'}"
        raise TypeError(msg)
    if cu_seqlens is not None:
        _check_ints("cu_seqlens", cu_seqlens)
        bounds = _of_bounds(cu_seqlens)
        rows, where = (1, bounds[-1]), f"cu_seqlens, which ends at {bounds[-1]}"
    else:
        assert position_ids is not None
        _check_ints("position_ids", position_ids)
        bounds = _of_positions(position_ids)
        rows = (1, position_ids.numel()) if position_ids.dim() == 1 else (position_ids.shape[0], position_ids.shape[1])
        where = f"position_ids {list(position_ids.shape)}"
    flat = {name: _flat(name, tensor, rows, where) for name, tensor in tensors.items()}
    return _padded(flat, [after - before for before, after in pairwise(bounds)])


def _check_ints(name: str, tensor: Tensor) -> None:
    if tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool:
        msg = f"{name}: expected an int tensor, got {str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"
        raise TypeError(msg)


def _of_bounds(cu_seqlens: Tensor) -> list[int]:
    if cu_seqlens.dim() != 1 or cu_seqlens.numel() < 1:
        msg = f"cu_seqlens: expected an int tensor [B + 1], got shape {list(cu_seqlens.shape)}"
        raise ValueError(msg)
    bounds: list[int] = cu_seqlens.tolist()
    if bounds[0] != 0 or any(after < before for before, after in pairwise(bounds)):
        msg = f"cu_seqlens: expected numbers that rise from 0, got {bounds[:8]}"
        raise ValueError(msg)
    return bounds


def _of_positions(position_ids: Tensor) -> list[int]:
    if position_ids.dim() not in (1, 2):
        msg = f"position_ids: expected an int tensor [N] or [R, L], got shape {list(position_ids.shape)}"
        raise ValueError(msg)
    places = position_ids.reshape(1, -1) if position_ids.dim() == 1 else position_ids
    begins = torch.ones_like(places, dtype=torch.bool)
    begins[:, 1:] = places[:, 1:] != places[:, :-1] + 1
    begin = begins.flatten().nonzero().squeeze(1)
    starts, first = torch.stack([begin, places.flatten()[begin].to(begin.dtype)]).tolist()
    wrong = next((place for place, value in zip(starts, first, strict=True) if value != 0), None)
    if wrong is not None:
        msg = f"position_ids: expected each response to begin at 0 and go up by 1, got a leap at token {wrong}"
        raise ValueError(msg)
    if any(after == before + 1 for before, after in pairwise(starts)):
        # Padding repeats a position; as responses of one token it would count in means over responses.
        msg = "position_ids: expected no position 0 twice in a row, as in padding; cut it off, or give cu_seqlens"
        raise ValueError(msg)
    return [*starts, places.numel()]


def _flat(name: str, tensor: Tensor, rows: tuple[int, int], where: str) -> Tensor:
    number = rows[0] * rows[1]
    if tensor.shape[:2] == rows and tensor.dim() in (2, 3):
        return tensor.reshape(number, *tensor.shape[2:])
    if rows[0] == 1 and tensor.shape[:1] == (number,) and tensor.dim() in (1, 2):
        return tensor
    msg = f"{name}: expected a packed tensor of {number} tokens as in {where}, got shape {list(tensor.shape)}"
    raise ValueError(msg)


def _of_nested(tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], list[int]]:
    flat: dict[str, Tensor] = {}
    lengths: list[int] = []
    first = ""
    for name, tensor in tensors.items():
        if not tensor.is_nested:
            msg = f"{name}: expected a nested tensor as {first or next(iter(tensors))}, got shape {list(tensor.shape)}"
            raise TypeError(msg)
        rows = tensor.unbind()
        mine = [row.shape[0] for row in rows]
        if not first:
            first, lengths = name, mine
        if mine != lengths:
            msg = f"{name}: expected rows as long as those of {first}, {lengths[:8]}, got {mine[:8]}"
            raise ValueError(msg)
        flat[name] = torch.cat(rows)
    return flat, lengths


def _padded(flat: Mapping[str, Tensor], lengths: list[int]) -> dict[str, Tensor]:
    size = torch.tensor(lengths, dtype=torch.int64)
    steps = torch.arange(max(lengths, default=0))
    inside = steps < size.unsqueeze(1)
    places = torch.where(inside, (size.cumsum(0) - size).unsqueeze(1) + steps, 0).flatten()
    there: dict[torch.device, tuple[Tensor, Tensor]] = {}
    padded = {}
    for name, tensor in flat.items():
        if tensor.device not in there:
            there[tensor.device] = places.to(tensor.device), ~inside.to(tensor.device)
        index, outside = there[tensor.device]
        shape = (*inside.shape, *tensor.shape[1:])
        if not tensor.shape[0]:
            padded[name] = tensor.new_zeros(shape)
            continue
        rows = tensor.index_select(0, index).view(shape)
        padded[name] = rows.masked_fill(outside.view(*inside.shape, *[1] * (tensor.dim() - 1)), 0)
    return padded
