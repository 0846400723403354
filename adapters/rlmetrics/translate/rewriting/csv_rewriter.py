"""Writes tables with other names in their headers.

Only the header is rewritten and the rest copied as it is, unless values are converted or a column is left out or
written twice.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import BinaryIO

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.csvcells import quoted_like, records, scan, split, unquoted, with_point
from rlmetrics.logs.decimals import convert_decimal, printed
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.csv import EXTREMES, SEPARATOR, CsvTable, Header, header_of, title_of, without_extreme
from rlmetrics.logs.shown_names import NOTHING, are_shown, logged_key, shown_like
from rlmetrics.logs.table_layout import AXES

from ..report import Report
from ..translation_plan import Translation
from ..translator import TranslatedEntry, Translator
from .log_rewriter import LogRewriter

__all__ = ["CsvRewriter"]


class CsvRewriter(LogRewriter[CsvTable]):
    """Writes a table: its series are columns, so that it decides for whole runs by itself."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in its header translated and values converted where they must be.

        A last row without a line end and with fewer cells than the header was cut off and is left out.

        Raises:
            InputError: If the file is no table, or a value to be converted is no number.
        """
        path = self.log.path
        header = header_of(path)
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

        if self.log.layout.is_long:
            with path.open("rb") as file, output.open("wb") as out:
                out.write(file.read(header.start))
                self._rewrite_long(out, header, end, translator)
            return

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
                for line, cells, end_of_line in _lines(path, header, end):
                    row = [_value(path, line, cells[c.index], c.move, header) for c in written] if cells else []
                    text = header.delimiter.join(row) + end_of_line
                    out.write(text.encode("utf-8", "surrogateescape"))

    def _rewrite_long(self, out: BinaryIO, header: Header, end: int, translator: Translator) -> None:
        """Write a copy of the rows of a table with one for each number: a key goes one way in all of its runs."""
        path, layout = self.log.path, self.log.layout
        titles = [title_of(cell) for cell in header.cells]
        place, number = titles.index(str(layout.key)), titles.index(str(layout.value))
        keys = self.log.keys()
        entries = translator.moves(tuple(keys))
        if entries is None:
            hashes = {key: hashlib.sha256() for key in keys}
            for line, cells, _ in _rows(path, header, end):
                key = unquoted(cells[place]).strip()
                if key in hashes:
                    text = _comparable(path, line, cells[number], translator.key(key), header)
                    others = [cell for at, cell in enumerate(cells) if at not in (place, number)]
                    hashes[key].update(f"{others} {text}\n".encode("utf-8", "surrogateescape"))
            entries = translator.entries({key: digest.hexdigest() for key, digest in hashes.items()})
        written: dict[str, list[TranslatedEntry]] = {key: [] for key in keys}
        for entry in entries:
            written[entry.old].append(entry)
        for line, cells, end_of_line in _lines(path, header, end):
            key = unquoted(cells[place]).strip() if cells else ""
            if not cells or key not in written:
                out.write((header.delimiter.join(cells) + end_of_line).encode("utf-8", "surrogateescape"))
                continue
            for entry in written[key]:
                row = list(cells)
                if entry.name != key:
                    row[place] = quoted_like(row[place], entry.name, header.delimiter)
                if entry.converted:
                    row[number] = _value(path, line, row[number], translator.key(key), header)
                out.write((header.delimiter.join(row) + end_of_line).encode("utf-8", "surrogateescape"))


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


def _column(index: int, title: str, translator: Translator) -> _Column:
    """Part a title into run and metric: at the last separator before a known name, else at the last one."""
    title, extreme = without_extreme(title)
    if SEPARATOR not in title or translator.key(title).metric is not None:
        return _Column(index, "", title, extreme)
    at = len(title)
    while (at := title.rfind(SEPARATOR, 0, at)) >= 0:
        start = at + len(SEPARATOR)
        if translator.key(title[start:]).metric is not None:
            return _Column(index, title[:start], title[start:], extreme)
    run, separator, key = title.rpartition(SEPARATOR)
    return _Column(index, run + separator, key, extreme)


def _plan(
    header: Header, translator: Translator, values: Callable[[Iterable[_Column]], dict[str, str]]
) -> list[_Written]:
    """Decide the columns of the output: those of one run and one statistic are translated like one row."""
    groups: list[dict[str, _Column]] = []
    by_group: dict[tuple[str, str], list[dict[str, _Column]]] = {}
    plain: dict[int, list[_Written]] = {}
    shown = are_shown(map(title_of, header.cells))
    for index, cell in enumerate(header.cells):
        title = title_of(cell)
        column = _column(index, logged_key(title) if shown and title not in AXES else title, translator)
        if title in AXES or column.key in AXES:
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
                extreme = EXTREMES.get(extreme, "")
            if entry.name != entry.old or extreme != column.extreme:
                name = shown_like(entry.name, title_of(cell)) if shown else entry.name
                cell = quoted_like(cell, f"{column.run}{name}{extreme}", header.delimiter)
            plain.setdefault(column.index, []).append(_Written(column.index, cell, move))
    return [written for index in sorted(plain) for written in plain[index]]


def _digests(path: Path, header: Header, end: int, translator: Translator, columns: list[_Column]) -> dict[str, str]:
    """Return, for each column, a text that is equal for columns with equal values as they would be written."""
    outputs = [translator.key(column.key).output for column in columns]
    claims = Counter(outputs)
    compared = [c for c, output in zip(columns, outputs, strict=True) if claims[output] > 1]
    hashes = {column.key: hashlib.sha256() for column in compared}
    if compared:
        for line, cells, _ in _rows(path, header, end):
            for column in compared:
                text = _comparable(path, line, cells[column.index], translator.key(column.key), header)
                hashes[column.key].update(f"{text}\n".encode("utf-8", "surrogateescape"))
    return {c.key: hashes[c.key].hexdigest() if c.key in hashes else "" for c in columns}


def _comparable(path: Path, line: int, cell: str, move: Translation, header: Header) -> str:
    """Return what a cell would be written as, so that equal numbers are equal texts."""
    text = unquoted(_value(path, line, cell, move if move.translated else None, header))
    with suppress(ValueError):
        text = repr(float(with_point(text) if header.commas else text))
    return text


def _rows(path: Path, header: Header, end: int) -> Iterable[tuple[int, list[str], str]]:
    """Yield number, cells and line end of each row."""
    return (row for row in _lines(path, header, end) if row[1])


def _lines(path: Path, header: Header, end: int) -> Iterable[tuple[int, list[str], str]]:
    """Yield number, cells and line end of each line; an empty one has no cells."""
    for line, record in records(path, header.start, end, header.lines + 1):
        text = record.decode("utf-8", "surrogateescape")
        if not text.strip("\r\n"):
            yield line, [], text
            continue
        parts = split(text, header.delimiter)
        if parts is None or len(parts[0]) != len(header.cells):
            msg = f"a row has {len(parts[0]) if parts else 'broken'} cells where the header has {len(header.cells)}"
            raise InputError(f"{msg}; mend or remove it", path, line)
        yield line, *parts


def _value(path: Path, line: int, cell: str, move: Translation | None, header: Header) -> str:
    """Return a cell with its number converted; empty cells and NaN stay as they are."""
    if move is None or move.transform is None:
        return cell
    text = unquoted(cell).strip()
    if header.commas:
        text = with_point(text)
    try:
        number = Decimal("nan" if text in NOTHING else text)
        if number.is_nan():
            return cell
        changed = convert_decimal(number, move.transform.scale, move.transform.offset)
    except (InvalidOperation, TypeError):
        msg = f"{move.key}: {text[:40]!r} can't be converted; leave it out, or translate with --strict"
        raise InputError(msg, path, line) from None
    spelled = _infinity_like(text, changed) if changed.is_infinite() else printed(changed)
    return quoted_like(cell, spelled.replace(".", ",") if header.commas else spelled, header.delimiter)


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
