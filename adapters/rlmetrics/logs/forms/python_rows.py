"""Rows that no reader of JSON takes: dicts as Python prints them, and objects within objects."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from ..decimals import number
from ..run_settings import in_row
from .form import Form
from .pandas_json import as_lines

__all__ = ["FORMS"]

_ENDINGS = frozenset({".json", ".jsonl", ".ndjson"})
_MOST_BYTES = 1 << 27
_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?P<list>\[\s*)?\{\s*'")
_CONSTANTS = {"nan": math.nan, "inf": math.inf, "null": None, "true": True, "false": False, "NaN": math.nan}
_FRAMES = frozenset({"data", "metrics", "logs", "config", "args", "params", "hparams", "kwargs", "scheduled"})
"""What objects within rows are called that are framed values, which readers know, or settings."""
_SAMPLE_ROWS = 5


def _is_python(path: Path, begin: bytes) -> bool:
    return path.suffix.lower() in _ENDINGS and _BEGINS.match(begin) is not None and any(_python_rows(path))


def _open_python(path: Path, folder: Path) -> Path:
    return as_lines(_python_rows(path), path, folder)


def _python_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the dicts in a file, one a line, or in a list; a line that holds none is left out."""
    with path.open("rb") as file:
        begin = _BEGINS.match(file.read(1 << 12))
    if begin is not None and begin["list"] and path.stat().st_size <= _MOST_BYTES:
        found = _literal(path.read_text("utf-8-sig", errors="replace"))
        yield from (row for row in found if isinstance(row, dict)) if isinstance(found, list) else ()
        return
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for line in lines:
            row = _literal(line)
            if isinstance(row, dict):
                yield {str(key): value for key, value in row.items()}


def _literal(text: str) -> Any:
    """Return what an expression of Python spells, numbers in calls such as ``np.float64(0.5)`` too; None if nothing."""
    try:
        return _value(ast.parse(text.strip().rstrip(","), mode="eval").body)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return None


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Dict):
        keys = [None if key is None else _value(key) for key in node.keys]
        return {str(key): _value(value) for key, value in zip(keys, node.values, strict=True)}
    if isinstance(node, ast.List | ast.Tuple):
        return [_value(one) for one in node.elts]
    if isinstance(node, ast.Call) and node.args:
        return _value(node.args[0])
    if isinstance(node, ast.Name) and node.id in _CONSTANTS:
        return _CONSTANTS[node.id]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand)
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None):
        return node.value
    msg = "no literal"
    raise ValueError(msg)


def _is_nested(path: Path, begin: bytes) -> bool:
    """Tell whether the first rows hold their numbers in objects of several names, none of which frames a row."""
    if path.suffix.lower() not in _ENDINGS - {".json"} or b"{" not in begin[1:]:
        return False
    rows = [*islice(_json_rows(path), _SAMPLE_ROWS)]
    return bool(rows) and all(map(_holds_objects, rows))


def _holds_objects(row: Mapping[str, Any]) -> bool:
    objects = {key: value for key, value in row.items() if isinstance(value, dict) and "_type" not in value}
    numbers = sum(1 for one in objects.values() for _, value in _flat(one) if isinstance(value, int | float))
    return len(objects) > 1 and not objects.keys() & _FRAMES and in_row(dict(row)) is None and numbers > 1


def _json_rows(path: Path, parse: Any = None) -> Iterator[dict[str, Any]]:
    with path.open("rb") as file:
        for line in file:
            with suppress(ValueError, RecursionError):
                row = json.loads(line.decode("utf-8-sig"), parse_float=parse, parse_int=parse)
                if isinstance(row, dict):
                    yield row


def _flat(row: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in row.items():
        if isinstance(value, dict) and "_type" not in value:
            yield from _flat(value, f"{above}{key}/")
        else:
            yield above + key, value


def _flatten(path: Path, folder: Path) -> Path:
    return as_lines((dict(_flat(row)) for row in _json_rows(path, number)), path, folder)


FORMS = (
    Form("rows as Python prints them", _is_python, _open_python),
    Form(
        "rows of objects within objects",
        _is_nested,
        _flatten,
        note="objects within rows are read as keys of several parts, such as actor/pg_loss",
    ),
)
