"""Tables of comma-separated values: metric names in the header, also behind run names as in exports of W&B charts.

A W&B export has ``run name - train/reward`` with ``__MIN`` and ``__MAX`` beside it, for each run. Only the header is
rewritten and the rest copied as it is, unless values are converted or a column is left out or written twice.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.csvcells import delimiter_of, quoted_like, read_record, records, scan, split, unquoted
from rlmetrics.logs.decimals import convert_decimal, printed
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.reading import Account, LoggedRow, RecordedRun

from ..logs import Kind, Log
from ..report import Report
from ..translation_plan import Translation
from ..translator import Translator

__all__ = ["KIND"]

_SUFFIXES = {".csv", ".tsv"}
_EXTREMES = {"__MIN": "__MAX", "__MAX": "__MIN"}
_SEPARATOR = " - "
_AXES = {
    *("Step", "step", "_step", "_runtime", "_timestamp", "Wall time", "Value", "Name", "name", "run", "run_id", ""),
    *("Relative Time (Process)", "Relative Time (Wall)", "Wall Time"),
}
"""Columns that hold an axis or name a run, not a metric."""
_DVCLIVE = ("plots", "metrics")
"""The folder below which DVCLive keeps a table for each key."""
_STEP = ("Step", "step", "_step", "global_step", "train/global_step")


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of a file: cells as spelled, and where the body begins."""

    cells: list[str]
    delimiter: str
    end_of_line: str
    bom: bool
    start: int
    lines: int


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of the input: its metric, and what surrounds the name."""

    index: int
    run: str
    key: str
    extreme: str


@dataclass(frozen=True, slots=True)
class _Written:
    """A column of the output: where its values come from and how they are converted."""

    index: int
    cell: str
    move: Translation | None


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is named like a header."""
    return path.suffix.lower() in _SUFFIXES


