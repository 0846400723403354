"""Records of a CSV file as spelled: cells keep their quotes, so that what isn't changed is written as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .input_errors import InputError

__all__ = [
    "ScannedRows",
    "delimiter_of",
    "has_decimal_commas",
    "is_number",
    "quoted_like",
    "read_record",
    "records",
    "scan",
    "split",
    "unquoted",
    "with_point",
]

_CHUNK = 1 << 20
_MAX_RECORD = 1 << 24
_EMPTY = (b"", b"\r")
"""What a line is, without the end of it, that holds no record."""
_WITH_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+(?:[eE][-+]?[0-9]+)?")
_WITH_POINT = re.compile(r"[-+]?[0-9]+\.[0-9]+(?:[eE][-+]?[0-9]+)?")
_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}")
"""A number with a comma that may as well part its thousands."""


class ScannedRows(NamedTuple):
    """Where the body of a file ends in its last whole record, and how many records it has."""

    records: int
    end: int


def delimiter_of(header: str) -> str:
    """Return the delimiter of a header: the comma, unless tabs or semicolons are all that parts it."""
    bare = re.sub(r'"(?:[^"]|"")*"', "", header)
    return next((mark for mark in (",", "\t", ";") if mark in bare), ",")


def is_number(text: str) -> bool:
    """Tell whether a cell holds a number, as Python reads them."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def has_decimal_commas(cells: Iterable[str]) -> bool:
    """Tell whether decimals stand behind a comma, as spreadsheets of many languages write them."""
    commas = False
    for cell in cells:
        text = unquoted(cell).strip()
        if _WITH_POINT.fullmatch(text):
            return False
        commas |= _WITH_COMMA.fullmatch(text) is not None and _THOUSANDS.fullmatch(text) is None
    return commas


def with_point(text: str) -> str:
    """Return a number whose decimals stand behind a comma with a point; any other text as it is."""
    return text.replace(",", ".") if _WITH_COMMA.fullmatch(text) else text


def read_record(file: BinaryIO) -> bytes:
    """Return the next record with its line end; a quoted cell may hold line ends.

    Raises:
        InputError: If no record ends within 16 MiB.
    """
    record = file.readline(_MAX_RECORD)
    while record.count(b'"') % 2 and (more := file.readline(_MAX_RECORD)):
        record += more
        if len(record) > _MAX_RECORD:
            msg = "a quoted cell does not end; mend its closing quote"
            raise InputError(msg)
    return record


def split(record: str, delimiter: str) -> tuple[list[str], str] | None:
    """Return the cells of a record as spelled and its line end; None if it is cut off within quotes or malformed."""
    body = record.rstrip("\r\n")
    cells: list[str] = []
    cell = _cell(delimiter)
    at = 0
    while True:
        match = cell.match(body, at)
        if match is None:
            return None
        cells.append(match[0])
        at = match.end()
        if at == len(body):
            return cells, record[len(body) :]
        at += len(delimiter)


_CELLS = {
    mark: re.compile(rf'(?:[ ]*"(?:[^"]|"")*"[ ]*|[^"{re.escape(mark)}][^{re.escape(mark)}]*|)(?={re.escape(mark)}|$)')
    for mark in (",", "\t", ";")
}


def _cell(delimiter: str) -> re.Pattern[str]:
    return _CELLS[delimiter]


def unquoted(cell: str) -> str:
    """Return what a cell says."""
    bare = cell.strip(" ")
    return bare[1:-1].replace('""', '"') if len(bare) > 1 and bare[0] == bare[-1] == '"' else cell


def quoted_like(cell: str, text: str, delimiter: str) -> str:
    """Return ``text`` as a cell: between the blanks of ``cell``, and quoted if that is, or if it must be."""
    bare = cell.strip(" ")
    before, after = cell.split(bare, 1) if bare else (cell, "")
    if bare.startswith('"') or any(mark in text for mark in (delimiter, '"', "\n", "\r")):
        text = '"' + text.replace('"', '""') + '"'
    return f"{before}{text}{after}"


def scan(file: BinaryIO, start: int) -> ScannedRows:
    """Count the records from ``start`` on, but for empty lines, and find where the last line end outside quotes is."""
    file.seek(start)
    count, end, at, inside, begun = 0, start, start, False, False
    while chunk := file.read(_CHUNK):
        for number, part in enumerate(chunk.split(b'"')):
            if number:
                inside, begun = not inside, True
                at += 1
            if not inside and b"\n" in part:
                first, *lines, last = part.split(b"\n")
                count += (begun or first not in _EMPTY) + len(lines) - sum(map(lines.count, _EMPTY))
                end, begun = at + len(part) - len(last), False
                at, part = end, last
            begun = begun or part not in _EMPTY
            at += len(part)
    return ScannedRows(count, end)


def records(path: Path, start: int, end: int, first_line: int) -> Iterator[tuple[int, bytes]]:
    """Yield line number and text of the records between two offsets."""
    with path.open("rb") as file:
        file.seek(start)
        line = first_line
        while file.tell() < end and (record := read_record(file)):
            yield line, record
            line += record.count(b"\n")
