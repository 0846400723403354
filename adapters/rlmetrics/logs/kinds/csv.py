"""Tables of comma-separated values: metric names in the header, or in a column of names beside one of numbers.

The export of a W&B chart has ``run name - train/reward`` with ``__MIN`` and ``__MAX`` beside it, for each run. A table
that people put together of several runs has a column that names the run of each row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass

from ..csvcells import delimiter_of, has_decimal_commas, is_number, read_record, records, split, unquoted, with_point
from ..input_errors import InputError
from ..log import Kind, Log
from ..reading import RUN_NAMES, Account, LoggedRow, RecordedRun
from ..shown_names import NOTHING, are_shown, logged_key
from ..table_layout import AXES, TableLayout, layout_of
from ..table_rows import logged_rows
from ..unrecognised import is_nameless

__all__ = [
    "EXTREMES",
    "KIND",
    "SEPARATOR",
    "CsvTable",
    "Header",
    "header_of",
    "key_in",
    "title_of",
    "without_extreme",
]

_SUFFIXES = {".csv", ".tsv"}
EXTREMES = {"__MIN": "__MAX", "__MAX": "__MIN"}
SEPARATOR = " - "
_SAMPLE_ROWS = 200
_LONGEST_HEADER = 1 << 8
"""A longer header names more than a series without a name."""
_STEP = ("Step", "step", "_step", "global_step", "train/global_step")


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a file: cells as spelled, where the body begins, and whether numbers in it have decimal commas."""

    cells: list[str]
    delimiter: str
    end_of_line: str
    bom: bool
    start: int
    lines: int
    commas: bool = False


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is named like a table, and its header names more than the values of one series."""
    if path.suffix.lower() not in _SUFFIXES:
        return False
    with path.open("rb") as file:
        return not is_nameless(file.readline(_LONGEST_HEADER))


class CsvTable(Log):
    """A table: its series are columns, or share a column of names, so that it decides for whole runs by itself."""

    @cached_property
    def layout(self) -> TableLayout:
        """Which columns are what, by the first rows."""
        header = header_of(self.path)
        titles = [title_of(cell) for cell in header.cells]
        rows = [[*map(unquoted, cells)] for cells in _first_rows(self.path, header.start, header.delimiter)]
        columns = [
            {with_point(row[place].strip()) for row in rows if len(row) == len(titles)} - NOTHING
            for place in range(len(titles))
        ]
        numbers = [title for title, cells in zip(titles, columns, strict=True) if cells and all(map(is_number, cells))]
        texts = [title for title, cells in zip(titles, columns, strict=True) if cells and title not in numbers]
        return layout_of(titles, texts, numbers)

    def keys(self) -> dict[str, None]:
        """Return the names in the column of a long table, in their order."""
        column = str(self.layout.key)
        return dict.fromkeys(str(point[column]) for point in self._points() if point[column])

    def names(self) -> set[str]:
        """Return the names in the header, without the names of runs, or those in a column."""
        if self.layout.is_long:
            return {*self.keys()}
        titles = [without_extreme(title_of(cell))[0] for cell in header_of(self.path).cells]
        shown = are_shown(titles)
        return {key_in(title, shown=shown) for title in titles} - AXES

    def read(self) -> Iterator[RecordedRun]:
        """Yield each run: columns of W&B's exports name the run before the last separator."""
        if self.layout.is_long:
            yield from self._read_long()
            return
        header = header_of(self.path)
        runs: dict[str, dict[int, str]] = {}
        axis: int | None = None
        shown = are_shown(map(title_of, header.cells))
        for index, cell in enumerate(header.cells):
            title, extreme = without_extreme(title_of(cell))
            run, separator, _ = title.rpartition(SEPARATOR)
            key = title if title in AXES else key_in(title, shown=shown)
            if key in _STEP and not separator and axis is None:
                axis = index
            elif not extreme and key not in AXES:
                runs.setdefault(run + separator, {})[index] = key
        if not runs:
            msg = "no column has the name of a metric; name columns as the run logged them"
            raise InputError(msg, self.path, 1)
        named = self._runs_in(header) if [*runs] == [""] else None
        if named is not None:
            place, names = named
            for name in names:
                account = Account()
                yield self.run(self._logged(header, runs[""], axis, account, (place, name)), account, name)
            return
        for run, keys in runs.items():
            account = Account()
            yield self.run(self._logged(header, keys, axis, account), account, run.removesuffix(SEPARATOR))

    def _read_long(self) -> Iterator[RecordedRun]:
        """Yield each run of a table with a row for each number."""
        run = self.layout.run
        names = [""] if run is None else [*dict.fromkeys(str(point[run] or "") for point in self._points())]
        for name in names:
            account = Account()
            points = (point for point in self._points(account) if run is None or str(point[run] or "") == name)
            yield self.run(logged_rows(self.layout, points), account, name if len(names) > 1 else "")

    def _points(self, account: Account | None = None) -> Iterator[dict[str, Any]]:
        """Yield the rows of a long table: what each says, None where it says nothing, and steps as numbers."""
        header = header_of(self.path)
        titles = [title_of(cell) for cell in header.cells]
        for line, record in records(self.path, header.start, self.path.stat().st_size, header.lines + 1):
            parts = split(record.decode("utf-8", "surrogateescape"), header.delimiter)
            if parts is None or len(parts[0]) != len(titles):
                if account is not None and record.strip():
                    account.leave_out(record, f"line {line}: another number of cells than the header")
                continue
            texts = (unquoted(cell).strip() for cell in parts[0])
            cells = [with_point(text) if header.commas else text for text in texts]
            point: dict[str, Any] = {
                title: None if text in NOTHING else text for title, text in zip(titles, cells, strict=True)
            }
            if self.layout.step is not None:
                step = point[self.layout.step]
                point[self.layout.step] = float(step) if step is not None and is_number(step) else None
            yield point

    def _runs_in(self, header: Header) -> tuple[int, list[str]] | None:
        """Return the column that names the run of each row, and these runs; None where it tells no several of them.

        A table with one row for each run, such as of final scores, is none of their courses.
        """
        titles = [title_of(cell) for cell in header.cells]
        place = next((titles.index(name) for name in RUN_NAMES if name in titles), None)
        if place is None:
            return None
        rows: Counter[str] = Counter()
        for _, record in records(self.path, header.start, self.path.stat().st_size, header.lines + 1):
            parts = split(record.decode("utf-8", "surrogateescape"), header.delimiter)
            if parts is not None and len(parts[0]) == len(titles):
                rows[unquoted(parts[0][place]).strip()] += 1
        return (place, [*rows]) if len(rows) > 1 and max(rows.values()) > 1 else None

    def _logged(
        self,
        header: Header,
        keys: dict[int, str],
        axis: int | None,
        account: Account,
        of: tuple[int, str] | None = None,
    ) -> Iterator[LoggedRow]:
        """Yield the rows with the columns of a run; where a column names the run, those with a name in it."""
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
            if of is not None and unquoted(cells[of[0]]).strip() != of[1]:
                continue
            if header.commas:
                cells = [with_point(unquoted(cell).strip()) for cell in cells]
            texts = {key: unquoted(cells[index]).strip() for index, key in keys.items()}
            values = {key: text for key, text in texts.items() if text not in NOTHING}
            step = None
            if axis is not None:
                with suppress(ValueError):
                    step = float(unquoted(cells[axis]))
            if values:
                yield LoggedRow(step, values)


