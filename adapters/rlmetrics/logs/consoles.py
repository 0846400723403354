"""What logs of consoles have in common: records among other output, one a line, which a terminal may have cut."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import cached_property
from itertools import islice
from pathlib import Path

from .decimals import number as decimal
from .log import RowLog
from .reading import Account, LoggedRow, RecordedRun
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
    "rank_of",
    "rank_read",
    "sample_lines",
    "text_of",
    "unwrapped",
]

NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+|nan|inf)"
"""How Python and NumPy print a number."""

ESCAPE = r"\x1b?\[[0-9;?]*[A-Za-z]"
"""What colours text or moves the cursor, as a progress bar does; collectors of logs may strip its first sign."""

PROSE = {".md", ".markdown", ".rst", ".org"}
"""Texts into which people paste what a console printed: read when they are named, no logs among other files."""

SUFFIXES = {".log", ".txt", ".out", ".err", "", *PROSE}
"""How files end that may hold what a console printed."""

WRAPPED = re.compile(rf"(?P<before>[\w.]*\(|['\"‘’“”])?(?P<number>{NUMBER})(?P<after>[^()]*\)|['\"‘’“”])?")

_SAMPLE_BYTES = 1 << 24
_BYTES_PER_NUL = 200
_LINES = 4000
"""Lines by which it is found out whether they were cut."""
_RANK = re.compile(r"(?:\x1b\[[0-9;]*m)*(?:\[(?:rank ?|default|rank_)(?P<named>[0-9]{1,5})\]:?|(?P<bare>[0-9]{1,5}): )")
_FEWEST_OF_RANK = 2
"""Records that a process has at least by which it is known."""


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
        account = Account()
        account.notes += self.rank_notes()
        yield self.run(self.logged(), account)

    def logged(self) -> Iterator[LoggedRow]:
        """Yield the records."""
        for line in self.of_one_rank():
            yield from self.fields(line)

    def of_one_rank(self) -> Iterator[str]:
        """Yield the lines as they were printed, without those of further processes that print the same records."""
        rank = self.ranks[0]
        lines = self.printed()
        return lines if rank is None else (line for line in lines if rank_of(line) in (None, rank))

    @cached_property
    def ranks(self) -> tuple[int | None, int]:
        """The process that is read where several print records, and how many do."""
        return rank_read(
            line for line in islice(self.first_lines(), _LINES) if rank_of(line) is not None and self.fields(line)
        )

    def rank_notes(self) -> list[str]:
        """Return what is to be said where one process of several is read."""
        rank, count = self.ranks
        return [] if rank is None else [ranks_note(rank, count)]

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


def rank_of(line: str) -> int | None:
    """Return the process that printed a line; None if it does not say."""
    found = _RANK.match(line)
    return None if found is None else int(found["named"] or found["bare"])


def rank_read(lines: Iterable[str]) -> tuple[int | None, int]:
    """Return the process whose records are read where several print as many each, and how many do; None if none does.

    Args:
        lines: Those that hold a record.
    """
    counts = Counter(rank for line in lines if (rank := rank_of(line)) is not None)
    most = max(counts.values(), default=0)
    if most < _FEWEST_OF_RANK or len(counts) < 2 or min(counts.values()) * 2 < most:
        return None, 0
    return min(counts), len(counts)


def ranks_note(rank: int, count: int) -> str:
    """Return what is said of a run of which one process is read."""
    return f"{count} ranks print the run: what rank {rank} prints is read, and the others' lines are left out"


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
    if _is_text(sample):
        yield from map(text_of, sample.split(b"\n"))


def _is_text(sample: bytes) -> bool:
    """Tell text, in which responses of a model that knows nothing yet may print some NUL bytes, from binary files."""
    return b"\0" not in sample.partition(b"\n")[0] and sample.count(b"\0") * _BYTES_PER_NUL <= len(sample)


def lines(path: Path) -> Iterator[str]:
    """Yield the lines of ``path`` that have an end; a last one without may be cut off, but for what was drawn over."""
    with path.open("rb") as file:
        for line in file:
            whole = line if line.endswith(b"\n") else line[: line.rfind(b"\r") + 1]
            if whole:
                yield text_of(whole)


def text_of(line: bytes) -> str:
    """Decode a line so that bytes that are no UTF-8 survive."""
    return line.decode("utf-8", "surrogateescape")
