"""The levels at which numbers are put together, as ``spec/signatures.yaml`` defines them: whatever asks, asks these."""

from __future__ import annotations

from collections.abc import Mapping

from rlmetrics.lazy_typing import Any, NamedTuple

__all__ = ["UPDATE", "Level", "levels_of"]

UPDATE = "update"
"""A part that is no level: one optimizer step on a batch."""


class Level(NamedTuple):
    """One level of reduction.

    Attributes:
        name: Its name in the spec, such as ``micro_batch``.
        brief: What is put together, such as "micro-batches of one mini-batch".
        vanishes_when: When a difference at this level cannot show.
        parts: What its parts are called in a sentence.
        whole: What all of them together are called.
        cut_by: What decides how many parts there are: ``data``, settings of ``training``, which an evaluation does not
            follow, or the ``machine``.
        lies: ``within`` one part of the next level; ``across`` all of them, as processes do; ``apart``, each a number
            of its own that a log puts together.
        uneven: Whether its parts differ in size, so that a mean of their means is not the mean over all.
    """

    name: str
    brief: str
    vanishes_when: str
    parts: str
    whole: str
    cut_by: str = "data"
    lies: str = "within"
    uneven: bool = False

    @property
    def is_countable(self) -> bool:
        """Whether settings can say that there is only one part."""
        return self.cut_by != "data"


def levels_of(table: Mapping[str, Mapping[str, Any]]) -> dict[str, Level]:
    """Return the levels of a table by name, innermost first."""
    return {name: Level(name, **row) for name, row in table.items()}
