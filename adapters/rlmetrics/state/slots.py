"""The algebra of states in torch: identity, merge, packing. A state is one flat float64 tensor of ``[W]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import torch
from torch import Tensor

from .layout import Layout, Slot, SlotKind, identity, offsets, width

__all__ = [
    "MERGE",
    "beside",
    "initial",
    "merge",
    "merge_at_max",
    "merge_bins",
    "merge_comoments",
    "merge_moments",
    "pack",
    "unpack",
]


def initial(slots: Sequence[Slot], device: torch.device | str | None = None) -> Tensor:
    """Return the state ``[W]`` that has seen nothing."""
    return torch.tensor(
        [value for slot in slots for value in identity(slot)], dtype=_state_dtype(device), device=device
    )


def beside(there: Tensor, state: Tensor) -> Tensor:
    """Return a state on the device of another one, without waiting for it unless that device is the host."""
    return state.to(there.device, non_blocking=there.device.type != "cpu")


def pack(values: Sequence[Tensor]) -> Tensor:
    """Lay the slot values of one update (``[]`` or ``[width]`` each) out as one state ``[W]``."""
    return torch.cat([value.reshape(-1) for value in values])


def unpack(slots: Sequence[Slot], state: Tensor) -> tuple[Tensor, ...]:
    """Split a state ``[W]`` into slot values: ``[]`` for slots of width one, ``[width]`` for the others."""
    # What has no fixed width takes the rest.
    widths = [width(slot) or state.shape[0] - offsets(slots)[-1] for slot in slots]
    parts = torch.split(state, widths)
    return tuple(part[0] if width(slot) == 1 else part for slot, part in zip(slots, parts, strict=True))


def merge(slots: Sequence[Slot], left: Tensor, right: Tensor) -> Tensor:
    """Merge two states ``[W]``; ``left`` came first, which only ``last``, ``at_max`` and ``values`` can tell."""
    if slots[-1].kind == "values":
        fixed = offsets(slots)[-1]
        states = [left[:fixed], right[:fixed]]
        return torch.cat([merge(slots[:-1], *states) if fixed else states[0], left[fixed:], right[fixed:]])
    if torch.compiler.is_compiling():
        return _merge_each(slots, left, right)
    merged = left + right
    for kind, index in _places(tuple(slots), left.device).items():
        merged = merged.index_put((index,), MERGE[kind](left[index], right[index]))
    return merged


def _merge_each(slots: Sequence[Slot], left: Tensor, right: Tensor) -> Tensor:
    """Merge slot by slot: more operations, but nothing that is kept, so that all of them become one graph."""
    widths = [width(slot) for slot in slots]
    parts = []
    for slot, one, other in zip(slots, torch.split(left, widths), torch.split(right, widths), strict=True):
        parts.append(MERGE[slot.kind](one, other))
    return torch.cat(parts)


def merge_moments(left: Tensor, right: Tensor) -> Tensor:
    """Merge moments ``[…, 3]`` (count, mean, M2) by the pairwise update of Chan, Golub and LeVeque (1979)."""
    count_left, mean_left, m2_left = left.unbind(-1)
    count_right, mean_right, m2_right = right.unbind(-1)
    count = count_left + count_right
    share = count_right / count.clamp(min=1)
    delta = mean_right - mean_left
    both = torch.stack(
        [count, mean_left + delta * share, m2_left + m2_right + delta * delta * count_left * share], dim=-1
    )
    return _unless_empty(left, right, both)


def merge_comoments(left: Tensor, right: Tensor) -> Tensor:
    """Merge comoments ``[…, 6]`` (count, mean_x, mean_y, M2_x, M2_y, C_xy)."""
    count_left, x_left, y_left, xx_left, yy_left, xy_left = left.unbind(-1)
    count_right, x_right, y_right, xx_right, yy_right, xy_right = right.unbind(-1)
    count = count_left + count_right
    share = count_right / count.clamp(min=1)
    weight = count_left * share
    delta_x, delta_y = x_right - x_left, y_right - y_left
    both = torch.stack(
        [
            count,
            x_left + delta_x * share,
            y_left + delta_y * share,
            xx_left + xx_right + delta_x * delta_x * weight,
            yy_left + yy_right + delta_y * delta_y * weight,
            xy_left + xy_right + delta_x * delta_y * weight,
        ],
        dim=-1,
    )
    return _unless_empty(left, right, both)


def merge_bins(left: Tensor, right: Tensor) -> Tensor:
    """Merge histograms ``[…, bins + 4]``: counts add, the ends take the extreme."""
    ends = [torch.minimum(left[..., -2:-1], right[..., -2:-1]), torch.maximum(left[..., -1:], right[..., -1:])]
    return torch.cat([left[..., :-2] + right[..., :-2], *ends], -1)


def _merge_last(left: Tensor, right: Tensor) -> Tensor:
    return torch.where(right[..., :1] > 0, right, left)


def merge_at_max(left: Tensor, right: Tensor) -> Tensor:
    """Merge ``[…, 3]`` (count, largest, value beside it): of equals the earlier one stays, and NaN wins."""
    before, after = left[..., 1:2], right[..., 1:2]
    later = (after > before) | (after.isnan() & ~before.isnan())
    return torch.cat([left[..., :1] + right[..., :1], torch.where(later, right[..., 1:], left[..., 1:])], -1)


def _unless_empty(left: Tensor, right: Tensor, both: Tensor) -> Tensor:
    # A side that saw nothing must not touch the other: its mean of zero would turn an infinite mean into NaN.
    merged = torch.where(left[..., :1] == 0, right, both)
    return torch.where(right[..., :1] == 0, left, merged)


MERGE: Mapping[SlotKind, Callable[[Tensor, Tensor], Tensor]] = {
    "sum": torch.add,
    "count": torch.add,
    "min": torch.minimum,
    "max": torch.maximum,
    "moments": merge_moments,
    "comoments": merge_comoments,
    "bins": merge_bins,
    "last": _merge_last,
    "at_max": merge_at_max,
}
"""How values of a kind merge; many slots of one kind and width merge in one call over a leading dimension."""


@lru_cache(maxsize=256)
def _places(slots: tuple[Slot, ...], device: torch.device) -> Mapping[SlotKind, Tensor]:
    """Return the places of every kind that does not add: ``[k]`` for width one, ``[k, width]`` otherwise.

    They are kept, because bringing them to the device anew would take longer than a merge.
    """
    narrow: dict[SlotKind, list[int]] = {}
    wide: dict[SlotKind, list[list[int]]] = {}
    found: dict[SlotKind, Tensor] = {}
    for slot, place in Layout(slots):
        if slot.kind == "bins":
            narrow.setdefault("min", []).append(place.stop - 2)
            narrow.setdefault("max", []).append(place.stop - 1)
        elif slot.kind in ("min", "max"):
            narrow.setdefault(slot.kind, []).append(place.start)
        elif slot.kind not in ("sum", "count"):
            wide.setdefault(slot.kind, []).append(list(range(place.start, place.stop)))
    with torch.inference_mode(mode=False):
        for kinds in (narrow, wide):
            found.update((kind, torch.tensor(places).to(device, non_blocking=True)) for kind, places in kinds.items())
    return found


def _state_dtype(device: torch.device | str | None) -> torch.dtype:
    return torch.float32 if device is not None and torch.device(device).type == "mps" else torch.float64
