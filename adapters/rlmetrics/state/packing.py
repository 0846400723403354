"""A fused state: slots that merge alike stand next to each other, so that all of a kind merge in one operation."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import torch
from torch import Tensor

from .layout import SLOT_KINDS, Layout, Slot, SlotKind, identity, width
from .ops import wide_dtype
from .parts import Part, Value, together
from .slots import MERGE, initial

__all__ = ["Packing"]

_ADDITIVE: Final = ("sum", "count")


class Packing:
    """Merges states ``[W]`` whose slots are sorted by kind. Nothing here waits for the device.

    Attributes:
        slots: The slots in their order.
        width: The length of the state.
    """

    def __init__(self, slots: Sequence[Slot]) -> None:
        """Take the slots.

        Raises:
            ValueError: They are not sorted by kind.
        """
        kinds = [slot.kind for slot in slots]
        if kinds != sorted(kinds, key=SLOT_KINDS.index):
            msg = "a fused state takes slots sorted by kind"
            raise ValueError(msg)
        self.slots = tuple(slots)
        self.width = Layout(self.slots).width
        self._identities = [identity(slot) for slot in slots]
        # What merges in one call: neighbours of one kind, but each histogram alone, since they differ in width.
        sizes: dict[tuple[SlotKind, str], int] = {}
        self._kinds: list[tuple[SlotKind, int]] = []
        for slot in slots:
            kind: SlotKind = "sum" if slot.kind in _ADDITIVE else slot.kind
            key = (kind, slot.name if kind == "bins" else "")
            if key not in sizes:
                self._kinds.append((kind, width(slot)))
            sizes[key] = sizes.get(key, 0) + width(slot)
        self._sizes = list(sizes.values())

    def initial(self, device: torch.device | str | None = None) -> Tensor:
        """Return the state ``[W]`` that has seen nothing."""
        return initial(self.slots, device)

    def pack(self, values: Sequence[Value], like: Tensor) -> Tensor:
        """Lay the slot values of one update out as one state ``[W]``, doing the reductions that were put off.

        Args:
            values: The value of each slot.
            like: A tensor on the device of the update.
        """
        if torch.compiler.is_compiling():
            return torch.cat([self._tensor(*item, like) for item in zip(self.slots, values, strict=True)])
        return _together(self._identities, values, like)

    def _tensor(self, slot: Slot, value: Value, like: Tensor) -> Tensor:
        if isinstance(value, Tensor):
            return value.reshape(-1)
        assert not isinstance(value, Part)
        numbers = identity(slot) if value is None else (value,)
        return torch.cat([like.new_full((1,), number, dtype=wide_dtype(like)) for number in numbers])

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Merge states ``[…, W]``; ``left`` came first, which only ``last`` slots can tell."""
        parts = []
        pairs = zip(torch.split(left, self._sizes, -1), torch.split(right, self._sizes, -1), strict=True)
        for (kind, size), (one, other) in zip(self._kinds, pairs, strict=True):
            if size == 1:
                parts.append(MERGE[kind](one, other))
            else:
                grid = (*one.shape[:-1], -1, size)
                parts.append(MERGE[kind](one.reshape(grid), other.reshape(grid)).reshape(one.shape))
        return torch.cat(parts, -1)

    def merge_all(self, states: Tensor) -> Tensor:
        """Merge states ``[R, W]`` in their order, neighbours first: as many steps as R has binary digits."""
        while states.shape[0] > 1:
            even = states.shape[0] // 2 * 2
            merged = self.merge(states[0:even:2], states[1:even:2])
            states = torch.cat([merged, states[even:]])
        return states[0]


def _together(identities: Sequence[tuple[float, ...]], values: Sequence[Value], like: Tensor) -> Tensor:
    """Return a state from numbers, tensors, and reductions that are now done with others of their kind."""
    numbers: list[float] = []
    pieces: dict[object, list[Tensor]] = {}
    parts: dict[object, list[Part]] = {}
    places: dict[int, tuple[object, int, int]] = {}
    order: list[tuple[object, int, int]] = []
    for identity_, value in zip(identities, values, strict=True):
        if value is None:
            order.append((None, len(numbers), len(identity_)))
            numbers += identity_
        elif type(value) is Part:
            size = len(identity_)
            place = places.get(id(value))
            if place is None:
                kind, x, over = value
                # A population has the shape of what it selects from.
                key: object = (kind, id(over), x.dtype, None if over is not None else x.shape)
                group = parts.get(key)
                if group is None:
                    group = parts[key] = []
                place = places[id(value)] = (key, len(group) * size, size)
                group.append(value)
            order.append(place)
        elif type(value) is float:
            order.append((None, len(numbers), 1))
            numbers.append(value)
        else:
            assert isinstance(value, Tensor)
            same = pieces.setdefault(len(identity_), [])
            order.append((len(identity_), len(same) * len(identity_), len(identity_)))
            same.append(value)
    found: dict[object, Tensor] = {}
    if numbers:
        known = torch.tensor(numbers, dtype=wide_dtype(like))
        found[None] = known if like.device.type == "cpu" else known.to(like.device, non_blocking=True)
    found.update((key, torch.stack(tensors).flatten()) for key, tensors in pieces.items())
    found.update((key, together(group).flatten()) for key, group in parts.items())
    starts = {}
    length = 0
    for key, tensor in found.items():
        starts[key] = length
        length += tensor.shape[0]
    index = []
    for key, offset, size in order:
        first = starts[key] + offset
        if size == 1:
            index.append(first)
        else:
            index += range(first, first + size)
    return torch.cat(list(found.values())).index_select(0, _index(tuple(index), like.device))


@lru_cache(maxsize=256)
def _index(places: tuple[int, ...], device: torch.device) -> Tensor:
    """Return places as a tensor; kept, because bringing them to the device anew would take as long as the rest."""
    with torch.inference_mode(mode=False):
        return torch.tensor(places, device=device)
