"""What tables are made of: plain values by name, as JSON has them."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from pydantic import BaseModel

from rlmetrics.names.records import BETWEEN

from ..model import Evidence, Source

__all__ = ["Places", "Row", "Table", "plain", "row", "source"]

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
    if isinstance(value, BaseModel):
        return plain(value.model_dump(exclude_defaults=True))
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


class Places:
    """Names the places that a framework's evidence cites: a few thousand lines stand in a few hundred functions.

    A name is the shortest beginning of a digest, of at least four characters, that no other place has, so that what is
    cited elsewhere does not change it.
    """

    def __init__(self) -> None:
        self._places: dict[str, str] = {}

    @property
    def places(self) -> dict[str, str]:
        """Name to ``path|symbol``, in the order of the names."""
        return dict(sorted(self._places.items()))

    def evidence(self, items: list[Evidence]) -> str:
        """Return evidence as one text, since it is most of the tables and seldom read: pieces between ``BETWEEN``.

        Each is ``release|place|line[|shows[|note]]``.

        Raises:
            ValueError: A piece contains what stands between them.
        """
        rows = []
        for item in items:
            fields = [item.release, self._name(f"{item.path}|{item.symbol}"), str(item.line)]
            if item.shows != "key" or item.note is not None:
                fields.append(item.shows)
            if item.note is not None:
                fields.append(item.note)
            rows.append("|".join(fields))
            if BETWEEN in rows[-1]:
                msg = f"evidence must not contain {BETWEEN!r}: {rows[-1]}"
                raise ValueError(msg)
        return BETWEEN.join(rows)

    def _name(self, place: str) -> str:
        digest = urlsafe_b64encode(sha256(place.encode()).digest()).decode()
        names = (digest[:length] for length in range(4, len(digest)))
        return next(name for name in names if self._places.setdefault(name, place) == place)


def source(item: Source) -> Row:
    """Return where a claim comes from."""
    return row(title=item.title, url=item.url, release=item.release, path=item.path, line=item.line)
