"""Tables of comma-separated values: metric names in the header, also behind run names as in exports of W&B charts.

A W&B export has ``run name - train/reward`` with ``__MIN`` and ``__MAX`` beside it, for each run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass

from ..csvcells import delimiter_of, read_record, records, split, unquoted
from ..input_errors import InputError
from ..log import Kind, Log
from ..reading import Account, LoggedRow, RecordedRun

__all__ = ["AXES", "EXTREMES", "KIND", "SEPARATOR", "CsvTable", "Header", "header_of", "title_of", "without_extreme"]

_SUFFIXES = {".csv", ".tsv"}
EXTREMES = {"__MIN": "__MAX", "__MAX": "__MIN"}
SEPARATOR = " - "
AXES = {
    *("Step", "step", "_step", "_runtime", "_timestamp", "Wall time", "Value", "Name", "name", "run", "run_id", ""),
    *("Relative Time (Process)", "Relative Time (Wall)", "Wall Time"),
}
"""Columns that hold an axis or name a run, not a metric."""
_DVCLIVE = ("plots", "metrics")
"""The folder below which DVCLive keeps a table for each key."""
_STEP = ("Step", "step", "_step", "global_step", "train/global_step")


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a file: cells as spelled, and where the body begins."""

    cells: list[str]
    delimiter: str
    end_of_line: str
    bom: bool
    start: int
    lines: int


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is named like a header."""
    return path.suffix.lower() in _SUFFIXES


class CsvTable(Log):
    """A table whose header names metrics: its series are columns, so that it decides for whole runs by itself."""

    def names(self) -> set[str]:
        """Return the names in the header, without the names of runs."""
        titles = [without_extreme(title_of(cell))[0] for cell in header_of(self.path).cells]
        return {title.rpartition(SEPARATOR)[2] for title in titles} - AXES

    def read(self) -> Iterator[RecordedRun]:
        """Yield each run: columns of W&B's exports name the run before the last separator."""
        header = header_of(self.path)
        runs: dict[str, dict[int, str]] = {}
        axis: int | None = None
        for index, cell in enumerate(header.cells):
            title, extreme = without_extreme(title_of(cell))
            run, separator, key = title.rpartition(SEPARATOR)
            if key in _STEP and not separator and axis is None:
                axis = index
            elif not extreme and key not in AXES:
                runs.setdefault(run + separator, {})[index] = key
        if not runs:
            msg = "no column has the name of a metric; name columns as the run logged them"
            raise InputError(msg, self.path, 1)
        for run, keys in runs.items():
            account = Account()
            if self.path.parent.parts[-3:-1] == _DVCLIVE or self.path.parent.parts[-2:] == _DVCLIVE:
                account.notes.append("DVCLive numbers calls of log: its steps are no optimizer steps")
            yield self.run(self._logged(header, keys, axis, account), account, run.removesuffix(SEPARATOR))

    def _logged(self, header: Header, keys: dict[int, str], axis: int | None, account: Account) -> Iterator[LoggedRow]:
        size = self.path.stat().st_size
        for line, record in records(self.path, header.start, size, header.lines + 1):
            text = record.decode("utf-8", "surrogateescape")
            if not text.strip("\r\n"):
                continue
            parts = split(text, header.delimiter)
            if parts is None or len(parts[0]) != len(header.cells):
                account.leave_out(record, f"line {line}: another number of cells than the header")
                continue
            cells = parts[0]
            values = {key: text for index, key in keys.items() if (text := unquoted(cells[index]).strip())}
            step = None
            if axis is not None:
                with suppress(ValueError):
                    step = float(unquoted(cells[axis]))
            if values:
                yield LoggedRow(step, values)


def header_of(path: Path) -> Header:
    """Return the header of a file.

    Raises:
        InputError: If there is none, or it is not UTF-8.
    """
    with path.open("rb") as file:
        try:
            record = read_record(file)
            text = record.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            msg = "the header is not UTF-8 text; convert the file"
            raise InputError(msg, path, 1, error.start + 1) from None
        except InputError as error:
            raise InputError(str(error), path, 1) from None
    delimiter = delimiter_of(text)
    parts = split(text, delimiter)
    if parts is None or not text.strip():
        msg = "there is no header; a table begins with the names of its columns"
        raise InputError(msg, path, 1)
    bom = record.startswith(b"\xef\xbb\xbf")
    return Header(parts[0], delimiter, parts[1], bom, len(record), text.count("\n"))


def title_of(cell: str) -> str:
    """Return what a cell of the header says, without the blanks that people write after a comma."""
    return unquoted(cell.strip(" "))


def without_extreme(title: str) -> tuple[str, str]:
    """Return a title without the mark of a minimum or maximum, and the mark."""
    mark = title[-5:]
    return (title[:-5], mark) if mark in EXTREMES else (title, "")


KIND = Kind("csv", recognises, CsvTable)
