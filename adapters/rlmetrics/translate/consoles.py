"""What logs of consoles have in common: records among other output, one a line; only names change."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from pathlib import Path

from rlmetrics.logs.decimals import number as decimal
from rlmetrics.logs.decimals import printed, spelled
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.reading import LoggedRow, RecordedRun

from .logs import RowLog
from .report import Report
from .translator import TranslatedEntry, Translator

__all__ = [
    "ESCAPE",
    "NUMBER",
    "PROSE",
    "SUFFIXES",
    "ConsoleLog",
    "entries_of",
    "lines",
    "number_in",
    "number_like",
    "sample_lines",
    "text_of",
    "translate_lines",
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

_WRAPPED = re.compile(rf"(?P<before>[\w.]*\(|['\"])?(?P<number>{NUMBER})(?P<after>[^()]*\)|['\"])?")

_SAMPLE_BYTES = 1 << 24


class ConsoleLog(RowLog):
    """A log of a console, in which records stand among other output."""

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
        """Yield the lines as they were printed."""
        with self.path.open("rb") as file:
            yield from map(text_of, file)


def number_in(text: str) -> Decimal | str:
    """Return the number that ``text`` spells, be it wrapped as ``np.float64(…)`` or quoted; else the text itself."""
    wrapped = _WRAPPED.fullmatch(text)
    return text if wrapped is None else decimal(wrapped["number"])


def unwrapped(text: str) -> str:
    """Return what a value spells, without ``np.float64(…)`` or quotes around a number."""
    wrapped = _WRAPPED.fullmatch(text)
    return text if wrapped is None else wrapped["number"]


def number_like(text: str, value: object) -> str:
    """Return ``value`` as ``text`` was spelled: within the same wrapper or quotes.

    Quoted numbers are those that transformers 5 prints with four significant digits.
    """
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is None or not isinstance(value, Decimal):
        return text
    before, after = wrapped["before"] or "", wrapped["after"] or ""
    number = _number(wrapped["number"], value) if before not in {'"', "'"} else f"{float(value):.4g}"
    return f"{before}{number}{after}"


def _number(text: str, value: Decimal) -> str:
    """Return a number as an integer if ``text`` is one."""
    return spelled(value) if text.lstrip("+-").isdigit() else printed(value)


def entries_of(fields: Mapping[str, str], translator: Translator) -> list[TranslatedEntry]:
    """Return the entries of a translated record, whose values are given as they are spelled."""
    moves = translator.moves(tuple(fields))
    if moves is None:
        moves = translator.entries({key: number_in(text) for key, text in fields.items()})
    return moves


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


def translate_lines(
    path: Path,
    output: Path,
    report: Report,
    rewrite: Callable[[str], tuple[str, int]],
    torn: Callable[[str], bool],
    printed: Iterable[str] | None = None,
) -> None:
    """Copy ``path`` to ``output`` line by line.

    Args:
        path: The log.
        output: Where the copy goes.
        report: Where records and losses are counted.
        rewrite: Returns the text to write for a line, and how many records it holds.
        torn: Tells whether a last line without a line end was cut off in a record; it is left out then.
        printed: Its lines as they were printed; by default as they stand in the file.

    Raises:
        InputError: If a record can't be translated, with its line.
    """
    with path.open("rb") as file, output.open("wb") as out:
        for number, text in enumerate(map(text_of, file) if printed is None else printed, start=1):
            if not text.endswith("\n") and torn(text):
                report.lost.records += 1
                report.lost.bytes += len(text.encode("utf-8", "surrogateescape"))
                continue
            try:
                written, records = rewrite(text)
            except InputError as error:
                raise InputError(str(error), path, number) from None
            report.records += records
            out.write((written if records else text).encode("utf-8", "surrogateescape"))


def text_of(line: bytes) -> str:
    """Decode a line so that bytes that are no UTF-8 survive."""
    return line.decode("utf-8", "surrogateescape")
