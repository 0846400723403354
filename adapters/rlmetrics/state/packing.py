"""A fused state: slots that merge alike stand next to each other, so that all of a kind merge in one operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

import torch
from torch import Tensor

from ._together import Group, group_of
from .kinds import KINDS, SLOT_KINDS, SlotKind
from .ops import wide_dtype
from .parts import Part, Value
from .slot_layout import Layout, Slot, identity, width
from .slots import initial

__all__ = ["Pack", "Packing", "PackingPlan"]

Pack = Callable[[Sequence[Value], Tensor], Tensor]
"""Lays the slot values of one update, and a tensor on its device, out as one state ``[W]``."""


class Packing:
    """Merges states ``[W]`` whose slots are sorted by kind. Nothing here waits for the device.

    Attributes:
        slots: The slots in their order.
        width: The length of the state.
        identities: For each slot the numbers that it starts from.
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
        self.identities = [identity(slot) for slot in slots]
        self._initial: dict[torch.device | str, Tensor] = {}
        # What merges in one call: neighbours of one kind, but each histogram alone, since they differ in width.
        sizes: dict[tuple[SlotKind, str], int] = {}
        self._kinds: list[tuple[SlotKind, int]] = []
        for slot in slots:
            numbers = KINDS[slot.kind].numbers(slot.bins)
            kind = numbers[0] if len(numbers) == 1 else slot.kind
            key = (kind, slot.name if kind == "bins" else "")
            if key not in sizes:
                self._kinds.append((kind, width(slot)))
            sizes[key] = sizes.get(key, 0) + width(slot)
        self._sizes = list(sizes.values())

    def initial(self, device: torch.device | str | None = None) -> Tensor:
        """Return the state ``[W]`` that has seen nothing."""
        if device is None:
            return initial(self.slots)
        known = self._initial.get(device)
        if known is None:
            with torch.inference_mode(mode=False):
                known = self._initial[device] = initial(self.slots, device)
        return known.clone()

    def pack(self, values: Sequence[Value], like: Tensor) -> Tensor:
        """Lay the slot values of one update out as one state ``[W]``, doing the reductions that were put off.

        Args:
            values: The value of each slot.
            like: A tensor on the device of the update.
        """
        if torch.compiler.is_compiling():
            return torch.cat([self._tensor(*item, like) for item in zip(self.slots, values, strict=True)])
        return PackingPlan(self)(values, like)

    def _tensor(self, slot: Slot, value: Value, like: Tensor) -> Tensor:
        if isinstance(value, Tensor):
            return value.reshape(-1)
        assert not isinstance(value, tuple)
        numbers = identity(slot) if value is None else (value,)
        return torch.cat([like.new_full((1,), number, dtype=wide_dtype(like)) for number in numbers])

    def merge(self, left: Tensor, right: Tensor) -> Tensor:
        """Merge states ``[…, W]``; ``left`` came first, which only ``last`` slots can tell."""
        parts = []
        pairs = zip(torch.split(left, self._sizes, -1), torch.split(right, self._sizes, -1), strict=True)
        for (kind, size), (one, other) in zip(self._kinds, pairs, strict=True):
            if size == 1:
                parts.append(KINDS[kind].merge(one, other))
            else:
                grid = (*one.shape[:-1], -1, size)
                parts.append(KINDS[kind].merge(one.reshape(grid), other.reshape(grid)).reshape(one.shape))
        return torch.cat(parts, -1)

    def merge_all(self, states: Tensor) -> Tensor:
        """Merge states ``[R, W]`` in their order, neighbours first: as many steps as R has binary digits."""
        while states.shape[0] > 1:
            even = states.shape[0] // 2 * 2
            merged = self.merge(states[0:even:2], states[1:even:2])
            states = torch.cat([merged, states[even:]])
        return states[0]


class PackingPlan:
    """How the reductions that one kind of update puts off are done together.

    Which slots an update fills, with what, depends on the dtypes, shapes and devices of its inputs, and on nothing
    else; so it is worked out at the first update and kept for those alike.
    """

    def __init__(self, packing: Packing) -> None:
        """Take the packing; the rest comes from the first update."""
        self._identities = packing.identities
        self._dtype = torch.float64
        self._known: list[Tensor] = []
        self._pieces: list[list[int]] = []
        self._groups: list[Group] = []
        self._index: Tensor | None = None

    def __call__(self, values: Sequence[Value], like: Tensor) -> Tensor:
        """Return the state ``[W]`` of one update, as :meth:`Packing.pack` does."""
        if self._index is None:
            self._index = self._work_out(values, like)
        state = self._known.copy()
        for places in self._pieces:
            state.append(torch.stack([cast("Tensor", values[place]) for place in places]).to(self._dtype).flatten())
        for group in self._groups:
            state += group(values)
        return torch.cat(state).index_select(0, self._index)

    def _work_out(self, values: Sequence[Value], like: Tensor) -> Tensor:
        """Sort values into numbers, tensors of one width, and parts that are reduced alike; return where each went."""
        numbers: list[float] = []
        pieces: dict[tuple[int, torch.dtype], list[int]] = {}
        parts: dict[object, list[tuple[int, Part]]] = {}
        seen: dict[int, int] = {}
        places: dict[int, list[int]] = {}
        for place, (identity_, value) in enumerate(zip(self._identities, values, strict=True)):
            if value is None or isinstance(value, (int, float)):
                places[place] = list(range(len(numbers), len(numbers) + len(identity_)))
                numbers += identity_ if value is None else (value,)
            elif seen.setdefault(id(value), place) != place:
                continue
            elif isinstance(value, Tensor):
                pieces.setdefault((len(identity_), value.dtype), []).append(place)
            else:
                parts.setdefault(group_of(value), []).append((place, value))
        self._dtype = wide_dtype(like)
        if numbers:
            self._known = [_kept(numbers, like, self._dtype)]
        start = len(numbers)
        self._pieces = list(pieces.values())
        for (size, _), filled in pieces.items():
            for place in filled:
                places[place] = list(range(start, start + size))
                start += size
        for members in parts.values():
            group = Group(members, self._dtype)
            self._groups.append(group)
            places.update({place: [start + number for number in group.numbers[place]] for place, _ in members})
            start += group.length
        index: list[int] = []
        for place, value in enumerate(values):
            index += places[place if place in places else seen[id(value)]]
        return _kept(index, like)


def _kept(numbers: Sequence[float], like: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """Return numbers on the device of a tensor; bringing them there anew would take as long as the rest."""
    with torch.inference_mode(mode=False):
        return torch.tensor(numbers, dtype=dtype).to(like.device, non_blocking=True)
