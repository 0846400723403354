"""Tables of comma-separated values that no reader of columns understands: turned, summed up, or under another name."""

from __future__ import annotations

import csv
import re
import shutil
from contextlib import suppress
from pathlib import Path

from ..csvcells import delimiter_of, is_number
from ..input_errors import InputError
from ..shown_names import SUMMED_UP, is_summary
from .form import Form, below

__all__ = ["FORMS"]

_TABLES = frozenset({".csv", ".tsv"})
_TEXTS = frozenset({".txt", ".log", ".dat", ""})
_SAMPLE = 1 << 20
_MOST_BYTES = 1 << 28
_ROWS = 50
_FEWEST = 2
_EXCEL = re.compile(rb"(?:\xef\xbb\xbf)?\"?sep=(.)\"?\r?\n")
_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_QUOTED_THOUSANDS = re.compile(rb'"[-+]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:\.[0-9]+)?"')
_POINT = re.compile(r"[-+]?[0-9]*\.[0-9]+(?:[eE][-+]?[0-9]+)?")
_STEPS = frozenset({"step", "_step", "Step", "global_step", "train/global_step"})


def _rows(path: Path, most: int = _ROWS) -> list[list[str]]:
    """Return the first rows of a table; none if it is no text."""
    with path.open("rb") as file:
        sample = file.read(_SAMPLE).removeprefix(b"\xef\xbb\xbf")
    if b"\0" in sample:
        return []
    text = sample.decode("utf-8", "surrogateescape")
    if len(sample) >= _SAMPLE - 3:
        text = text.rpartition("\n")[0]
    return _cells(text, most)


def _cells(text: str, most: int | None) -> list[list[str]]:
    lines = text.splitlines(keepends=True)
    found: list[list[str]] = []
    with suppress(csv.Error):
        for row in csv.reader(lines, delimiter=delimiter_of(lines[0]) if lines else ","):
            if row:
                found.append([cell.strip() for cell in row])
            if most is not None and len(found) >= most:
                break
    return found


def _is_summary(path: Path, begin: bytes) -> bool:
    if path.suffix.lower() not in _TABLES or not (b"count" in begin and b"std" in begin):
        return False
    rows = _rows(path)
    return bool(rows) and (is_summary(rows[0]) or is_summary([row[0] for row in rows[1:]]))


def _refuse(path: Path, folder: Path) -> Path:
    raise InputError(SUMMED_UP, path)


def _is_turned(path: Path, begin: bytes) -> bool:
    """Tell whether a table has a row for each key, and a column for each step, whose titles are numbers."""
    if path.suffix.lower() not in _TABLES or path.stat().st_size > _MOST_BYTES:
        return False
    rows = _rows(path)
    if len(rows) < _FEWEST or len(rows[0]) <= _FEWEST or not all(map(is_number, rows[0][1:])):
        return False
    names = [row[0] for row in rows[1:] if len(row) == len(rows[0])]
    texts = sum(1 for name in names if name and not is_number(name))
    cells = [cell for row in rows[1:] for cell in row[1:] if cell]
    return bool(names) and texts == len({*names}) and sum(map(is_number, cells)) * 10 >= len(cells) * 9


def _turn(path: Path, folder: Path) -> Path:
    rows = _cells(path.read_text("utf-8-sig", errors="surrogateescape"), None)
    header = rows[0]
    columns = [row for row in rows[1:] if len(row) == len(header)]
    numbers = [float(title) for title in header[1:]]
    has_step = any(row[0] in _STEPS for row in columns)
    if not has_step and numbers != [*range(len(numbers))]:
        columns.insert(0, ["step", *header[1:]])
    plain = below(folder, path.name, ".csv")
    with plain.open("w", encoding="utf-8", errors="surrogateescape", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(zip(*columns, strict=True))
    return plain


def _is_excel(path: Path, begin: bytes) -> bool:
    return _EXCEL.match(begin) is not None


def _open_excel(path: Path, folder: Path) -> Path:
    plain = below(folder, path.name)
    with path.open("rb") as file, plain.open("wb") as out:
        file.readline()
        shutil.copyfileobj(file, out)
    return plain


def _close_excel(plain: Path, path: Path) -> None:
    with plain.open("rb") as file, path.open("wb") as out:
        mark = delimiter_of(file.readline().decode("utf-8", "replace"))
        file.seek(0)
        out.write(f"sep={mark}\r\n".encode())
        shutil.copyfileobj(file, out)


def _is_table_in_text(path: Path, begin: bytes) -> bool:
    """Tell whether a text is nothing but a table: a header that names a step, and rows of as many numbers."""
    first = begin.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0]
    if path.suffix.lower() not in _TEXTS or not any(mark in first for mark in (b",", b";")):
        return False
    rows = _rows(path)
    if len(rows) <= _FEWEST or not any(title in _STEPS for title in rows[0]) or any(map(is_number, rows[0])):
        return False
    cells = [cell for row in rows[1:] for cell in row if cell]
    return all(len(row) == len(rows[0]) for row in rows) and sum(map(_is_like_number, cells)) * 2 > len(cells)


def _is_like_number(text: str) -> bool:
    return is_number(text.replace(",", "."))


def _rename(path: Path, folder: Path) -> Path:
    plain = below(folder, path.name, ".csv")
    shutil.copyfile(path, plain)
    return plain


def _keep(plain: Path, path: Path) -> None:
    shutil.copyfile(plain, path)


def _has_thousands(path: Path, begin: bytes) -> bool:
    """Tell whether commas part the thousands of numbers, and points their decimals, so that it can't be otherwise."""
    if path.suffix.lower() not in _TABLES:
        return False
    with path.open("rb") as file:
        if _QUOTED_THOUSANDS.search(file.read(_SAMPLE)) is None:
            return False
    rows = _rows(path, 2000)
    cells = [cell for row in rows[1:] for cell in row]
    has_commas = any("," in cell and not _THOUSANDS.fullmatch(cell) and _is_like_number(cell) for cell in cells)
    return not has_commas and any(map(_POINT.fullmatch, cells)) and any(map(_THOUSANDS.fullmatch, cells))


def _without_thousands(path: Path, folder: Path) -> Path:
    plain = below(folder, path.name, ".csv")
    mark = delimiter_of(path.open(encoding="utf-8-sig", errors="surrogateescape").readline())
    with (
        path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file,
        plain.open("w", encoding="utf-8", errors="surrogateescape", newline="") as out,
    ):
        writer = csv.writer(out, lineterminator="\n")
        try:
            for row in csv.reader(file, delimiter=mark):
                writer.writerow(cell.replace(",", "") if _THOUSANDS.fullmatch(cell) else cell for cell in row)
        except csv.Error as error:
            msg = f"is no table of comma-separated values: {error}"
            raise InputError(msg, path) from None
    return plain


FORMS = (
    Form("a table that begins with sep=", _is_excel, _open_excel, _close_excel),
    Form("a table of df.describe()", _is_summary, _refuse),
    Form(
        "a table with a row for each key",
        _is_turned,
        _turn,
        note="the table has a row for each key and a column for each step: it was turned",
    ),
    Form(
        "a table with commas between thousands",
        _has_thousands,
        _without_thousands,
        note="commas between thousands were left out of numbers, as decimals stand behind a point",
    ),
    Form("a table in a text", _is_table_in_text, _rename, _keep),
)
