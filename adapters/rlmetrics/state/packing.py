"""A fused state: slots that merge alike stand next to each other, so that all of a kind merge in one operation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import torch
from torch import Tensor

from .layout import SLOT_KINDS, Layout, Slot, SlotKind, width
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
            ValueError: They are not sorted by kind, or one is a histogram.
        """
        kinds = [slot.kind for slot in slots]
        if "bins" in kinds or kinds != sorted(kinds, key=SLOT_KINDS.index):
            msg = "a fused state takes slots sorted by kind, without histograms"
            raise ValueError(msg)
        self.slots = tuple(slots)
        self.width = Layout(self.slots).width
        self._narrow = sum(width(slot) == 1 for slot in slots)
        sizes: dict[SlotKind, int] = {}
        for slot in slots:
            kind: SlotKind = "sum" if slot.kind in _ADDITIVE else slot.kind
            sizes[kind] = sizes.get(kind, 0) + width(slot)
        self._sizes = list(sizes.values())
        self._kinds: list[tuple[SlotKind, int]] = [(kind, len(Layout((Slot("", kind),)).identity)) for kind in sizes]

    def initial(self, device: torch.device | str | None = None) -> Tensor:
        """Return the state ``[W]`` that has seen nothing."""
        return initial(self.slots, device)

    def pack(self, values: Sequence[Tensor]) -> Tensor:
        """Lay the slot values of one update out as one state ``[W]``."""
        narrow = [torch.stack(list(values[: self._narrow]))] if self._narrow else []
        return torch.cat([*narrow, *values[self._narrow :]])

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