class CsvTable(Log):
    """A table whose header names metrics: its series are columns, so that it decides for whole runs by itself."""

    def names(self) -> set[str]:
        """Return the names in the header, without the names of runs."""
        titles = [_extreme(_title(cell))[0] for cell in _header(self.path).cells]
        return {title.rpartition(_SEPARATOR)[2] for title in titles} - _AXES

    def read(self) -> Iterator[RecordedRun]:
        """Yield each run: columns of W&B's exports name the run before the last separator."""
        header = _header(self.path)
        runs: dict[str, dict[int, str]] = {}
        axis: int | None = None
        for index, cell in enumerate(header.cells):
            title, extreme = _extreme(_title(cell))
            run, separator, key = title.rpartition(_SEPARATOR)
            if key in _STEP and not separator and axis is None:
                axis = index
            elif not extreme and key not in _AXES:
                runs.setdefault(run + separator, {})[index] = key
        if not runs:
            msg = "no column has the name of a metric; name columns as the run logged them"
            raise InputError(msg, self.path, 1)
        for run, keys in runs.items():
            account = Account()
            if self.path.parent.parts[-3:-1] == _DVCLIVE or self.path.parent.parts[-2:] == _DVCLIVE:
                account.notes.append("DVCLive numbers calls of log: its steps are no optimizer steps")
            yield self.run(self._logged(header, keys, axis, account), account, run.removesuffix(_SEPARATOR))

    def _logged(self, header: _Header, keys: dict[int, str], axis: int | None, account: Account) -> Iterator[LoggedRow]:
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

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in its header translated and values converted where they must be.

        A last row without a line end and with fewer cells than the header was cut off and is left out.

        Raises:
            InputError: If the file is no table, or a value to be converted is no number.
        """
        path = self.path
        header = _header(path)
        with path.open("rb") as file:
            rows, end = scan(file, header.start)
            size = os.fstat(file.fileno()).st_size
            file.seek(end)
            tail = file.read(1 << 20) if end < size else b""
        if tail.strip():
            parts = split(tail.decode("utf-8", "surrogateescape"), header.delimiter)
            if parts is None or len(parts[0]) < len(header.cells):
                report.lost.records += 1
                report.lost.bytes += size - end
            else:
                rows, end = rows + 1, size
        else:
            end = size
        report.records += rows

        def values(columns: Iterable[_Column]) -> dict[str, str]:
            return _digests(path, header, end, translator, list(columns))

        written = _plan(header, translator, values)
        first = header.delimiter.join(column.cell for column in written) + header.end_of_line
        with output.open("wb") as out:
            out.write(first.encode("utf-8-sig" if header.bom else "utf-8"))
            is_plain = [column.index for column in written] == list(range(len(header.cells)))
            if is_plain and not any(column.move for column in written):
                _copy(path, out.write, header.start, end)
            else:
                for line, cells, end_of_line in _rows(path, header, end):
                    row = [_value(path, line, cells[c.index], c.move) for c in written]
                    text = header.delimiter.join(row) + end_of_line
                    out.write(text.encode("utf-8", "surrogateescape"))


def _header(path: Path) -> _Header:
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
    return _Header(parts[0], delimiter, parts[1], bom, len(record), text.count("\n"))


def _title(cell: str) -> str:
    """Return what a cell of the header says, without the blanks that people write after a comma."""
    return unquoted(cell.strip(" "))


def _extreme(title: str) -> tuple[str, str]:
    """Return a title without the mark of a minimum or maximum, and the mark."""
    mark = title[-5:]
    return (title[:-5], mark) if mark in _EXTREMES else (title, "")


def _column(index: int, title: str, translator: Translator) -> _Column:
    """Part a title into run and metric: at the last separator before a known name, else at the last one."""
    title, extreme = _extreme(title)
    if _SEPARATOR not in title or translator.key(title).metric is not None:
        return _Column(index, "", title, extreme)
    at = len(title)
    while (at := title.rfind(_SEPARATOR, 0, at)) >= 0:
        start = at + len(_SEPARATOR)
        if translator.key(title[start:]).metric is not None:
            return _Column(index, title[:start], title[start:], extreme)
    run, separator, key = title.rpartition(_SEPARATOR)
    return _Column(index, run + separator, key, extreme)


def _plan(
    header: _Header, translator: Translator, values: Callable[[Iterable[_Column]], dict[str, str]]
) -> list[_Written]:
    """Decide the columns of the output: those of one run and one statistic are translated like one row."""
    groups: list[dict[str, _Column]] = []
    by_group: dict[tuple[str, str], list[dict[str, _Column]]] = {}
    plain: dict[int, list[_Written]] = {}
    for index, cell in enumerate(header.cells):
        title = _title(cell)
        column = _column(index, title, translator)
        if title in _AXES or column.key in _AXES:
            plain[index] = [_Written(index, cell, None)]
            continue
        # Runs of one name have columns of one name: the second of them belongs to the second run.
        same = by_group.setdefault((column.run, column.extreme), [])
        group = next((group for group in same if column.key not in group), None)
        if group is None:
            group = {}
            same.append(group)
            groups.append(group)
        group[column.key] = column
    for group in groups:
        # Values are read only where several columns claim one name, or are equal to one that does.
        entries = translator.moves(tuple(group))
        if entries is None:
            entries = translator.entries(values(group.values()))
        for entry in entries:
            column = group[entry.old]
            cell = header.cells[column.index]
            move = translator.key(entry.old) if entry.converted else None
            extreme = column.extreme
            if move and move.transform and move.transform.scale < 0:
                extreme = _EXTREMES.get(extreme, "")
            if entry.name != entry.old or extreme != column.extreme:
                cell = quoted_like(cell, f"{column.run}{entry.name}{extreme}", header.delimiter)
            plain.setdefault(column.index, []).append(_Written(column.index, cell, move))
    return [written for index in sorted(plain) for written in plain[index]]


def _digests(path: Path, header: _Header, end: int, translator: Translator, columns: list[_Column]) -> dict[str, str]:
    """Return, for each column, a text that is equal for columns with equal values as they would be written."""
    outputs = [translator.key(column.key).output for column in columns]
    claims = Counter(outputs)
    compared = [c for c, output in zip(columns, outputs, strict=True) if claims[output] > 1]
    hashes = {column.key: hashlib.sha256() for column in compared}
    if compared:
        for line, cells, _ in _rows(path, header, end):
            for column in compared:
                move = translator.key(column.key)
                text = unquoted(_value(path, line, cells[column.index], move if move.translated else None))
                with suppress(ValueError):
                    text = repr(float(text))
                hashes[column.key].update(f"{text}\n".encode("utf-8", "surrogateescape"))
    return {c.key: hashes[c.key].hexdigest() if c.key in hashes else "" for c in columns}


def _rows(path: Path, header: _Header, end: int) -> Iterable[tuple[int, list[str], str]]:
    for line, record in records(path, header.start, end, header.lines + 1):
        text = record.decode("utf-8", "surrogateescape")
        if not text.strip("\r\n"):
            continue
        parts = split(text, header.delimiter)
        if parts is None or len(parts[0]) != len(header.cells):
            msg = f"a row has {len(parts[0]) if parts else 'broken'} cells where the header has {len(header.cells)}"
            raise InputError(f"{msg}; mend or remove it", path, line)
        yield line, *parts


def _value(path: Path, line: int, cell: str, move: Translation | None) -> str:
    """Return a cell with its number converted; empty cells and NaN stay as they are."""
    if move is None or move.transform is None:
        return cell
    text = unquoted(cell).strip()
    try:
        number = Decimal(text or "nan")
        if number.is_nan():
            return cell
        changed = convert_decimal(number, move.transform.scale, move.transform.offset)
    except (InvalidOperation, TypeError):
        msg = f"{move.key}: {text[:40]!r} can't be converted; leave it out, or translate with --strict"
        raise InputError(msg, path, line) from None
    return quoted_like(cell, _infinity_like(text, changed) if changed.is_infinite() else printed(changed), ",")


def _infinity_like(text: str, value: Decimal) -> str:
    """Return an infinity spelled as ``text`` is."""
    return ("-" if value < 0 else "") + text.lstrip("+-")


def _copy(path: Path, write: Callable[[bytes], object], start: int, end: int) -> None:
    with path.open("rb") as file:
        file.seek(start)
        while start < end:
            chunk = file.read(min(1 << 20, end - start))
            write(chunk)
            start += len(chunk)


KIND = Kind("csv", recognises, CsvTable)
