"""One JSON object a line: what a logger was given, or verl's ``{"step": …, "data": {…}}``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..jsonspans import JsonError, Members, members
from ..report import Report
from ..rows import Rewriter
from ..translator import Translator

__all__ = ["names", "recognises", "rows", "translate"]

_SAMPLE_ROWS = 200
_BOM = b"\xef\xbb\xbf"
_FRAME = re.compile(r'\{"step": ?-?[0-9]+, ?"data": ?(?=\{)')
"""How verl's file logger begins a line."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is named like JSON lines or begins with an object that ends on its own line."""
    if path.suffix in {".jsonl", ".ndjson"}:
        return True
    if path.suffix not in {".json", ".log", ".txt", ""}:
        return False
    try:
        with path.open("rb") as file:
            members(file.readline(1_000_000).decode("utf-8-sig"))
    except (JsonError, UnicodeDecodeError):
        return False
    return True


def names(path: Path) -> set[str]:
    """Return the names in the first rows of ``path``."""
    found: set[str] = set()
    with path.open("rb") as file:
        for number, line in enumerate(islice(file, _SAMPLE_ROWS), start=1):
            if line.isspace():
                continue
            try:
                _, row = _row(path, number, line)
            except _TornLineError:
                break
            found.update(member.key for member in row.items)
    return found


def rows(path: Path) -> Iterator[tuple[None, dict[str, Any]]]:
    """Yield the rows of ``path``, up to one that was cut off.

    Raises:
        InputError: As ``translate``.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                continue
            try:
                text, row = _row(path, number, line)
                yield None, row.values(text)
            except _TornLineError:
                return
            except InputError as error:
                raise error if error.path else InputError(str(error), path, number) from None


def translate(path: Path, output: Path, translator: Translator, report: Report) -> None:
    """Write ``path`` with translated names to ``output``, line by line; blank lines stay.

    A last line without a line end that is no JSON object was cut off and is left out.

    Raises:
        InputError: If another line is no JSON object.
    """
    rewriter = Rewriter(translator)
    with path.open("rb") as file, output.open("wb") as out:
        for number, line in enumerate(file, start=1):
            if line.isspace():
                out.write(line)
                continue
            try:
                out.write(_known(line, rewriter) or _renamed(path, number, line, rewriter))
            except _TornLineError:
                report.lost.records += 1
                report.lost.bytes += len(line)
                break
            report.records += 1


def _known(line: bytes, rewriter: Rewriter) -> bytes | None:
    """Return a line with its names translated if there was one with the same keys before."""
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return None
    frame = _FRAME.match(text)
    start = frame.end() if frame else 0
    renamed = rewriter.line(text[start:], framed=frame is not None)
    return None if renamed is None else (text[:start] + renamed).encode()


def _renamed(path: Path, number: int, line: bytes, rewriter: Rewriter) -> bytes:
    text, row = _row(path, number, line)
    try:
        renamed = text[: row.start] + rewriter.members(text, row) + text[row.end :]
    except InputError as error:
        raise InputError(str(error), path, number) from None
    return (_BOM if number == 1 and line.startswith(_BOM) else b"") + renamed.encode()


class _TornLineError(InputError):
    """A bad line without a line end: what a crash leaves at the end of a file."""


def _row(path: Path, number: int, line: bytes) -> tuple[str, Members]:
    """Return the text of a line and the object in it that holds metrics.

    Raises:
        InputError: If the line is no JSON object; a ``_TornLineError`` if it has no line end either.
    """
    if number == 1:
        line = line.removeprefix(_BOM)
    broken = InputError if line.endswith(b"\n") else _TornLineError
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        msg = "is not UTF-8 text; convert the file, or name its --kind"
        raise broken(msg, path, number, error.start + 1) from None
    try:
        row = members(text)
        rest = text[row.end :].strip()
        if rest:
            msg = f"one JSON object a line is expected, but {rest[:20]!r} follows"
            raise JsonError(msg, row.end)
        return text, _metrics(text, row)
    except JsonError as error:
        msg = f"not a JSON object: {error}; remove or mend this line"
        raise broken(msg, path, number, error.offset + 1) from None


def _metrics(text: str, row: Members) -> Members:
    """Return the object that holds the metrics: ``data`` in verl's file logger, else the row itself."""
    if {member.key for member in row.items} == {"step", "data"}:
        data = next(member for member in row.items if member.key == "data")
        if text[data.value_start] == "{":
            return members(text, data.value_start)
    return row
