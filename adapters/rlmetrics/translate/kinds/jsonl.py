"""One JSON object a line: what a logger was given, or verl's ``{"step": …, "data": {…}}``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..errors import InputError
from ..jsonspans import JsonError, Members, members
from ..report import Report
from ..rows import rewrite
from ..translator import Translator

__all__ = ["names", "recognises", "translate"]

_SAMPLE_ROWS = 200


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
    for number, (_, text, row) in enumerate(_rows(path, Report("jsonl", "", ""))):
        if number == _SAMPLE_ROWS:
            break
        found.update(member.key for member in _metrics(text, row).items)
    return found


def translate(path: Path, output: Path, translator: Translator, report: Report) -> None:
    """Write ``path`` with translated names to ``output``, row by row.

    Raises:
        InputError: If a line other than a torn last one is no JSON object.
    """
    with output.open("w", encoding="utf-8", newline="") as file:
        for line, text, row in _rows(path, report):
            try:
                inner = _metrics(text, row)
                renamed = rewrite(text, inner, translator)
            except InputError as error:
                raise InputError(str(error), path, line) from None
            file.write(text[: inner.start] + renamed + text[inner.end :])
            report.records += 1


def _metrics(text: str, row: Members) -> Members:
    """Return the object that holds the metrics: ``data`` in verl's file logger, else the row itself."""
    if {member.key for member in row.items} == {"step", "data"}:
        data = next(member for member in row.items if member.key == "data")
        if text[data.value_start] == "{":
            return members(text, data.value_start)
    return row


def _rows(path: Path, report: Report) -> Iterator[tuple[int, str, Members]]:
    """Yield line number, text and members of each row; a torn last line is accounted as lost."""
    with path.open("rb") as file:
        pending: tuple[int, bytes] | None = None
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            if pending is not None:
                yield _row(path, *pending)
            pending = (number, line)
        if pending is None:
            return
        try:
            last = _row(path, *pending)
        except _TornLineError:
            report.lost.records += 1
            report.lost.bytes += len(pending[1])
            return
        yield last


class _TornLineError(InputError):
    """A bad line without a line end: what a crash leaves at the end of a file."""


def _row(path: Path, number: int, line: bytes) -> tuple[int, str, Members]:
    if number == 1:
        line = line.removeprefix(b"\xef\xbb\xbf")
    complete = line.endswith(b"\n")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        kind = InputError if complete else _TornLineError
        msg = "is not UTF-8 text; convert the file, or name its --kind"
        raise kind(msg, path, number, error.start + 1) from None
    try:
        row = members(text)
        rest = text[row.end :].strip()
        if rest:
            msg = f"one JSON object a line is expected, but {rest[:20]!r} follows"
            raise JsonError(msg, row.end)
    except JsonError as error:
        kind = InputError if complete else _TornLineError
        msg = f"not a JSON object: {error}; remove or mend this line"
        raise kind(msg, path, number, error.offset + 1) from None
    return number, text, row
