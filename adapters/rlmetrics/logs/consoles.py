"""What logs of consoles have in common: records among other output, one a line, which a terminal may have cut."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from itertools import islice
from pathlib import Path

from .decimals import number as decimal
from .log import RowLog
from .reading import LoggedRow, RecordedRun
from .unwrapping import unwrapped_lines, width_of

__all__ = [
    "ESCAPE",
    "NUMBER",
    "PROSE",
    "SUFFIXES",
    "WRAPPED",
    "ConsoleLog",
    "lines",
    "number_in",
    "sample_lines",
    "text_of",
    "unwrapped",
]

NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+|nan|inf)"
"""How Python and NumPy print a number."""

ESCAPE = r"\x1b?\[[0-9;?]*[A-Za-z]"
"""What colours text or moves the cursor, as a progress bar does; collectors of logs may strip its first sign."""

PROSE = {".md", ".markdown", ".rst"}
"""Texts into which people paste what a console printed: read when they are named, no logs among other files."""

SUFFIXES = {".log", ".txt", ".out", ".err", "", *PROSE}
"""How files end that may hold what a console printed."""

WRAPPED = re.compile(rf"(?P<before>[\w.]*\(|['\"])?(?P<number>{NUMBER})(?P<after>[^()]*\)|['\"])?")

_SAMPLE_BYTES = 1 << 24
_LINES = 4000
"""Lines by which it is found out whether they were cut."""


class ConsoleLog(RowLog):
    """A log of a console, in which records stand among other output."""

    @abstractmethod
    def begins(self, line: str) -> bool:
        """Tell whether a line begins a record, whole or not."""

    @abstractmethod
    def is_whole(self, line: str) -> bool:
        """Tell whether a line ends with a record, and what was joined to it holds nothing else."""

    @abstractmethod
    def fields(self, line: str) -> list[LoggedRow]:
        """Return the records in a line, values as they are spelled."""

    def read(self) -> Iterator[RecordedRun]:
        """Yield the run that was printed."""
        yield self.run(self.logged())

    def logged(self) -> Iterator[LoggedRow]:
        """Yield the records."""
        for line in self.printed():
            yield from self.fields(line)

    def printed(self) -> Iterator[str]:
        """Yield the lines as they were printed, before a terminal cut them."""
        with self.path.open("rb") as file:
            yield from self.joined(map(text_of, file))

    def first_lines(self) -> Iterator[str]:
        """Yield the lines near the beginning as they were printed."""
        return self.joined(sample_lines(self.path))

    def joined(self, lines: Iterable[str]) -> Iterator[str]:
        """Put lines together that a terminal cut."""
        return iter(lines) if self.width is None else unwrapped_lines(lines, self.width, self.begins, self.is_whole)

    @cached_property
    def width(self) -> int | None:
        """At which width a terminal cut the records; None if it cut none."""
        return width_of(islice(sample_lines(self.path), _LINES), self.begins)


def number_in(text: str) -> Decimal | str:
    """Return the number that ``text`` spells, be it wrapped as ``np.float64(…)`` or quoted; else the text itself."""
    wrapped = WRAPPED.fullmatch(text)
    return text if wrapped is None else decimal(wrapped["number"])


def unwrapped(text: str) -> str:
    """Return what a value spells, without ``np.float64(…)`` or quotes around a number."""
    wrapped = WRAPPED.fullmatch(text)
    return text if wrapped is None else wrapped["number"]


def sample_lines(path: Path) -> Iterator[str]:
    """Yield the lines in the first 16 MiB of ``path``, to see what it holds; none if that is no text."""
    with path.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
    if b"\0" not in sample:
        yield from map(text_of, sample.split(b"\n"))


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of ``path`` that have an end; a last one without may be cut off."""
    with path.open("rb") as file:
        yield from (text_of(line) for line in file if line.endswith(b"\n"))


def text_of(line: bytes) -> str:
    """Decode a line so that bytes that are no UTF-8 survive."""
    return line.decode("utf-8", "surrogateescape")
