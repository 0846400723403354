"""What became of a key: where its meaning changed, where it was renamed, came or went, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rlmetrics.names.component import ComponentView
from rlmetrics.names.config import Config, holds
from rlmetrics.names.guards import names_in
from rlmetrics.names.history import History
from rlmetrics.names.relations import Relation, relate
from rlmetrics.names.rows import Row, guards_of, metrics_of
from rlmetrics.names.source import Component

from .words import averaged_words, population_words, quantity_words

if TYPE_CHECKING:
    from rlmetrics.names.records import Entry, Signature
    from rlmetrics.names.tables import Tables

__all__ = ["Cause", "Change", "Trail", "changes"]

_BY_GRADE = ("incomparable", "biased", "minor")
_SIDES = ("before", "now")


class Cause(NamedTuple):
    """One thing that changed.

    Attributes:
        text: In words, seen from the later release.
        grade: ``minor``, ``biased`` or ``incomparable``.
    """

    text: str
    grade: str


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
        self._parts = self._of(component)
        covered = frozenset[str]().union(*(self._table.releases.covered(ranges) for _, ranges, _ in self._parts))
        self.releases: tuple[str, ...] = tuple(sorted(covered, key=self._table.releases.index))
        """The releases that have the component, oldest first."""
        self._name = component.rpartition(".")[2] if component not in self._names else component
        self._history = History(self._table, self._name, self.releases)
        self._views: dict[str, ComponentView] = {}
        self._entries: dict[tuple[str, str, str], Entry | None] = {}

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for name, _, _, _ in self._table.components)

    def _of(self, component: str) -> list[tuple[str, Sequence[str], str]]:
        """Return the files of a component, the releases that they describe, and its module."""
        named = [row for row in self._table.components if component in (row[0], f"{row[3]}.{row[0]}")]
        return [(stem, ranges, module) for _, stem, ranges, module in named]

    @property
    def is_current(self) -> bool:
        """Whether the framework's newest release has the component."""
        return bool(self.releases) and self.releases[-1] == self._table.releases.names[-1]

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
        return tuple(_taken_back([*self._told(path)], path, self._tables))

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
        seen = False
        for (before, old), (release, new) in zip(path, path[1:], strict=False):
            if old is None and new is not None:
                yield Change("came", release, new.key, causes=() if not seen else ())
            elif old is not None and new is None:
                yield Change("went", release, old.key, before=before)
            elif old is not None and new is not None and old is not new:
                causes = tuple(self._causes(old, new, before, release))
                if old.key != new.key:
                    yield Change("renamed", release, new.key, old.key, causes, before=before)
                elif causes:
                    yield Change("changed", release, new.key, None, causes, before=before)
            seen = seen or new is not None

    def _causes(self, old: Entry, new: Entry, before: str, release: str) -> list[Cause]:
        relation = relate(old, new, self._tables, _SIDES)
        causes = [*_differences(old, new, relation, self._tables)]
        if old.logged != new.logged:
            causes.append(Cause(_LOGGED[new.logged], "minor"))
        if not causes:
            return []
        defaults = [*self._defaults(old, new, before, release)]
        # A default that changed is why the rest did: it is told first.
        worst = min((_BY_GRADE.index(cause.grade) for cause in causes), default=2)
        first = [Cause(text, _BY_GRADE[worst]) for text in defaults]
        return [*first, *sorted(causes, key=lambda cause: _BY_GRADE.index(cause.grade))]

    def _defaults(self, old: Entry, new: Entry, before: str, release: str) -> Iterator[str]:
        """Yield the defaults that changed and that decide about a key."""
        first, second = self._view(before), self._view(release)
        rows = [*self._named(old.key, old.mode, before), *self._named(new.key, new.mode, release)]
        guards = list(dict.fromkeys(guard for row in rows for guard in guards_of(row)))
        values, others = first.config.values, second.config.values
        for name in sorted(frozenset[str]().union(*map(names_in, guards))):
            if name not in values or name not in others or repr(values[name]) == repr(others[name]):
                continue
            undone = {**others, name: values[name]}
            if any(holds(guard, others) != holds(guard, undone) for guard in guards if name in names_in(guard)):
                yield f"default of {name} {_value(values[name])} -> {_value(others[name])}"

    def _named(self, key: str, mode: str, release: str) -> Iterator[Row]:
        return (row for row in self._rows(release) if row.key == key and row.mode == mode)


_LOGGED = {
    True: "logged by default",
    False: "not logged by default any more",
    None: "logged under some circumstances only",
}


def _placeholders(key: str) -> int:
    return key.count("{")


def _value(value: object) -> str:
    shown = {True: "true", False: "false", None: "null"}
    return shown[value] if value is None or isinstance(value, bool) else str(value)


def _differences(old: Entry, new: Entry, relation: Relation, tables: Tables) -> Iterator[Cause]:
    """Yield in words what is different about a number."""
    if old.metric != new.metric:
        if new.metric is None or old.metric is None:
            yield Cause("what it measures depends on the configuration", "incomparable")
        else:
            yield Cause(
                f"measures {_lowered(quantity_words(new.metric, tables))}; "
                f"before: {_lowered(quantity_words(old.metric, tables))}",
                "incomparable",
            )
        return
    if old.signature is new.signature and old.kind == new.kind:
        return
    told = [*_signatures(old, new, tables)]
    yield from told
    if relation.transform is not None:
        scale, offset = relation.transform.scale, relation.transform.offset
        shift = f" + {offset:g}" if offset else ""
        yield Cause(f"values are {scale:g} x those before{shift}", "biased")
    if not told and relation.differs_by:
        yield from (Cause(item.what, item.grade) for item in relation.differs_by)


def _signatures(old: Entry, new: Entry, tables: Tables) -> Iterator[Cause]:
    left, right = old.signature, new.signature
    traits = tables.traits
    for name in right.traits:
        if name not in left.traits:
            yield Cause(str(traits[name]["what"]), str(traits[name]["grade"]))
    for name in left.traits:
        if name not in right.traits:
            yield Cause(f"no longer: {traits[name]['what']}", str(traits[name]["grade"]))
    same_traits = set(left.traits) == set(right.traits)
    if left.population != right.population and same_traits and None not in (left.population, right.population):
        words = [population_words(side.population, tables) for side in (left, right)]
        yield Cause(f"over {words[1]}, was {words[0]}", "biased")
    grades = {item.what.partition(":")[0]: item.grade for item in relate(old, new, tables).differs_by}
    levels: Mapping[str, Sequence[str]] = tables.signatures["LEVELS"]
    averaged = [grades[brief] for brief, _ in levels.values() if brief in grades]
    if averaged:
        then, now = (_averaged(side, str(new.metric), tables) for side in (left, right))
        yield Cause(f"averaged: {now}; was: {then}", min(averaged, key=_BY_GRADE.index))
    if left.span != right.span and right.span is not None:
        yield Cause(f"measures {right.span.rstrip('.')}", "biased")


def _averaged(signature: Signature, metric: str, tables: Tables) -> str:
    words = averaged_words(signature, metric, tables) or "not said"
    taken = population_words(signature.population, tables)
    return words.removeprefix(f"{taken}; ") if taken else words


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def _taken_back(told: Sequence[Change], path: Sequence[_Place], tables: Tables) -> Iterator[Change]:
    """Yield changes, one that the next one undoes told once, with the releases in which it held."""
    entries = {place.release: place.entry for place in path}
    skip = False
    for change, after in zip(told, [*told[1:], None], strict=True):
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
