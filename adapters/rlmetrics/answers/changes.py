"""What became of a key: where its meaning changed, where it was renamed, came or went, and why."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, NamedTuple

from rlmetrics.names.component import ComponentView
from rlmetrics.names.config import Config, Configuration, holds
from rlmetrics.names.guards import names_in
from rlmetrics.names.history import History
from rlmetrics.names.relations import relate
from rlmetrics.names.rows import Row, guards_of, metrics_of
from rlmetrics.names.source import Component

from .causes import Cause, by_weight, differences

if TYPE_CHECKING:
    from rlmetrics.names.records import Entry
    from rlmetrics.names.tables import Tables

__all__ = ["Change", "Trail", "changes"]


class Change(NamedTuple):
    """What happened to a key in a release.

    Attributes:
        kind: ``came``, ``went``, ``renamed`` or ``changed``.
        release: The first one in which it is so; of a key that went, the first without it.
        key: The key from then on; of one that went, its last name.
        was: Its name before, if that was another one.
        causes: What changed about the number, what weighs most first.
        until: The last release in which it is so, for a change that was taken back.
        before: The last release in which it was otherwise, None for a key that came.
    """

    kind: str
    release: str
    key: str
    was: str | None = None
    causes: tuple[Cause, ...] = ()
    until: str | None = None
    before: str | None = None


def changes(
    tables: Tables,
    framework: str,
    component: str,
    key: str,
    mode: str = "train",
    *,
    at: str | None = None,
    config: Config = None,
) -> tuple[Change, ...]:
    """Return what became of a key in one component, oldest first.

    Args:
        tables: The spec.
        framework: Name of the framework.
        component: The component's name.
        key: The key or template, as the release spells it.
        mode: ``train`` or ``eval``.
        at: A release in which the key has that name; the last one that has it, if left out.
        config: Values of configuration keys that differ from the releases' defaults.
    """
    return Trail(tables, framework, component, config).changes(key, mode, at)


class _Place(NamedTuple):
    """A key in a release of the component: its entry, None where it is not logged."""

    release: str
    entry: Entry | None


class Trail:
    """One component through its releases.

    Args:
        tables: The spec.
        framework: Name of the framework.
        component: The component's name, or ``module.Name`` where two share it.
        config: Values of configuration keys that differ from the releases' defaults.
    """

    def __init__(self, tables: Tables, framework: str, component: str, config: Config = None) -> None:
        self._tables = tables
        self._table = tables.framework(framework)
        self._config = config
        names = {name for name, _, _, _ in self._table.components}
        self._name = component if component in names else component.rpartition(".")[2]
        self._parts = [(stem, ranges, at) for name, stem, ranges, at in self._table.components if name == self._name]
        covered = frozenset[str]().union(*(self._table.releases.covered(ranges) for _, ranges, _ in self._parts))
        self.releases: tuple[str, ...] = tuple(sorted(covered, key=self._table.releases.index))
        """The releases that have the component, oldest first."""
        self._history = History(self._table, self._name, self.releases)
        self._views: dict[str, ComponentView] = {}
        self._entries: dict[tuple[str, str, str], Entry | None] = {}

    @property
    def is_current(self) -> bool:
        """Whether the framework's newest release has the component."""
        return bool(self.releases) and self.releases[-1] == self._table.releases.names[-1]

    def entry(self, key: str, mode: str, release: str) -> Entry | None:
        """Return what a key is in a release; None if that does not log it."""
        return self._entry(key, mode, release, None)

    def config(self, release: str) -> Configuration:
        """Return the settings of the component in a release that has it."""
        return self._view(release).config

    def changes(self, key: str, mode: str, at: str | None = None) -> tuple[Change, ...]:
        """Return what became of a key, oldest first; see `changes`."""
        having = [release for release in self.releases if self._history.has(key, mode, release)]
        if not having:
            return ()
        start = at if at in having else having[-1]
        place = self.releases.index(start)
        older = [*self._followed(key, mode, range(place, -1, -1))]
        newer = [*self._followed(key, mode, range(place, len(self.releases)))]
        path = [*reversed(older), *newer[1:]]
        return tuple(_ranges(_undone([*self._told(path)], path, self._tables)))

    def _followed(self, key: str, mode: str, order: Iterable[int]) -> Iterator[_Place]:
        """Yield what a key is in releases one after another, by whatever name it goes there."""
        before: _Place | None = None
        for index in order:
            release = self.releases[index]
            entry = self._entry(key, mode, release, None if before is None else before)
            if entry is None and before is not None and before.entry is not None:
                found = self._namesake(before.entry, before.release, release)
                if found is not None:
                    key, entry = found.key, found
            before = _Place(release, entry)
            yield before

    def _entry(self, key: str, mode: str, release: str, before: _Place | None) -> Entry | None:
        """Return a key's entry; the very one of the release looked at before, where nothing can have changed."""
        same = before is not None and before.entry is not None and before.entry.key == key
        if same and before is not None and not self._history.may_differ(key, mode, release, before.release):
            return before.entry if self._history.has(key, mode, release) else None
        place = (key, mode, release)
        if place not in self._entries:
            has = self._history.has(key, mode, release)
            self._entries[place] = self._view(release).entry_alone(key, mode) if has else None
        return self._entries[place]

    def _namesake(self, entry: Entry, release: str, other: str) -> Entry | None:
        """Return what another release calls a number: a key of the same meaning that this release has not."""
        best: tuple[tuple[int, int, int], Entry] | None = None
        for row in self._rows(other):
            if row.mode != entry.mode or entry.metric not in metrics_of(row) or row.key == entry.key:
                continue
            if self._history.has(row.key, row.mode, release) or self._history.has(entry.key, entry.mode, other):
                continue
            found = self._view(other).entry_alone(row.key, row.mode)
            if found is None or _placeholders(found.key) != _placeholders(entry.key):
                continue
            relation = relate(entry, found, self._tables)
            if relation.translates and (best is None or relation.rank < best[0]):
                best = relation.rank, found
        return None if best is None else best[1]

    def _rows(self, release: str) -> Iterator[Row]:
        for stem, ranges, _ in self._parts:
            if self._table.releases.covers(ranges, release):
                yield from self._table.component(stem).at(release)

    def _view(self, release: str) -> ComponentView:
        if release not in self._views:
            stem, module = next(
                (stem, module) for stem, ranges, module in self._parts if self._table.releases.covers(ranges, release)
            )
            component = Component(self._name, stem, module)
            self._views[release] = ComponentView(self._tables, self._table, component, release, self._config)
        return self._views[release]

    def _told(self, path: Sequence[_Place]) -> Iterator[Change]:
        """Yield what happened along a path."""
        for (before, old), (release, new) in pairwise(path):
            if old is None and new is not None:
                yield Change("came", release, new.key)
            elif old is not None and new is None:
                yield Change("went", release, old.key, before=before)
            elif old is not None and new is not None:
                causes = tuple(self._causes(old, new, before, release))
                if old.key != new.key:
                    yield Change("renamed", release, new.key, old.key, causes, before=before)
                elif causes:
                    yield Change("changed", release, new.key, None, causes, before=before)

    def _causes(self, old: Entry, new: Entry, before: str, release: str) -> list[Cause]:
        if old is new:
            return [Cause(text, "biased") for text in self._switched(old, new, before, release)]
        sides = self._view(before).circumstances, self._view(release).circumstances
        causes = [*differences(old, new, self._tables, sides=sides)]
        if old.logged != new.logged:
            causes.append(Cause(_LOGGED[new.logged], "biased"))
        # A default that changed is why the rest did: it is told first.
        first = [Cause(text, "biased") for text in self._defaults(old, new, before, release)]
        return [*first, *sorted(causes, key=by_weight)]

    def _defaults(self, old: Entry, new: Entry, before: str, release: str) -> Iterator[str]:
        """Yield the defaults that changed and that decide about a key."""
        values, others = self._view(before).config.values, self._view(release).config.values
        rows = [*self._named(old.key, old.mode, before), *self._named(new.key, new.mode, release)]
        guards = list(dict.fromkeys(guard for row in rows for guard in guards_of(row)))
        deciding: list[str] = []
        for name in sorted(frozenset[str]().union(*map(names_in, guards))):
            if name in values and name in others and _typed(values[name]) != _typed(others[name]):
                undone = {**others, name: values[name]}
                if any(holds(guard, others) != holds(guard, undone) for guard in guards if name in names_in(guard)):
                    deciding.append(name)
                    yield f"default of {name} {_value(values[name])} -> {_value(others[name])}"
        yield from (text for text in self._switched(old, new, before, release) if text.split()[2] not in deciding)

    def _switched(self, old: Entry, new: Entry, before: str, release: str) -> Iterator[str]:
        """Yield the defaults that were turned on or off and that the notes of a key name."""
        for name, first, last in self._history.switched(before, release):
            if re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", f"{old.note} {new.note}"):
                yield f"default of {name} {_value(first)} -> {_value(last)}"

    def _named(self, key: str, mode: str, release: str) -> Iterator[Row]:
        covers = self._table.releases.covers
        for stem, ranges, _ in self._parts:
            if covers(ranges, release):
                rows = self._table.component(stem).called(key)
                yield from (row for row in rows if row.mode == mode and covers(row.ranges, release))


