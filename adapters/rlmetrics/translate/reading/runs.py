"""What a reader gives: runs with their settings, and rows that are read when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

__all__ = ["Account", "LoggedRow", "Recorded"]


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
    """

    skipped: int = 0
    torn: int = 0
    first: str = ""


@dataclass
class Recorded:
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
