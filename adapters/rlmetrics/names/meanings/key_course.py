"""What one component logs under a key, release after release, each with its own defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from ..differences.aspects import Aspect, Pair, State, compared, state_of
from ..differences.severity import Circumstances
from ..settings.configuration import Config, Configuration
from ..tables.component_rows import ComponentTable, TableRow, expressions_of
from ..tables.key_records import Entry
from ..tables.tables import FrameworkTable, Tables
from ..tables.user_errors import NamesError
from .component import answering
from .entries import Entries

__all__ = ["ComponentCourse", "Run", "stem_at"]

Place = tuple[str, str]
"""A key with the prefix of its mode, and the mode."""

_Rows = dict[Place, list[tuple[TableRow, frozenset[str]]]]
"""The rows of a file with their releases."""


class Run(NamedTuple):
    """Releases, one after the other, in which nothing that decides about a key changes.

    Attributes:
        releases: At least one.
        entry: What the key is there; None where it is not logged.
    """

    releases: tuple[str, ...]
    entry: Entry | None


class _Release:
    """A component in one release, under the release's defaults and what is given."""

    def __init__(self, tables: Tables, table: FrameworkTable, name: str, stem: str, release: str, config: Config):
        self._parts = tables, table, release
        self._config = config
        self.stem = stem
        self.component: ComponentTable = table.component(stem)
        self.entries = Entries(name, tables, self.component)
        self._configurations: dict[tuple[tuple[str, Any], ...], Configuration] = {}

    def configuration(self, other: Mapping[str, Any] = MappingProxyType({})) -> Configuration:
        """Return the configuration, with other values for some settings than the given or default ones."""
        place = tuple(sorted(other.items()))
        if place not in self._configurations:
            self._configurations[place] = self._made({**(self._config or {}), **other})
        return self._configurations[place]

    def _made(self, config: Mapping[str, Any]) -> Configuration:
        """Return a configuration; values that the release does not know, as others do, are left out."""
        _, table, release = self._parts
        try:
            return Configuration(table, self.component, release, config)
        except NamesError:
            return Configuration(table, self.component, release, {k: v for k, v in config.items() if self._fits(k, v)})

    def _fits(self, name: str, value: Any) -> bool:
        _, table, release = self._parts
        try:
            Configuration(table, self.component, release, {name: value})
        except NamesError:
            return False
        return True


