"""How answers are printed: JSON, CSV, YAML, Markdown and aligned text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from operator import attrgetter

from rlmetrics.lazy_typing import Any

__all__ = ["csv_text", "json_text", "markdown", "plain", "table", "yaml_text"]

_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_YAML_WORDS = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})


def plain(value: Any) -> Any:
    """Return records as dictionaries, ready for YAML; ``from_`` becomes ``from``."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return plain(_opened(value))


def _opened(value: Any) -> Any:
    """Return a record as a dictionary, its fields as they are."""
    if hasattr(value, "__match_args__"):
        names, values = _fields(value.__class__)
        return dict(zip(names, values(value), strict=True))
    return list(value) if isinstance(value, set | frozenset) else dict(value)


@lru_cache(maxsize=64)
def _fields(record: type[Any]) -> tuple[tuple[str, ...], Callable[[Any], tuple[Any, ...]]]:
    """Return the names under which the fields of a record are shown, and what gives their values."""
    names: tuple[str, ...] = record.__match_args__
    values = attrgetter(*names) if len(names) > 1 else lambda value: tuple(getattr(value, name) for name in names)
    return tuple(name.rstrip("_") for name in names), values


_encode = json.JSONEncoder(ensure_ascii=False, default=_opened).encode


def json_text(value: Any) -> str:
    """Return one JSON document, with a line for each record: whole tables are large, and lines can be compared."""
    if isinstance(value, list | tuple):
        return _lines(value)
    document = value if isinstance(value, dict) else _opened(value)
    parts = (f"{_encode(key)}: {_part(item)}" for key, item in document.items())
    return "{\n" + ",\n".join(parts) + "\n}"


def _part(value: Any) -> str:
    return _lines(value) if isinstance(value, list | tuple) and value else _encode(value)


def _lines(items: Sequence[Any]) -> str:
    if not items:
        return "[]"
    return "[\n" + ",\n".join(map(_encode, items)) + "\n]"


def csv_text(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a CSV file; what has no value is an empty cell."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return out.getvalue().rstrip("\n")


def markdown(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [_pipes(header), _pipes(["---"] * len(header))]
    lines += [_pipes([_cell(cell) for cell in row]) for row in rows]
    return "\n".join(lines)


def table(rows: Sequence[Sequence[Any]], gap: int = 2) -> str:
    """Return columns aligned with blanks."""
    cells = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))] if cells else []
    pad = " " * gap
    return "\n".join(
        pad.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
    )


def yaml_text(value: Any) -> str:
    """Return a YAML document that any reader understands."""
    return "\n".join(_yaml(plain(value)))


def _yaml(value: Any) -> list[str]:
    if isinstance(value, dict) and value:
        lines: list[str] = []
        for key, item in value.items():
            inner = _yaml(item)
            nested = isinstance(item, dict | list) and bool(item)
            lines += (
                [f"{_yaml_key(key)}:", *(f"  {line}" for line in inner)]
                if nested
                else [f"{_yaml_key(key)}: {inner[0]}"]
            )
        return lines
    if isinstance(value, list) and value:
        lines = []
        for item in value:
            first, *rest = _yaml(item)
            lines += [f"- {first}", *(f"  {line}" for line in rest)]
        return lines
    # Every JSON scalar, {} and [] is YAML too.
    return [json.dumps(value, ensure_ascii=False)]


def _yaml_key(key: str) -> str:
    bare = _BARE.fullmatch(key) is not None and key.lower() not in _YAML_WORDS
    return key if bare else json.dumps(key, ensure_ascii=False)


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(value: Any) -> str:
    return "" if value is None else str(value).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