_LOGGED = {
    True: "logged by default",
    False: "not logged by default any more",
    None: "logged under some circumstances only",
}


def _placeholders(key: str) -> int:
    return key.count("{")


def _typed(value: object) -> tuple[object, type]:
    return value, type(value)


def _value(value: object) -> str:
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


def _undone(told: Sequence[Change], path: Sequence[_Place], tables: Tables) -> Iterator[Change]:
    """Yield changes; one that the next one undoes is told once, with the releases in which it held."""
    entries = {place.release: place.entry for place in path}
    skip = False
    for change, after in zip_longest(told, told[1:]):
        if skip:
            skip = False
            continue
        if after is not None and change.kind == after.kind == "changed" and change.before is not None:
            first, last = entries[change.before], entries[after.release]
            if first is not None and last is not None and _alike(first, last, tables):
                skip = True
                yield change._replace(until=after.before)
                continue
        yield change


def _alike(first: Entry, last: Entry, tables: Tables) -> bool:
    return first.logged == last.logged and relate(first, last, tables).kind == "exact"


def _ranges(told: Iterable[Change]) -> Iterator[Change]:
    """Yield changes; what came and went again on its own is told once, with the releases in which it held."""
    changes_ = [*told]
    came: dict[str, int] = {}
    ended: dict[tuple[int, str], str | None] = {}
    dropped: set[tuple[int, str]] = set()
    for at, change in enumerate(changes_):
        for cause in change.causes:
            if cause.trait is None or change.until is not None:
                continue
            if not cause.gone:
                came[cause.trait] = at
            elif cause.trait in came:
                ended[came.pop(cause.trait), cause.trait] = change.before
                dropped.add((at, cause.trait))
    for at, change in enumerate(changes_):
        held = [cause for cause in change.causes if (at, cause.trait or "") in ended]
        kept = tuple(c for c in change.causes if c not in held and not (c.gone and (at, c.trait) in dropped))
        if kept or not change.causes or change.kind != "changed":
            yield change._replace(causes=kept)
        for until in dict.fromkeys(ended[at, str(cause.trait)] for cause in held):
            causes = tuple(cause for cause in held if ended[at, str(cause.trait)] == until)
            yield Change("changed", change.release, change.key, None, causes, until, change.before)
