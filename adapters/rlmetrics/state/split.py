"""Rows that are split over the ranks of a process group, as sequence and context parallelism do it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import torch
import torch.distributed as dist
from torch import Tensor

from .given import check_given
from .ranks import all_gathered, collective_device, mark_of, ranks_of
from .row_forms import are_plain, axes_of, unpacked_rows

if TYPE_CHECKING:
    from .fusion import Fusion

__all__ = ["Split"]

_HEAD: Final = 512
"""How many numbers precede whatever ranks send each other."""

_UPDATE, _SYNC, _REFUSED = 0, 1, 2
_DOING: Final = {_UPDATE: "updates", _SYNC: "synchronises"}


class Split:
    """One rank's side of updates to rows of which several ranks hold parts.

    Before ranks send each other anything they tell what they are about to do, in a message that always has the same
    size: whichever goes another way, it is an error on all of them, and none waits for the others. Suites of metrics of
    single tokens send nothing; whether all ranks gave the same inputs is told when they synchronise.

    Attributes:
        group: The process group.
    """

    def __init__(self, title: str, fusion: Fusion, group: dist.ProcessGroup) -> None:
        """Take who asks, the metrics, and the group.

        Raises:
            ValueError: There is no process group, or this process does not belong to it.
        """
        self.group = group
        self._title, self._fusion = title, fusion
        self._ranks = ranks_of(title, group)
        if not self._ranks:
            msg = f"{title}: split_over: expected torch.distributed to be initialised"
            raise ValueError(msg)
        self.reset()

    def reset(self) -> None:
        """Forget all updates."""
        self._seen = 0

    def extend(self, other: Split) -> None:
        """Note the updates of another one."""
        self._note(other._seen)

    @property
    def several(self) -> bool:
        """Whether there are other ranks."""
        return self._ranks > 1

    def refuse(self, tensors: Mapping[str, object]) -> None:
        """Tell the other ranks that this one refuses its inputs."""
        self._note("refused")
        if self._meets(tensors):
            self._told(_REFUSED, 0, [])

    def rows(self, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """Return what this rank adds of an update, with tokens as padded rows; nothing where another rank adds it.

        Raises:
            TypeError: An input is no tensor, of another dtype, or of no use without another one.
            ValueError: An input has another shape than expected, or ranks give other inputs or numbers of rows.
        """
        first = dist.get_rank(self.group) == 0
        plain = are_plain(tensors)
        try:
            if plain:
                check_given(self._title, self._fusion, tensors)
            elif wrong := next((name for name, x in tensors.items() if not isinstance(x, Tensor)), None):
                msg = f"{wrong}: expected a tensor, got {type(tensors[wrong]).__name__}"
                raise TypeError(msg)
            elif nested := next((name for name, x in tensors.items() if x.is_nested), None):
                msg = f"{nested}: expected packed or padded rows where they are split over ranks, got a nested tensor"
                raise TypeError(msg)
        except (TypeError, ValueError):
            self.refuse(tensors)
            raise
        names = sorted(tensors)
        axes = {**{name: axes for name, (axes, _) in self._fusion.inputs.items()}, "position_ids": ("B", "T")}
        cut = [name for name in names if name == "position_ids" or "T" in axes_of(self._fusion.inputs, name)]
        self._note((names, [x.shape[0] for x in tensors.values()] if plain else ()))
        whole = not plain or any(tensors.keys() >= {*block} for block in self._fusion.sequence_blocks)
        if self._meets(tensors):
            places = {name: 0 if tensors[name].dim() < len(axes[name]) else 1 for name in cut}
            shapes = [_shape(tensors[name], places[name]) for name in cut]
            bounds = tensors["cu_seqlens"].tolist() if "cu_seqlens" in tensors else None
            mark = mark_of((names, whole, bounds))
            told = self._told(_UPDATE, mark, [number for shape in shapes for number in shape], ", ".join(names))
            if whole:
                rows = {**tensors, **self._gathered(tensors, places, told)}
                rows = unpacked_rows(self._title, self._fusion, rows)
                # Every rank checks the whole, so that what is wrong with it is an error on all of them.
                check_given(self._title, self._fusion, rows)
                return rows if first else {}
        return {name: x for name, x in tensors.items() if first or name in cut}

    def before_sync(self, group: dist.ProcessGroup | None) -> None:
        """Check that a group holds all ranks of this one, and that those were given parts of the same rows.

        Raises:
            ValueError: Either is not so, or another rank gives an update meanwhile.
        """
        whole = dist.get_process_group_ranks(group or dist.group.WORLD)
        if not {*dist.get_process_group_ranks(self.group)} <= {*whole}:
            msg = f"{self._title}: expected sync over a group with all ranks that rows are split over, got {whole}"
            raise ValueError(msg)
        self._told(_SYNC, self._seen, [], "others, or other numbers of rows, on some of them since the last reset")

    def _meets(self, tensors: Mapping[str, object]) -> bool:
        """Return whether the ranks tell each other of an update."""
        plain = not any(not isinstance(x, Tensor) or x.is_nested for x in tensors.values())
        return bool(self._fusion.sequence_blocks) or not (plain and are_plain(tensors))  # type: ignore[arg-type]

    def _note(self, what: object) -> None:
        self._seen = mark_of((self._seen, what))

    def _told(self, doing: int, mark: int, shapes: list[int], got: str = "") -> list[list[int]]:
        """Tell the other ranks what this one does, and return the shapes that each of them told.

        Raises:
            ValueError: Another rank does something else.
        """
        mine = torch.tensor([doing, mark, *shapes, *[0] * (_HEAD - 2 - len(shapes))], dtype=torch.int64)
        home = collective_device(mine.device, self.group)
        told: list[list[int]] = all_gathered(mine.to(home), self._ranks, self.group).tolist()
        kinds = [one[0] for one in told]
        if doing != _REFUSED and _REFUSED in kinds:
            msg = f"{self._title}: rank {kinds.index(_REFUSED)} of those that rows are split over refused its inputs"
            raise ValueError(msg)
        if doing != _REFUSED and len({*kinds}) > 1:
            other = next(rank for rank, kind in enumerate(kinds) if kind != kinds[0])
            msg = (
                f"{self._title}: expected the same calls on all ranks that rows are split over, but rank 0 "
                f"{_DOING[kinds[0]]} while rank {other} {_DOING[kinds[other]]}"
            )
            raise ValueError(msg)
        if doing != _REFUSED and any(one[1] != told[0][1] for one in told):
            msg = f"{self._title}: expected the same inputs on all ranks that rows are split over, got {got}"
            raise ValueError(msg)
        return [one[2:] for one in told]

    def _gathered(
        self, tensors: Mapping[str, Tensor], places: Mapping[str, int], told: list[list[int]]
    ) -> dict[str, Tensor]:
        """Return tokens with the parts of all ranks side by side, in their order."""
        gathered = {}
        for number, (name, place) in enumerate(places.items()):
            shapes = [one[3 * number : 3 * number + 3] for one in told]
            if len({(before, after) for before, _, after in shapes}) > 1:
                msg = (
                    f"{name}: expected as many rows on all ranks that they are split over, "
                    f"got {list(tensors[name].shape)}"
                )
                raise ValueError(msg)
            gathered[name] = _joined(tensors[name], place, [length for _, length, _ in shapes], self.group)
        return gathered


def _joined(part: Tensor, place: int, lengths: list[int], group: dist.ProcessGroup) -> Tensor:
    missing = max(lengths) - part.shape[place]
    even = part.detach().movedim(place, 0)
    if missing:
        even = torch.cat([even, even.new_zeros(missing, *even.shape[1:])])
    # Not every backend sends truth values.
    every = all_gathered(even.to(torch.uint8) if part.dtype == torch.bool else even, len(lengths), group)
    whole = torch.cat([one[:length] for one, length in zip(every, lengths, strict=True)])
    return whole.to(part.dtype).movedim(0, place)


def _shape(tensor: Tensor, place: int) -> tuple[int, int, int]:
    rows = tensor.shape[0] if place else 1
    return rows, tensor.shape[place], int(torch.Size(tensor.shape[place + 1 :]).numel())
