"""What tables are made of: constants of modules, as nested tuples and dictionaries of plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ..model import Evidence, Source

__all__ = ["Module", "Row", "TableData", "evidence", "row", "source", "tuples"]

Row = tuple[tuple[str, Any], ...]
"""Fields by name, those with a value only. A tuple of constants is a constant of the compiled module: loading it costs
next to nothing, and ``dict(row)`` makes a mapping of it where one is needed."""


@dataclass(frozen=True)
class Module:
    """One module of tables.

    Attributes:
        doc: Its docstring.
        source: The file or folder of the spec that it comes from.
        constants: Name to value.
    """

    doc: str
    source: str
    constants: Mapping[str, Any]


@dataclass(frozen=True)
class TableData:
    """All tables of a spec by module, such as ``signatures``, ``metrics.policy`` or ``metrics.__init__``.

    ``__init__`` holds what is needed to find the others. Each holds what one question needs, so that little is loaded.
    """

    modules: Mapping[str, Module]


def row(**fields: Any) -> Row:
    """Return the fields that have a value: neither None nor empty."""
    return tuple((name, value) for name, value in fields.items() if value is not None and value not in ((), "", {}))


def tuples(value: Any) -> Any:
    """Return a value with every list as a tuple and every mapping as pairs."""
    if isinstance(value, BaseModel):
        return tuples(value.model_dump(exclude_defaults=True))
    if isinstance(value, dict):
        return tuple((key, tuples(item)) for key, item in value.items())
    if isinstance(value, list | tuple):
        return tuple(tuples(item) for item in value)
    return value


def evidence(items: list[Evidence]) -> tuple[str, ...]:
    """Return evidence as texts ``release|path|line|symbol[|shows[|note]]``, one short line each."""
    rows = []
    for item in items:
        fields = [item.release, item.path, str(item.line), item.symbol]
        if item.shows != "key" or item.note is not None:
            fields.append(item.shows)
        if item.note is not None:
            fields.append(item.note)
        rows.append("|".join(fields))
    return tuple(rows)


def source(item: Source) -> Row:
    """Return where a claim comes from."""
    return row(title=item.title, url=item.url, release=item.release, path=item.path, line=item.line)
