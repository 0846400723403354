"""How many responses updates gave, as the shapes of their tensors tell.

A packed row ``[1, N]`` that nothing marks as one looks like a single response with tools between its tokens. Metrics of
single tokens do not care; for others it is refused where there were more scores, lengths or the like than rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

    from .fusion import Fusion

__all__ = ["ResponsesSeen"]


class ResponsesSeen:
    """Counts over updates; they look at shapes alone.

    Attributes:
        numbers: How many updates gave tokens as one row that nothing marked, how many gave them otherwise, and for each
            input without tokens how many responses it was given for.
    """

    def __init__(self, fusion: Fusion) -> None:
        """Start with no update."""
        self._blocks = fusion.sequence_blocks
        self._names = [name for name, (axes, _) in fusion.inputs.items() if axes == ("B",)] if self._blocks else []
        self.numbers = [0] * (2 + len(self._names))

    def add(self, given: Mapping[str, Tensor], *, marked: bool) -> None:
        """Note one more update.

        Args:
            given: Its inputs, with tokens as rows.
            marked: Whether it said where responses begin.
        """
        for block in self._blocks:
            if given.keys() >= {*block}:
                rows = given[block[0]].shape[0]
                # No row tells nothing.
                self.numbers[0 if rows == 1 and not marked else 1] += rows > 0
                break
        for index, name in enumerate(self._names, 2):
            if name in given:
                self.numbers[index] += given[name].shape[0]

    def extend(self, numbers: Sequence[int]) -> None:
        """Note the updates of another one."""
        self.numbers = [one + other for one, other in zip(self.numbers, numbers, strict=True)]

    def check(self, title: str, numbers: Sequence[int] | None = None) -> None:
        """Check that no row can hold several responses.

        Args:
            title: Who checks.
            numbers: Those of all ranks together, else those of this one.

        Raises:
            ValueError: Each update gave one row of tokens, but there were more responses.
        """
        alone, others, *counts = numbers or self.numbers
        for name, count in zip(self._names, counts, strict=True):
            if alone and not others and count > alone:
                rows = "one row" if alone == 1 else f"{alone} updates of one row each"
                msg = (
                    f"{title}: expected each row of tokens [B, T] to be one response, got {rows} for {count} responses "
                    f"of {name}; for packed rows give cu_seqlens or position_ids, and where a row is one response "
                    "say so with cu_seqlens=torch.tensor([0, T])"
                )
                raise ValueError(msg)
