"""Where what a component logs under a key may change: other records, other defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from .inheritance import Place, applied_rows
from .tables import FrameworkTable

__all__ = ["History"]

_Rows = tuple[Mapping[str, Any], ...]


class History:
    """The records of one component in some of its releases.

    Args:
        table: The framework.
        component: The component's name.
        releases: Known releases.
    """

    def __init__(self, table: FrameworkTable, component: str, releases: Sequence[str]) -> None:
        self._table = table
        self._found: dict[Place, dict[str, _Rows]] = {}
        self._named: dict[tuple[int, ...], list[dict[str, Any]]] = {}
        self._parts = [
            (stem, [release for release in releases if table.releases.covers(ranges, release)])
            for name, stem, ranges, _ in table.components
            if name == component
        ]

    def _records(self, place: Place) -> dict[str, _Rows]:
        """Return the records of a key and mode in each release."""
        if place not in self._found:
            found: dict[str, _Rows] = {}
            for stem, releases in self._parts:
                for applied in applied_rows(self._table, stem, releases, place):
                    for release in applied.releases:
                        found[release] = (*found.get(release, ()), applied.row)
            self._found[place] = found
        return self._found[place]

    @cached_property
    def _defaults(self) -> dict[str, dict[str, Any]]:
        """For each configuration key whose default changes, its default in each release."""
        tables: list[Mapping[str, Any]] = [self._table.config]
        tables += [
            self._table.file(part).get("config", {})
            for stem, _ in self._parts
            for part in reversed(self._table.chain(stem))
        ]
        found: dict[str, dict[str, Any]] = {}
        for name, row in ((name, row) for keys in tables for name, row in keys.items()):
            by_release = found.setdefault(name, {})
            for ranges, value, _ in reversed(row.get("defaults", ())):
                covered = self._table.releases.covered(ranges) if ranges else self._table.releases.names
                by_release.update(dict.fromkeys(covered, repr(value)))
        size = len(self._table.releases.names)
        return {name: values for name, values in found.items() if len(values) < size or len(set(values.values())) > 1}

    def may_differ(self, key: str, mode: str, release: str, other: str) -> bool:
        """Return whether a key can mean something else in a release than in another one."""
        records = self._records((key, mode))
        rows = records.get(release)
        if rows is None:
            return False
        others = records.get(other)
        if others is None or [id(row) for row in rows] != [id(row) for row in others]:
            return True
        return any(values.get(release) != values.get(other) for values in self._deciding(rows))

    def _deciding(self, rows: _Rows) -> list[dict[str, Any]]:
        """Return the defaults, in each release, of the changing configuration keys that records name."""
        place = tuple(map(id, rows))
        if place not in self._named:
            text = self._text(rows)
            self._named[place] = [values for name, values in self._defaults.items() if name in text]
        return self._named[place]

    @staticmethod
    def _text(rows: _Rows) -> str:
        """Return everything in records that can name a configuration key."""
        parts = [row.get(name) for row in rows for name in ("when", "scale", "offset")]
        variants = (variant for row in rows for variant in row.get("variants", ()))
        parts += [variant.get(name) for variant in variants for name in ("when", "scale", "offset")]
        return " ".join(str(part) for part in parts if part is not None)
