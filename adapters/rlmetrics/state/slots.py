"""The algebra of states in torch: identity, merge, packing. A state is one flat float64 tensor of ``[W]``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import torch
from torch import Tensor

from .kinds import KINDS, SlotKind
from .slot_layout import Layout, Slot, identity, offsets, width

__all__ = ["beside", "initial", "merge", "pack", "unpack"]


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
        kept = KINDS["values"].merge(left[fixed:], right[fixed:])
        return torch.cat([merge(slots[:-1], left[:fixed], right[:fixed]), kept]) if fixed else kept
    if torch.compiler.is_compiling():
        return _merge_each(slots, left, right)
    merged = left + right
    for kind, index in _places(tuple(slots), left.device).items():
        merged = merged.index_put((index,), KINDS[kind].merge(left[index], right[index]))
    return merged


def _merge_each(slots: Sequence[Slot], left: Tensor, right: Tensor) -> Tensor:
    """Merge slot by slot: more operations, but nothing that is kept, so that all of them become one graph."""
    widths = [width(slot) for slot in slots]
    parts = []
    for slot, one, other in zip(slots, torch.split(left, widths), torch.split(right, widths), strict=True):
        parts.append(KINDS[slot.kind].merge(one, other))
    return torch.cat(parts)


@lru_cache(maxsize=256)
def _places(slots: tuple[Slot, ...], device: torch.device) -> Mapping[SlotKind, Tensor]:
    """Return the places of every kind that does not add: ``[k]`` for width one, ``[k, width]`` otherwise.

    They are kept, because bringing them to the device anew would take longer than a merge.
    """
    narrow: dict[SlotKind, list[int]] = {}
    wide: dict[SlotKind, list[list[int]]] = {}
    indices: dict[SlotKind, Tensor] = {}
    for slot, place in Layout(slots):
        numbers = KINDS[slot.kind].numbers(slot.bins)
        if not numbers:
            wide.setdefault(slot.kind, []).append(list(range(place.start, place.stop)))
        for number, kind in enumerate(numbers, place.start):
            if kind != "sum":
                narrow.setdefault(kind, []).append(number)
    with torch.inference_mode(mode=False):
        for kinds in (narrow, wide):
            indices.update((kind, torch.tensor(places).to(device, non_blocking=True)) for kind, places in kinds.items())
    return indices


def _state_dtype(device: torch.device | str | None) -> torch.dtype:
    return torch.float32 if device is not None and torch.device(device).type == "mps" else torch.float64
