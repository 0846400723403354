"""What one component logs under a key, release after release, each with its own defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType

from rlmetrics.lazy_typing import Any, NamedTuple

from ..differences.severity import Circumstances
from ..settings.configuration import Config, Configuration, configuration_of
from ..tables.component_rows import ComponentTable, TableRow, expressions_of
from ..tables.framework_table import FrameworkTable
from ..tables.key_records import Entry
from ..tables.tables import Tables
from ..tables.user_errors import NamesError
from .component import answering, either_of
from .entries import Entries

__all__ = ["ComponentCourse", "Run", "stem_at"]

Place = tuple[str, str]
"""A key with the prefix of its mode, and the mode."""


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
            config = {**(self._config or {}), **other}
            # Values that the release does not know, as others do, are left out.
            found = self._with(config) or self._with({k: v for k, v in config.items() if self._with({k: v})})
            assert found is not None
            self._configurations[place] = found
        return self._configurations[place]

    def _with(self, config: Mapping[str, Any]) -> Configuration | None:
        _, table, release = self._parts
        try:
            return configuration_of(table, self.component, release, config)
        except NamesError:
            return None


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
        self._rows: dict[Place, dict[str, tuple[TableRow, ...]]] = {}
        self._entries: dict[tuple[object, ...], Entry | None] = {}
        ends = [(component, self.releases[-1]), (former or component, self.releases[0])]
        stems = [(name, stem_at(table, name, release)) for name, release in ends]
        self._wanted = [(name, stem) for name, stem in stems if stem is not None]
        self._deciding: dict[tuple[object, ...], list[dict[str, str]]] = {}
        self.kept: dict[object, Any] = {}
        """What is found out about a key once, for whoever asks again."""

    def part(self, release: str) -> _Release | None:
        """Return the component in a release, None where it is not described."""
        if release not in self._at:
            stem = self._stems.get(release)
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

    @cached_property
    def _stems(self) -> dict[str, tuple[str, str]]:
        """Name and file of the component in each release that describes it.

        A class that was rewritten has another file under its old name, one that was renamed has its file under another
        name: what both ends have comes first, then the file, then the name.
        """
        files = [stem for _, stem in self._wanted]
        names = [name for name, _ in self._wanted]
        components = self.table.components
        wanted = (
            *(item for end in self._wanted for item in components if (item[0], item[1]) == end),
            *(item for stem in files for item in components if item[1] == stem),
            *(item for item in components if item[0] in names),
        )
        stems: dict[str, tuple[str, str]] = {}
        for name, stem, ranges, _ in wanted:
            stems = dict.fromkeys(self.table.releases.covered(ranges).intersection(self.releases), (name, stem)) | stems
        return stems

    def rows(self, key: str, mode: str, release: str) -> Sequence[TableRow]:
        """Return what the spec says of a key in a release."""
        return self.logging(key, mode).get(release, ())

    def logging(self, key: str, mode: str) -> Mapping[str, Sequence[TableRow]]:
        """Return what the spec says of a key, for each release that logs it."""
        place = key, mode
        if place not in self._rows:
            found = self._rows[place] = {}
            for stem, releases in self._files.items():
                for row in self.table.component(stem).called(key):
                    if row.mode == mode:
                        for release in self.table.releases.covered(row.ranges) & releases:
                            found[release] = (*found.get(release, ()), row)
        return self._rows[place]

    @cached_property
    def _files(self) -> dict[str, frozenset[str]]:
        """For each file of the component the releases that it describes."""
        files: dict[str, set[str]] = {}
        for release, (_, stem) in self._stems.items():
            files.setdefault(stem, set()).add(release)
        return {stem: frozenset(releases) for stem, releases in files.items()}

    def entry(self, key: str, mode: str, release: str, other: Mapping[str, Any] = MappingProxyType({})) -> Entry | None:
        """Return what a key is in a release, None if it is not there.

        Args:
            key: As it is logged, with the prefix of its mode.
            mode: ``train`` or ``eval``.
            release: One of the releases.
            other: Values of settings that replace the release's defaults.
        """
        place = key, mode, release, *other.items()
        if place not in self._entries:
            rows = self.rows(key, mode, release)
            self._entries[place] = self._shared(key, mode, release, other, rows) if rows else None
        return self._entries[place]

    def _shared(
        self, key: str, mode: str, release: str, other: Mapping[str, Any], rows: Sequence[TableRow]
    ) -> Entry | None:
        """Return an entry, the same for all releases in which the same decides about a key."""
        asked = key, mode, self._stems[release], *self._says(rows, release), *other.items()
        if asked not in self._entries:
            part = self.part(release)
            assert part is not None
            configuration = part.configuration(other)
            entries = [part.entries.make(row, configuration, alternatives=False) for row in rows]
            found = answering(entries, configuration)
            self._entries[asked] = found if len(entries) == 1 else found._replace(either=either_of(entries))
        return self._entries[asked]

    def runs(self, keys: Sequence[str] | Mapping[str, str | None], mode: str) -> list[Run]:
        """Return what a key is, release after release, under the first of its names that is logged in each.

        Args:
            keys: The names; or the one that counts in each release, None where there is none.
            mode: ``train`` or ``eval``.
        """
        names = dict.fromkeys(keys.values() if isinstance(keys, Mapping) else keys)
        logging = {key: self.logging(key, mode) for key in names if key is not None}
        named = keys if isinstance(keys, Mapping) else {one: key for key in reversed(keys) for one in logging[key]}
        runs: list[tuple[list[str], Entry | None]] = []
        place: tuple[object, ...] | None = None
        said: tuple[object, ...] | None = None
        for release in self.releases:
            key = named.get(release)
            rows = () if key is None else logging[key].get(release, ())
            here = rows, self._stems.get(release)
            if here != place or release in self.turns:
                says = self._says(rows, release) if rows else None
                if not runs or says != said:
                    runs.append(([], self.entry(str(key), mode, release) if rows else None))
                place, said = here, says
            runs[-1][0].append(release)
        return [Run(tuple(releases), entry) for releases, entry in runs]

    @cached_property
    def turns(self) -> frozenset[str]:
        """The releases in which some setting has another default than in the one before."""
        return frozenset(
            [
                release
                for values in self._defaults.values()
                for before, release in pairwise(self.releases)
                if values.get(before) != values.get(release)
            ]
        )

    def _says(self, rows: Sequence[TableRow], release: str) -> tuple[object, ...]:
        """Return what decides about a key: the statements of the spec, and the changing defaults that these name."""
        statements = (self._stems[release][1], *[row.place for row in rows])
        if statements not in self._deciding:
            text = " ".join([expression for row in rows for expression in expressions_of(row)])
            self._deciding[statements] = [values for name, values in self._defaults.items() if name in text]
        return (statements, *[values.get(release, "") for values in self._deciding[statements]])

    @cached_property
    def _defaults(self) -> dict[str, dict[str, str]]:
        """For each setting whose default changes, its default in each release."""
        tables = [self.table.config, *(self.table.component(stem).config for stem in self._files)]
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
