"""Which groups came in which update: a group that is cut over several would be counted as several groups."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from .slots import beside

__all__ = ["GroupsSeen", "check_whole", "numbers_of"]


class GroupsSeen:
    """The ids that updates gave, each with the number of its update; nothing here waits for the device.

    Attributes:
        pairs: Numbers of updates and ids of groups, int64 ``[2, n]``.
        updates: How many updates gave ids.
    """

    def __init__(self) -> None:
        """Start with no update."""
        self.pairs = torch.empty(2, 0, dtype=torch.int64)
        self.updates = 0

    def add(self, group_ids: Tensor) -> None:
        """Note the ids ``[B]`` of one more update."""
        ids = group_ids.detach().to(torch.int64)
        pairs = torch.stack([torch.full_like(ids, self.updates), ids])
        # What inference mode made could be used nowhere else.
        self.pairs = torch.cat([beside(pairs, self.pairs), pairs], 1).clone()
        self.updates += 1

    def extend(self, other: GroupsSeen) -> None:
        """Note the updates of another one as further updates."""
        if other.pairs.numel():
            offset = beside(other.pairs, torch.tensor([[self.updates], [0]]))
            self.pairs = torch.cat([self.pairs, beside(self.pairs, other.pairs + offset)], 1)
        self.updates += other.updates

    def listed(self) -> list[tuple[int, int]]:
        """Return the pairs on the host."""
        return _paired(self.pairs.flatten().tolist())

    def to(self, device: torch.device | str) -> None:
        """Move the pairs to a device."""
        self.pairs = self.pairs.to(device)

    def load(self, pairs: object) -> None:
        """Take over pairs that were saved; None where there were none.

        Raises:
            ValueError: They are no int64 tensor ``[2, n]``.
        """
        if pairs is None:
            pairs = torch.empty(2, 0, dtype=torch.int64)
        if not isinstance(pairs, Tensor) or pairs.dtype != torch.int64 or pairs.dim() != 2 or pairs.shape[0] != 2:
            msg = "groups: expected a saved int64 tensor [2, n]"
            raise ValueError(msg)
        self.pairs = pairs.clone()
        self.updates = int(pairs[0].max()) + 1 if pairs.numel() else 0


def numbers_of(values: Tensor, pairs: Tensor) -> tuple[list[float], list[tuple[int, int]]]:
    """Return a state and pairs on the host, with one copy where the state is float64."""
    if not pairs.numel():
        return values.tolist(), []
    if values.dtype != torch.float64 or pairs.device != values.device:
        return values.tolist(), _paired(pairs.flatten().tolist())
    whole: list[int] = torch.cat([values.view(torch.int64), pairs.flatten()]).tolist()
    width = values.numel()
    return list(struct.unpack(f"{width}d", struct.pack(f"{width}q", *whole[:width]))), _paired(whole[width:])


def _paired(numbers: Sequence[int]) -> list[tuple[int, int]]:
    half = len(numbers) // 2
    return list(zip(numbers[:half], numbers[half:], strict=True))


def check_whole(title: str, pairs: Iterable[tuple[object, int]]) -> None:
    """Check that no group came in two updates.

    Args:
        title: Who checks.
        pairs: The update, whatever tells it from others, and the id of each response's group.

    Raises:
        ValueError: A group did; the message names some.
    """
    first: dict[int, object] = {}
    cut = sorted({group for update, group in pairs if first.setdefault(group, update) != update})
    if cut:
        some = ", ".join(map(str, cut[:3])) + (f" and {len(cut) - 3} more" if len(cut) > 3 else "")
        msg = (
            f"{title}: group_ids: expected each group whole in one update of one rank, got parts of {some} in several; "
            "give all responses to a prompt together, or pass ids_restart=True if ids start anew in every update"
        )
        raise ValueError(msg)
