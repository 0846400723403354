"""States of all ranks in one place: one all-gather, which also tells whether they belong together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import torch
import torch.distributed as dist
from torch import Tensor

__all__ = ["all_gathered", "collective_device", "gather_states", "mark_of", "owned", "ranks_of"]

_ROUND = 256
_ROOM = 4096
"""How many numbers each rank sends at first, whatever its metrics are: the state, and the groups or values it has."""


def ranks_of(title: str, group: dist.ProcessGroup | None) -> int:
    """Return how many ranks a process group has, 0 without an initialised one.

    Raises:
        ValueError: This process does not belong to the group.
    """
    if not (dist.is_available() and dist.is_initialized()):
        return 0
    ranks = dist.get_world_size(group)
    if ranks < 1:
        msg = f"{title}: this process does not belong to the group"
        raise ValueError(msg)
    return ranks


def mark_of(identity: object) -> int:
    """Return a number below 2**56 that is another one for another identity, whose ``repr`` says all of it."""
    return int.from_bytes(hashlib.sha256(repr(identity).encode()).digest()[:7], "big")


def gather_states(
    title: str,
    identity: object,
    values: Tensor,
    pairs: Tensor,
    group: dist.ProcessGroup | None,
    *,
    counts: Sequence[int] = (),
) -> tuple[list[Tensor], list[list[int]], list[int]]:
    """Return the states and pairs of groups of all ranks, in their order, on the host, and the sums of their counts.

    One collective, and one copy to the host; a second collective if a rank has thousands of groups or values, which the
    others cannot know before.

    Args:
        title: Who gathers.
        identity: What must be equal on all ranks; compared by its ``repr``.
        values: The state of this rank, float64 ``[W]``.
        pairs: Updates and ids of its groups, int64 ``[2, n]``.
        group: The process group.
        counts: Numbers of this rank that are added over all of them.

    Raises:
        ValueError: ``identity`` is another one on another rank.
    """
    ranks = dist.get_world_size(group)
    numbers = values.double().view(torch.int64)
    home = collective_device(values.device, group)
    mark = mark_of(identity)
    body = torch.cat([part.to(home) for part in (numbers, pairs.flatten()) if part.numel()] or [numbers.to(home)])
    head = torch.tensor([mark, numbers.numel(), pairs.numel(), *counts]).to(home)
    start = head.numel()
    # Ranks that came with other metrics must not send messages of other lengths.
    room = _ROOM
    while True:
        mine = torch.zeros(room, dtype=torch.int64, device=home)
        taken = min(body.numel(), room - start)
        mine[:start], mine[start : start + taken] = head, body[:taken]
        whole = all_gathered(mine, ranks, group).cpu()
        marks, lengths = whole[:, 0].tolist(), (whole[:, 1] + whole[:, 2]).tolist()
        other = next((rank for rank, one in enumerate(marks) if one != marks[0]), None)
        if other is not None:
            msg = f"{title}: expected the same metrics and parameters on all ranks, got others on ranks 0 and {other}"
            raise ValueError(msg)
        if start + max(lengths) <= room:
            break
        room = _rounded(start + max(lengths))
    states, groups = [], []
    for row in whole:
        _, width, more = row[:3].tolist()
        states.append(row[start : start + width].view(torch.float64).to(values.dtype))
        groups.append(row[start + width : start + width + more].tolist())
    return states, groups, whole[:, 3:start].sum(0).tolist()


def all_gathered(mine: Tensor, ranks: int, group: dist.ProcessGroup | None) -> Tensor:
    """Return a tensor of every rank ``[R, …]``, with one collective; it must have one shape and dtype everywhere."""
    every = mine.new_empty((ranks, *mine.shape))
    # Newer releases of torch warn about the older name.
    gather = getattr(dist, "all_gather_single", None) or dist.all_gather_into_tensor
    gather(every.view(-1), mine.contiguous().view(-1), group=group)
    return every


def owned(groups: Sequence[Sequence[int]]) -> list[tuple[tuple[int, int], int]]:
    """Return gathered pairs with rank and update as the owner of each id."""
    pairs = []
    for rank, numbers in enumerate(groups):
        half = len(numbers) // 2
        pairs += [((rank, update), one) for update, one in zip(numbers[:half], numbers[half:], strict=True)]
    return pairs


def _rounded(length: int) -> int:
    return -(-length // _ROUND) * _ROUND


def collective_device(device: torch.device, group: dist.ProcessGroup | None) -> torch.device:
    """Return where a tensor must be for a collective: a rank that has seen nothing may have it on the CPU still."""
    if device.type == "cpu" and dist.get_backend(group) == dist.Backend.NCCL:
        return torch.device("cuda", torch.cuda.current_device())
    return device
