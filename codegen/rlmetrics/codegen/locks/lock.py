"""A lock: what a machine found of one component in every release of a package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from .anchor_marks import Found, Mark

__all__ = ["Kind", "Lock", "Table"]

Kind = Literal[
    "anchors", "watched", "methods", "keys", "defaults", "settings", "symbols", "lines", "requires", "confirmed"
]
"""What a table holds, see :class:`Lock`."""

Table = dict[str, dict[str, set[str]]]
"""Name to value to the releases in which the name has the value."""


@dataclass
class Lock:
    """Tables of what was found in the releases of a package.

    Each table has a kind and a subject: a module's path for ``anchors``, ``watched``, ``symbols`` and ``lines``, a
    class for ``methods`` and ``defaults``, nothing for the others. Its rows are:

    - ``anchors``: an anchor, the symbol with the statement's fingerprint, and the lines after the symbol's first;
    - ``watched``: a symbol whose change may change what the component's keys mean;
    - ``methods``: a method and the class that the component has it from;
    - ``keys``: a key and where it is written;
    - ``defaults``: a configuration field and its default;
    - ``settings``: a setting, and whether it is a section that users fill.

    What several components share stands once, in the lock of the framework as a whole:

    - ``symbols``: a symbol and its fingerprint;
    - ``lines``: a symbol and its first line;
    - ``requires``: a requirement and its specifier;
    - ``confirmed``: a change that a person read, and why it changes no meaning.

    Attributes:
        package: The package.
        component: Stem of the component's file, or ``framework``.
        releases: The releases that it covers, oldest first.
        tables: Kind and subject to the table.
        common: The lock of the framework as a whole; nothing if this is that one.
    """

    package: str
    component: str
    releases: list[str] = field(default_factory=list)
    tables: dict[tuple[Kind, str], Table] = field(default_factory=dict)
    common: Lock | None = field(default=None, repr=False, compare=False)

    def put(self, kind: Kind, subject: str, name: str, value: str, release: str) -> None:
        """Note one value of one release."""
        self.tables.setdefault((kind, subject), {}).setdefault(name, {}).setdefault(value, set()).add(release)

    def forget(self, release: str) -> None:
        """Leave out all that is known of a release, but for what a person confirmed."""
        for (kind, _), table in self.tables.items():
            for values in table.values() if kind != "confirmed" else ():
                for releases in values.values():
                    releases.discard(release)
        self.releases = [name for name in self.releases if name != release]
        self._prune()

    def before(self, release: str) -> Lock:
        """Return the lock as it was when a release was not known: what holds in earlier ones."""
        kept = self.releases[: self.releases.index(release)] if release in self.releases else list(self.releases)
        earlier = set(kept)
        tables = {
            key: {name: {value: releases & earlier for value, releases in row.items()} for name, row in table.items()}
            for key, table in self.tables.items()
        }
        lock = Lock(self.package, self.component, kept, tables, self.common)
        lock._prune()
        return lock

    def _prune(self) -> None:
        for key, table in list(self.tables.items()):
            for name, values in list(table.items()):
                for value in [value for value, releases in values.items() if not releases]:
                    del values[value]
                if not values:
                    del table[name]
            if not table:
                del self.tables[key]

    def at(self, kind: Kind, release: str) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return the values of one release by subject and name."""
        return {
            (subject, name): present
            for (own, subject), table in self.tables.items()
            if own == kind
            for name, values in table.items()
            if (present := tuple(sorted(value for value, releases in values.items() if release in releases)))
        }

    def subjects(self, kind: Kind) -> Iterator[tuple[str, Table]]:
        """Yield the tables of a kind with their subjects."""
        for (own, subject), table in self.tables.items():
            if own == kind:
                yield subject, table

    # Anchors.

    def anchor(self, name: str, release: str, places: Iterable[Found]) -> None:
        """Note where an anchor stands in a release."""
        for mark, path, offsets in places:
            lines = ",".join(f"+{offset}" for offset in offsets)
            self.put("anchors", path, name, f"{mark} {lines}", release)

    def drop_anchor(self, name: str) -> None:
        """Leave out all that is known of an anchor."""
        for _, table in self.subjects("anchors"):
            table.pop(name, None)
        self._prune()

    def anchors(self) -> set[str]:
        """Return the names of all anchors of the lock."""
        return {name for _, table in self.subjects("anchors") for name in table}

    def proven(self, name: str) -> frozenset[str]:
        """Return the releases in which an anchor is found."""
        return frozenset(
            release
            for _, table in self.subjects("anchors")
            for releases in table.get(name, {}).values()
            for release in releases
        )

    def marks(self, name: str) -> tuple[Mark, ...]:
        """Return all statements that an anchor stands for, the latest first."""
        order = {release: index for index, release in enumerate(self.releases)}
        marks: dict[Mark, int] = {}
        for _, table in self.subjects("anchors"):
            for value, releases in table.get(name, {}).items():
                mark = _found(value, "").mark
                marks[mark] = max([marks.get(mark, -1), *(order.get(release, -1) for release in releases)])
        return tuple(sorted(marks, key=lambda mark: (-marks[mark], mark)))

    def found(self, name: str, release: str) -> tuple[Found, ...]:
        """Return where an anchor stands in a release."""
        return tuple(
            _found(value, path)
            for path, table in sorted(self.subjects("anchors"))
            for value, releases in sorted(table.get(name, {}).items())
            if release in releases
        )

    def places(self, name: str, release: str) -> tuple[tuple[str, int], ...]:
        """Return the path and line of an anchor in a release; several where the same is said several times."""
        lines = (self.common or self).tables
        places: list[tuple[str, int]] = []
        for mark, path, offsets in self.found(name, release):
            for value, releases in lines.get(("lines", path), {}).get(mark.symbol, {}).items():
                if release in releases:
                    places.extend((path, int(value) + offset) for offset in offsets)
        return tuple(sorted(places))

    def near(self, name: str) -> tuple[str, ...]:
        """Return the paths of the files in which an anchor was found, the latest first."""
        order = {release: index for index, release in enumerate(self.releases)}
        paths: dict[str, int] = {}
        for path, table in self.subjects("anchors"):
            for releases in table.get(name, {}).values():
                paths[path] = max([paths.get(path, -1), *(order.get(release, -1) for release in releases)])
        return tuple(sorted(paths, key=lambda path: (-paths[path], path)))

    # Symbols.

    def symbol(self, path: str, name: str, fingerprint: str, line: int, release: str, *, watched: bool = True) -> None:
        """Note a symbol of a release."""
        common = self.common or self
        common.put("symbols", path, name, fingerprint, release)
        common.put("lines", path, name, str(line), release)
        if watched:
            self.put("watched", path, name, "", release)

    def watched(self, release: str) -> Mapping[tuple[str, str], str]:
        """Return the path and name of each watched symbol of a release to its fingerprint."""
        tables = (self.common or self).tables
        fingerprints: dict[tuple[str, str], str] = {}
        for path, name in self.at("watched", release):
            for said, releases in tables.get(("symbols", path), {}).get(name, {}).items():
                if release in releases:
                    fingerprints[path, name] = said
        return fingerprints


def _found(value: str, path: str) -> Found:
    symbol, said, lines = value.split(" ")
    said, _, around = said.partition("/")
    return Found(Mark(symbol, said, around), path, tuple(int(line) for line in lines.split(",")))
