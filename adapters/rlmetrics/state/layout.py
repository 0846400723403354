"""How a metric's state is laid out: slots of fixed width in one flat float64 vector. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Final, Literal, get_args

__all__ = ["SLOT_KINDS", "Layout", "Slot", "SlotKind", "identity", "offsets", "width"]

SlotKind = Literal["sum", "count", "min", "max", "moments", "comoments", "bins", "last", "at_max", "values"]
"""What a slot holds and how two of its kind merge.

``sum`` and ``count`` add; ``min`` and ``max`` take the extreme; ``moments`` is (count, mean, M2) and ``comoments``
(count, mean_x, mean_y, M2_x, M2_y, C_xy), both merged after Chan et al.; ``bins`` is the count below the range, the
counts of the bins, the count above the range, then minimum and maximum; ``last`` is (has, value), the later one wins;
``at_max`` is (count, largest, value beside the largest), the earlier of equals wins. ``values`` keeps all values, one
list after the other: it has no fixed width and is the last slot of a state.
"""

SLOT_KINDS: Final[tuple[SlotKind, ...]] = get_args(SlotKind)

_IDENTITY: Final[dict[SlotKind, tuple[float, ...]]] = {
    "sum": (0.0,),
    "count": (0.0,),
    "min": (inf,),
    "max": (-inf,),
    "moments": (0.0,) * 3,
    "comoments": (0.0,) * 6,
    "last": (0.0, 0.0),
    "at_max": (0.0, -inf, 0.0),
    "values": (),
}


@dataclass(frozen=True)
class Slot:
    """One additive piece of a state.

    Attributes:
        name: The variable that holds the slot in generated code; unique within a state.
        kind: What the slot holds.
        bins: The number of bins between ``low`` and ``high``; zero unless ``kind`` is ``bins``.
        low: The lower end of the first bin.
        high: The upper end of the last bin.
    """

    name: str
    kind: SlotKind
    bins: int = 0
    low: float = 0.0
    high: float = 0.0


def identity(slot: Slot) -> tuple[float, ...]:
    """Return the values of the slot before anything was seen; merging them changes nothing."""
    if slot.kind == "bins":
        return (0.0,) * (slot.bins + 2) + (inf, -inf)
    return _IDENTITY[slot.kind]


def width(slot: Slot) -> int:
    """Return how many numbers the slot takes; for ``values``, how many it takes before anything was seen: none."""
    return len(identity(slot))


def offsets(slots: Sequence[Slot]) -> tuple[int, ...]:
    """Return where each slot starts in the flat vector, and as last element the length of the vector."""
    starts = [0]
    for slot in slots:
        starts.append(starts[-1] + width(slot))
    return tuple(starts)


@dataclass(frozen=True)
class Layout:
    """The slots of a state in their order."""

    slots: tuple[Slot, ...]

    @property
    def width(self) -> int:
        """The length of the flat vector."""
        return sum(width(slot) for slot in self.slots)

    @property
    def identity(self) -> tuple[float, ...]:
        """The flat vector of a state that has seen nothing."""
        return tuple(value for slot in self.slots for value in identity(slot))

    def __iter__(self) -> Iterator[tuple[Slot, slice]]:
        """Yield each slot with its place in the flat vector."""
        start = 0
        for slot in self.slots:
            stop = start + width(slot)
            yield slot, slice(start, stop)
            start = stop
