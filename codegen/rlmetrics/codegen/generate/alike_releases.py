"""Releases of a component in which the same is answered: no range of any table that the answers were read from ends."""

from __future__ import annotations

import json
from collections.abc import Sequence, Set
from functools import lru_cache

from .read_facts import ReadTables, ranges_in

__all__ = ["AlikeReleases"]

_PROOFS = "proofs"
"""Tables of where the source shows something, which ready answers look up themselves."""

_PER_FRAMEWORK = frozenset({"frameworks", "defaults", "settings"})
"""Tables of a framework, whose ranges are of its own releases."""


class AlikeReleases:
    """The releases of one component.

    Args:
        tables: What is read of all tables.
        framework: The framework.
        component: Its name; nothing for the framework as a whole.
    """

    def __init__(self, tables: ReadTables, framework: str, component: str) -> None:
        self._tables = tables
        self._index = f"frameworks/{framework}/framework"
        self._framework, self._component = framework, component
        self._own = tables.whole(self._index)
        self._releases = tuple(dict(self._own["RELEASES"]))
        self._known: set[str] = set()
        self._edges: set[int] = set()

    def alike(self, first: str, second: str, read: Set[str]) -> bool:
        """Tell whether everything that the tables that were read say of a release they say of a later one."""
        for table in read - self._known:
            self._edges |= self._edges_of(table)
            self._known.add(table)
        begin, end = (self._releases.index(release) for release in (first, second))
        return self._edges.isdisjoint(range(begin + 1, end + 1))

    def _edges_of(self, table: str) -> Set[int]:
        """Return the places of releases in which something begins to hold, or no longer holds, by a table."""
        place, *rest = table.split("/")
        if place == _PROOFS or (place in _PER_FRAMEWORK and rest[0] != self._framework):
            return frozenset()
        if table != self._index:
            return _edges_in(self._tables.ranges(table), self._releases)
        # What other components there are does not matter.
        rows = [row for row in self._own["COMPONENTS"] if row[0] == self._component]
        others = {name: value for name, value in self._own.items() if name not in ("RELEASES", "COMPONENTS")}
        return _edges_in(ranges_in(json.dumps([rows, others])), self._releases)


@lru_cache(maxsize=4096)
def _edges_in(ranges: frozenset[str], releases: Sequence[str]) -> frozenset[int]:
    order = {release: place for place, release in enumerate(releases)}
    edges: set[int] = set()
    for found in ranges:
        first, dots, last = found.partition("..")
        end = last if dots else first
        edges.update([order[first]] if first in order else [])
        edges.update([order[end] + 1] if end in order else [])
    return frozenset(edges)
