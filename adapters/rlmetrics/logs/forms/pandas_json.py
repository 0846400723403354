"""JSON of frames that has no row as an object in a list: ``to_json(orient="split")`` and ``orient="index"``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..decimals import number, written
from .form import Form, below

__all__ = ["FORMS", "as_lines"]

_MOST_BYTES = 1 << 28
_SPLIT = frozenset({"columns", "data"})
_OF_SPLIT = _SPLIT | {"index", "index_names", "column_names"}
_FEWEST = 2
_OWN_STEPS = frozenset({"step", "_step", "global_step", "train/global_step"})
"""Columns beside which an index says nothing."""


def _is_split(path: Path, begin: bytes) -> bool:
    return b'"columns"' in begin and _frame(path) is not None


def _is_index(path: Path, begin: bytes) -> bool:
    return begin.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") and _by_index(path) is not None


def _loaded(path: Path) -> dict[str, Any]:
    """Return the object in a file, its numbers with all their digits; none if it is anything else, or large."""
    if path.stat().st_size > _MOST_BYTES:
        return {}
    try:
        found = json.loads(path.read_text("utf-8-sig"), parse_float=number, parse_int=number)
    except (ValueError, RecursionError, ArithmeticError):
        return {}
    return found if isinstance(found, dict) else {}


def _frame(path: Path) -> list[dict[str, Any]] | None:
    """Return the rows of a frame that was split; None if a file holds anything else."""
    found = _loaded(path)
    if not found.keys() >= _SPLIT or found.keys() - _OF_SPLIT:
        return None
    columns, data, index = found["columns"], found["data"], found.get("index")
    if not isinstance(columns, list) or not all(isinstance(one, str) for one in columns) or not isinstance(data, list):
        return None
    if len({*columns}) != len(columns) or not all(isinstance(row, list) and len(row) == len(columns) for row in data):
        return None
    rows = [dict(zip(columns, row, strict=True)) for row in data]
    return _with_index(rows, index) if isinstance(index, list) and len(index) == len(rows) else rows


def _by_index(path: Path) -> list[dict[str, Any]] | None:
    """Return the rows of a frame by its index, which are numbers; None if a file holds anything else."""
    found = _loaded(path)
    if len(found) < _FEWEST or not all(isinstance(row, dict) and row for row in found.values()):
        return None
    index = [_number(key) for key in found]
    if None in index or len({frozenset(row) for row in found.values()}) != 1:
        return None
    rows = [*found.values()]
    if any(_number(key) is not None for key in rows[0]) or any(
        isinstance(one, dict | list) for row in rows for one in row.values()
    ):
        return None
    return _with_index(rows, index)


def _with_index(rows: list[dict[str, Any]], index: Sequence[Any]) -> list[dict[str, Any]]:
    """Return rows with the index of the frame as their step, unless they have one, or it only numbers them."""
    numbers = all(_number(one) is not None for one in index)
    if not numbers or [_number(one) for one in index] == [*range(len(rows))]:
        return rows
    if any(name in _OWN_STEPS for row in rows[:1] for name in row):
        return rows
    return [{"step": number(str(at)), **row} for at, row in zip(index, rows, strict=True)]


def _number(key: Any) -> float | None:
    try:
        return float(key)
    except (ValueError, TypeError):
        return None


def as_lines(rows: Iterator[dict[str, Any]] | list[dict[str, Any]], path: Path, folder: Path) -> Path:
    """Write rows as JSON lines below a folder; what has no value in a frame is left out."""
    plain = below(folder, path.name, ".jsonl")
    with plain.open("w", encoding="utf-8", newline="") as file:
        for row in rows:
            file.write(written({key: value for key, value in row.items() if value is not None}) + "\n")
    return plain


def _open_split(path: Path, folder: Path) -> Path:
    return as_lines(_frame(path) or [], path, folder)


def _open_index(path: Path, folder: Path) -> Path:
    return as_lines(_by_index(path) or [], path, folder)


FORMS = (
    Form("a frame as JSON, split", _is_split, _open_split),
    Form("a frame as JSON by its index", _is_index, _open_index),
)