class ComponentCourse:
    """The entries of one component in some releases, in the order given, under each release's own defaults.

    Args:
        tables: The spec.
        table: The framework.
        component: The component's name in the last of the releases.
        releases: Known releases, one after the other.
        config: Values of configuration keys that differ from the defaults.
        former: The component's name in the first of the releases, if it had another one.
    """

    def __init__(
        self,
        tables: Tables,
        table: FrameworkTable,
        component: str,
        releases: Sequence[str],
        config: Config = None,
        former: str | None = None,
    ) -> None:
        self.tables = tables
        self.table = table
        self.component = component
        self.releases = tuple(releases)
        self._config = config
        self._at: dict[str, _Release | None] = {}
        self._rows: dict[str, _Rows] = {}
        self._rows_at: dict[str, _Rows] = {}
        self._entries: dict[tuple[str, str, str], Entry | None] = {}
        self._states: dict[int, tuple[Entry, State]] = {}
        self._differ: dict[tuple[int, int], dict[Aspect, Pair]] = {}
        ends = [(component, self.releases[-1]), (former or component, self.releases[0])]
        stems = [(name, stem_at(table, name, release)) for name, release in ends]
        self._wanted = [(name, stem) for name, stem in stems if stem is not None]
        self._named: dict[tuple[object, ...], list[dict[str, str]]] = {}

    def part(self, release: str) -> _Release | None:
        """Return the component in a release, None where it is not described."""
        if release not in self._at:
            stem = self._stem(release)
            self._at[release] = (
                None if stem is None else _Release(self.tables, self.table, *stem, release, self._config)
            )
        return self._at[release]

    def circumstances(self, release: str) -> Circumstances | None:
        """Return what decides in a release whether differences show; None where the component is not described."""
        part = self.part(release)
        if part is None:
            return None
        return Circumstances(self.table.name, part.component.single(release), part.configuration(), self.tables.levels)

    def _stem(self, release: str) -> tuple[str, str] | None:
        """Return name and file of the component in a release.

        A class that was rewritten has another file under its old name, one that was renamed has its file under another
        name: what both ends have comes first, then the file, then the name.
        """
        described = self.table.described(release)
        files = [stem for _, stem in self._wanted]
        names = [name for name, _ in self._wanted]
        wanted = (
            *(item for end in self._wanted for item in described if item == end),
            *(item for stem in files for item in described if item[1] == stem),
            *(item for item in described if item[0] in names),
        )
        return next(iter(wanted), None)

    def rows(self, key: str, mode: str, release: str) -> list[TableRow]:
        """Return what the spec says of a key in a release."""
        if release not in self._rows_at:
            part = self.part(release)
            self._rows_at[release] = {} if part is None else self._rows_of(part)
        rows = self._rows_at[release].get((key, mode))
        return [] if rows is None else [row for row, releases in rows if release in releases]

    def _rows_of(self, part: _Release) -> _Rows:
        """Return the rows of a file, each with its releases, by key and mode."""
        if part.stem not in self._rows:
            by_place = self._rows[part.stem] = {}
            covered = self.table.releases.covered
            for row in part.component.rows:
                by_place.setdefault((row.key, row.mode), []).append((row, covered(row.ranges)))
        return self._rows[part.stem]

    def entry(self, key: str, mode: str, release: str, other: Mapping[str, Any] = MappingProxyType({})) -> Entry | None:
        """Return what a key is in a release, None if it is not there.

        Args:
            key: As it is logged, with the prefix of its mode.
            mode: ``train`` or ``eval``.
            release: One of the releases.
            other: Values of settings that replace the release's defaults.
        """
        asked = (key, mode, release)
        if not other and asked in self._entries:
            return self._entries[asked]
        part = self.part(release)
        best = None
        if part is not None:
            configuration = part.configuration(other)
            entries = [
                part.entries.make(row, configuration, alternatives=False) for row in self.rows(key, mode, release)
            ]
            best = answering(entries, configuration) if entries else None
        if not other:
            self._entries[asked] = best
        return best

    def state(self, entry: Entry) -> State:
        """Return the aspects of an entry; equal entries share theirs."""
        kept = self._states.get(id(entry))
        if kept is None:
            kept = self._states[id(entry)] = (entry, state_of(entry, self.tables))
        return kept[1]

    def compared(self, before: Entry, after: Entry) -> dict[Aspect, Pair]:
        """Return what differs between two entries."""
        asked = (id(before), id(after))
        if asked not in self._differ:
            self._differ[asked] = compared(self.state(before), self.state(after), self.tables)
        return self._differ[asked]

    def runs(self, keys: Sequence[str] | Mapping[str, str | None], mode: str) -> list[Run]:
        """Return what a key is, release after release, under the first of its names that is logged in each.

        Args:
            keys: The names; or the one that counts in each release, None where there is none.
            mode: ``train`` or ``eval``.
        """
        runs: list[Run] = []
        said: tuple[object, ...] | None = None
        for release in self.releases:
            named = (keys.get(release),) if isinstance(keys, Mapping) else keys
            found_rows = ((key, self.rows(key, mode, release)) for key in named if key is not None)
            key, rows = next(((key, rows) for key, rows in found_rows if rows), (None, []))
            says = None if key is None else self._says(rows, release)
            if runs and says == said:
                runs[-1] = runs[-1]._replace(releases=(*runs[-1].releases, release))
            else:
                runs.append(Run((release,), None if key is None else self.entry(key, mode, release)))
            said = says
        return runs

    def _says(self, rows: list[TableRow], release: str) -> tuple[object, ...]:
        """Return what decides about a key: the statements of the spec, and the defaults that these name."""
        part = self.part(release)
        statements = (part and part.stem, *[row.place for row in rows])
        return (statements, self._deciding(statements, rows, release))

    def _deciding(self, statements: tuple[object, ...], rows: list[TableRow], release: str) -> tuple[str, ...]:
        """Return the defaults, in a release, of the changing settings that rows name."""
        if statements not in self._named:
            text = " ".join(expression for row in rows for expression in expressions_of(row))
            self._named[statements] = [values for name, values in self._defaults.items() if name in text]
        return tuple([values.get(release, "") for values in self._named[statements]])

    @cached_property
    def _defaults(self) -> dict[str, dict[str, str]]:
        """For each setting whose default changes, its default in each release."""
        stems = {part.stem: part for release in self.releases if (part := self.part(release)) is not None}
        tables: list[Mapping[str, Any]] = [self.table.config, *(part.component.config for part in stems.values())]
        defaults: dict[str, dict[str, str]] = {}
        for name, row in ((name, row) for keys in tables for name, row in keys.items()):
            by_release = defaults.setdefault(name, {})
            for ranges, value, _ in reversed(row.get("defaults", ())):
                covered = self.table.releases.covered(ranges) if ranges else self.table.releases.names
                by_release.update(dict.fromkeys(covered, repr(value)))
        size = len(self.table.releases.names)
        return {
            name: values for name, values in defaults.items() if len(values) < size or len(set(values.values())) > 1
        }


def stem_at(table: FrameworkTable, component: str, release: str) -> str | None:
    """Return the file that describes a component in a release, the same name in another module included."""
    for name, stem, ranges, module in table.components:
        if component in (name, f"{module}.{name}") and table.releases.covers(ranges, release):
            return stem
    return None