def key_in(title: str, *, shown: bool) -> str:
    """Return the key in a title, without the name of a run; where notebooks show names in their way, that one."""
    key = title.rpartition(SEPARATOR)[2]
    return logged_key(key) if shown and key not in AXES else key


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
    first = (cell for cells in _first_rows(path, len(record), delimiter) for cell in cells)
    commas = delimiter != "," and has_decimal_commas(first)
    return Header(parts[0], delimiter, parts[1], bom, len(record), text.count("\n"), commas)


def _first_rows(path: Path, start: int, delimiter: str) -> Iterator[list[str]]:
    """Yield the cells of each of the first rows."""
    with path.open("rb") as file, suppress(InputError):
        file.seek(start)
        for _ in range(_SAMPLE_ROWS):
            parts = split(read_record(file).decode("utf-8", "surrogateescape"), delimiter)
            yield parts[0] if parts is not None else []


def title_of(cell: str) -> str:
    """Return what a cell of the header says, without the blanks that people write after a comma."""
    return unquoted(cell.strip(" "))


def without_extreme(title: str) -> tuple[str, str]:
    """Return a title without the mark of a minimum or maximum, and the mark."""
    mark = title[-5:]
    return (title[:-5], mark) if mark in EXTREMES else (title, "")


KIND = Kind("csv", recognises, CsvTable)
