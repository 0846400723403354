"""Where what a component logs under a key may change: other records, other defaults."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from .rows import Row, expressions_of
from .tables import FrameworkTable

__all__ = ["History"]

Place = tuple[str, str]
"""A key with the prefix of its mode, and the mode."""


class History:
    """The records of one component in some of its releases.

    Args:
        table: The framework.
        component: The component's name.
        releases: Known releases.
    """

    def __init__(self, table: FrameworkTable, component: str, releases: Sequence[str]) -> None:
        self._table = table
        self._found: dict[Place, dict[str, tuple[Row, ...]]] = {}
        self._named: dict[tuple[tuple[int, ...], ...], list[dict[str, Any]]] = {}
        self._parts = [
            (stem, [release for release in releases if table.releases.covers(ranges, release)])
            for name, stem, ranges, _ in table.components
            if name == component
        ]

    def _records(self, place: Place) -> dict[str, tuple[Row, ...]]:
        """Return the records of a key and mode in each release."""
        if place not in self._found:
            found: dict[str, tuple[Row, ...]] = {}
            for stem, releases in self._parts:
                component, among = self._table.component(stem), frozenset(releases)
                for row in component.called(place[0]):
                    if row.mode == place[1]:
                        for release in component.releases_of(row, among):
                            found[release] = (*found.get(release, ()), row)
            self._found[place] = found
        return self._found[place]

    def switched(self, release: str, other: str) -> Iterator[tuple[str, Any, Any]]:
        """Yield the settings whose default is off in one of two releases and on in the other: name and defaults."""
        for name, values in self._changing:
            if release in values and other in values and bool(values[release]) != bool(values[other]):
                yield name, values[release], values[other]

    @cached_property
    def _changing(self) -> list[tuple[str, dict[str, Any]]]:
        """The defaults, in each release, of settings that are turned on or off by default at some time."""
        found: list[tuple[str, dict[str, Any]]] = []
        for name, row in self._settings():
            values: dict[str, Any] = {}
            for ranges, value, _ in reversed(row.get("defaults", ())):
                covered = self._table.releases.covered(ranges) if ranges else self._table.releases.names
                values.update(dict.fromkeys(covered, value))
            if len({bool(value) for value in values.values()}) > 1:
                found.append((name, values))
        return found

    def _settings(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        tables: list[Mapping[str, Any]] = [self._table.config]
        tables += [self._table.component(stem).config for stem, _ in self._parts]
        return ((name, row) for keys in tables for name, row in keys.items())

    @cached_property
    def _defaults(self) -> dict[str, dict[str, Any]]:
        """For each configuration key whose default changes, its default in each release."""
        found: dict[str, dict[str, Any]] = {}
        for name, row in self._settings():
            by_release = found.setdefault(name, {})
            for ranges, value, _ in reversed(row.get("defaults", ())):
                covered = self._table.releases.covered(ranges) if ranges else self._table.releases.names
                by_release.update(dict.fromkeys(covered, repr(value)))
        size = len(self._table.releases.names)
        return {name: values for name, values in found.items() if len(values) < size or len(set(values.values())) > 1}

    def has(self, key: str, mode: str, release: str) -> bool:
        """Return whether a release logs a key."""
        return release in self._records((key, mode))

    def may_differ(self, key: str, mode: str, release: str, other: str) -> bool:
        """Return whether a key can mean something else in a release than in another one."""
        records = self._records((key, mode))
        rows = records.get(release)
        if rows is None:
            return False
        others = records.get(other)
        if others is None or [row.place for row in rows] != [row.place for row in others]:
            return True
        return any(values.get(release) != values.get(other) for values in self._deciding(rows))

    def _deciding(self, rows: tuple[Row, ...]) -> list[dict[str, Any]]:
        """Return the defaults, in each release, of the changing configuration keys that rows name."""
        place = tuple(row.place for row in rows)
        if place not in self._named:
            text = " ".join(expression for row in rows for expression in expressions_of(row))
            self._named[place] = [values for name, values in self._defaults.items() if name in text]
        return self._named[place]
