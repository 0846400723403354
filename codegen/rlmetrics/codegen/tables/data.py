"""What tables are made of: plain values by name, as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ..model import ClaimSource

__all__ = ["Row", "Table", "plain", "row", "source"]

_PLAIN = frozenset({str, int, float, bool, type(None)})

Row = dict[str, Any]
"""Fields by name, those with a value only."""


@dataclass(frozen=True)
class Table:
    """One file of tables.

    Attributes:
        source: The file or folder of the spec that it comes from.
        data: Name to value: lists, mappings, texts, numbers, truth values and None.
    """

    source: str
    data: Mapping[str, Any]


def row(**fields: Any) -> Row:
    """Return the fields that have a value: neither None nor empty."""
    return {name: value for name, value in fields.items() if value is not None and value not in ((), [], "", {})}


def plain(value: Any) -> Any:
    """Return a value as JSON gives it back: models as mappings of what is set, tuples as lists."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, BaseModel):
        return plain(value.model_dump(exclude_defaults=True))
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def source(item: ClaimSource) -> Row:
    """Return where a claim comes from."""
    return row(title=item.title, url=item.url, release=item.release, path=item.path, line=item.line)
