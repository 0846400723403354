"""What a reader gives: runs with their settings, and rows that are read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rlmetrics.lazy_dataclasses import dataclass, field
from rlmetrics.lazy_typing import Any, NamedTuple

__all__ = ["Account", "LoggedRow", "Loss", "RecordedRun", "as_step"]


class LoggedRow(NamedTuple):
    """Values that were logged together.

    Attributes:
        step: The step that the tracker gives; None where the row states it itself, or nothing does.
        values: Values by key as the tracker shows it; texts where a log of a console has them.
    """

    step: float | None
    values: Mapping[str, Any]


@dataclass
class Account:
    """What was left out of a run.

    Attributes:
        skipped: How many lines that should hold values could not be read.
        torn: How many bytes at the end were cut off.
        first: Why the first of the skipped lines could not be read.
        notes: What else is to be said of how the run was read.
    """

    skipped: int = 0
    torn: int = 0
    first: str = ""
    notes: list[str] = field(default_factory=list)

    def leave_out(self, line: bytes, why: str) -> None:
        """Take down a line that can't be read; one without a line end was cut off."""
        if line.endswith(b"\n"):
            self.skip(why)
        else:
            self.torn += len(line)

    def skip(self, why: str) -> None:
        """Take down a record that can't be read."""
        self.skipped += 1
        self.first = self.first or why


@dataclass
class Loss:
    """What a torn input cost."""

    records: int = 0
    bytes: int = 0


@dataclass
class RecordedRun:
    """A run.

    Attributes:
        name: What parts it from others of the same file; empty if it is the only one.
        rows: Its rows, read one by one.
        config: Its settings by dotted names, as far as they were recorded.
        account: What was left out; complete only after the last row.
        problems: What of its settings could not be read, a line each.
    """

    name: str
    rows: Iterator[LoggedRow]
    config: Mapping[str, Any] = field(default_factory=dict)
    account: Account = field(default_factory=Account)
    problems: tuple[str, ...] = ()


def as_step(value: object) -> float | None:
    """Return what a tracker gives as a step; None if it is no number."""
    return float(value) if isinstance(value, int | float) else None
