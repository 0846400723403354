"""How a metric's state is laid out: slots of fixed width in one flat float64 vector. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .kinds import KINDS, SlotKind

__all__ = ["Layout", "Slot", "identity", "offsets", "width"]


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
    return KINDS[slot.kind].identity(slot.bins)


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
