"""What changed between two releases."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from .component import ComponentView
from .config import Config, holds
from .guards import Value, names_in
from .history import History
from .mapping import NameMap
from .protocol import View
from .records import Difference, Entry, Evidence, Fallback, MapRow, Transform
from .relations import Relation, relate
from .source import Component, Source
from .tables import Overlays, Tables
from .view import FrameworkView, open_views

__all__ = ["ChangedKey", "DiffResult", "ListedKey", "RenamedKey", "diff"]

_SIDES = ("the old release", "the new one")


@dataclass(frozen=True, slots=True)
class ListedKey:
    """A key that came or went; for one that went, ``instead`` names what is nearest to it.

    ``evidence`` is where it stands in its release, or in the nearest one that is cited.
    """

    key: str
    component: str
    metric: str | None
    condition: str | None
    logged_by_default: bool | None
    evidence: tuple[Evidence, ...]
    instead: str | None = None


@dataclass(frozen=True, slots=True)
class RenamedKey:
    """A key that has a new name, and how the numbers under both relate."""

    from_: str
    to: str
    relation: str
    component: str
    to_component: str
    differs_by: tuple[Difference, ...]
    transform: Transform | None
    metric: str | None
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True, slots=True)
class ChangedKey:
    """A key that kept its name and changed its meaning.

    Attributes:
        key: The key.
        component: The component that logs it.
        what: What changed, in words.
        since: The first described release with the new meaning, None for different frameworks.
        evidence: Where the new meaning stands, in the new release or the nearest one that is cited.
        relation: From the old number to the new one.
        differs_by: How the two numbers differ.
    """

    key: str
    component: str
    what: str
    since: str | None
    evidence: tuple[Evidence, ...]
    relation: str
    differs_by: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class DiffResult:
    """What changed between two sources.

    ``fallbacks`` has releases that the spec lacks, and what answers in their place.
    """

    added: tuple[ListedKey, ...]
    removed: tuple[ListedKey, ...]
    renamed: tuple[RenamedKey, ...]
    changed: tuple[ChangedKey, ...]
    fallbacks: tuple[Fallback, ...] = ()


def diff(from_: str, to: str, *, config: Config = None, spec: Overlays | Tables = None) -> DiffResult:
    """Return what changed between two sources, usually two releases of one component.

    Args:
        from_: The old one, such as ``trl[GRPOTrainer]==0.18.2``.
        to: The new one.
        config: Values of configuration keys that differ from the releases' defaults.
        spec: Folders with further YAML.

    Raises:
        NamesError: A source or a configuration key is unknown.
    """
    old, new = open_views([from_, to], config=config, spec=spec)
    names = NameMap(old, new)
    before = {_place(entry): entry for entry in old.entries()}
    after = {_place(entry): entry for entry in new.entries()}
    pairs = _same_name(before, after)
    kept = set(pairs.values())
    fresh = {place: entry for place, entry in after.items() if place not in kept}
    comparison = _Comparison(old, new, config)
    renamed: list[RenamedKey] = []
    removed: list[ListedKey] = []
    changed: list[ChangedKey] = []
    taken: set[tuple[str, str, str]] = set()
    for place, entry in before.items():
        if place in pairs:
            change = comparison.change(entry, after[pairs[place]])
            changed += [] if change is None else [change]
            continue
        found = names.translated(entry)
        if found is not None and _place(found[1]) in fresh:
            taken.add(_place(found[1]))
            renamed.append(_renamed(entry, *found, new.evidence(found[1])))
        else:
            removed.append(_listed(entry, old.evidence(entry), None if found is None else found[0].to))
    added = [_listed(entry, new.evidence(entry)) for place, entry in fresh.items() if place not in taken]
    fallbacks = (*old.source.fallbacks, *new.source.fallbacks)
    return DiffResult(tuple(added), tuple(removed), tuple(renamed), tuple(changed), fallbacks)


def _place(entry: Entry) -> tuple[str, str, str]:
    return entry.component, entry.key, entry.mode


def _same_name(
    before: Mapping[tuple[str, str, str], Entry], after: Mapping[tuple[str, str, str], Entry]
) -> dict[tuple[str, str, str], tuple[str, str, str]]:
    """Return which old key has a namesake: in the same component, or in the only new component that has it."""
    by_key: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for place in after:
        by_key.setdefault(place[1:], []).append(place)
    pairs = {}
    for place in before:
        if place in after:
            pairs[place] = place
        elif len(by_key.get(place[1:], ())) == 1 and by_key[place[1:]][0] not in before:
            pairs[place] = by_key[place[1:]][0]
    return pairs


def _renamed(entry: Entry, row: MapRow, target: Entry, evidence: tuple[Evidence, ...]) -> RenamedKey:
    return RenamedKey(
        entry.key,
        str(row.to),
        row.relation,
        entry.component,
        target.component,
        row.differs_by,
        row.transform,
        entry.metric,
        evidence,
    )


def _listed(entry: Entry, evidence: tuple[Evidence, ...], instead: str | None = None) -> ListedKey:
    return ListedKey(
        entry.key,
        entry.component,
        entry.metric,
        entry.condition,
        entry.logged_by_default,
        evidence,
        instead,
    )


def _said(old: Entry, new: Entry, relation: Relation) -> list[str]:
    """Return what is not the same about two entries of one name."""
    said: list[str] = []
    if old.metric != new.metric:
        said.append(f"measures {new.metric or 'what the configuration says'} in place of {old.metric or 'that'}")
        said += [relation.why] if relation.why is not None else []
    else:
        said += [difference.what for difference in relation.differs_by]
        if relation.transform is not None:
            said.append(f"new = {relation.transform.scale:g} * old + {relation.transform.offset:g}")
    if old.kind != new.kind:
        said.append(f"is a {new.kind} in place of a {old.kind}")
    if old.logged != new.logged:
        said.append(f"was {_when(old)}, is {_when(new)}")
    return said


def _when(entry: Entry) -> str:
    by_default = {True: "logged", False: "not logged", None: "not always logged"}[entry.logged]
    return by_default if entry.condition is None else f"{by_default} by default (condition: {entry.condition})"


class _Comparison:
    """Two sources side by side, and the described releases between them."""

    def __init__(self, old: View, new: View, config: Config) -> None:
        self._old, self._new = old, new
        self._tables = old.tables
        self._config = config
        self._same = old.source.framework == new.source.framework and old.source.is_release
        self._between: dict[tuple[str, str], ComponentView | None] = {}
        self._histories: dict[str, History] = {}

    def change(self, old: Entry, new: Entry) -> ChangedKey | None:
        """Return how the meaning of a key changed, or None if it did not."""
        relation = relate(old, new, self._tables, _SIDES)
        said = _said(old, new, relation)
        if not said:
            return None
        defaults = self._changed_defaults(old, new)
        return ChangedKey(
            new.key,
            new.component,
            "; ".join([*said, *defaults]),
            self._since(old, new),
            self._new.evidence(new),
            relation.kind,
            relation.differs_by,
        )

    def _changed_defaults(self, old: Entry, new: Entry) -> list[str]:
        """Return which defaults changed that decide about a key."""
        if not isinstance(self._old, FrameworkView) or not isinstance(self._new, FrameworkView):
            return []
        first, second = self._old.components[old.component], self._new.components[new.component]
        guards = [*first.guards(old.key, old.mode), *second.guards(new.key, new.mode)]
        said: list[str] = []
        for name in sorted(frozenset[str]().union(*map(names_in, guards))):
            if name not in first.config.values or name not in second.config.values:
                continue
            before, after = first.config.values[name], second.config.values[name]
            if before == after and type(before) is type(after):
                continue
            undone = {**second.config.values, name: before}
            if any(holds(guard, second.config.values) != holds(guard, undone) for guard in guards):
                said.append(f"the default of {name} was {_value(before)}, is {_value(after)}")
        return said

    def _since(self, old: Entry, new: Entry) -> str | None:
        """Return the first release after the old one, up to the new one, in which an entry differs from the old one."""
        if not self._same:
            return None
        releases = self._tables.framework(self._old.source.framework).releases
        first, last = releases.index(self._old.source.release), releases.index(self._new.source.release)
        step = 1 if last >= first else -1
        history = self._history(new.component)
        # The history of another component says nothing about the old key until one of its releases was looked at.
        known = new.component == old.component
        for index in range(first + step, last, step):
            release = releases.names[index]
            if known and not history.may_differ(new.key, new.mode, release, releases.names[index - step]):
                continue
            view = self._view(new.component, release)
            entry = None if view is None else view.entry_alone(new.key, new.mode)
            if entry is None:
                continue
            known = True
            if _said(old, entry, relate(old, entry, self._tables, _SIDES)):
                return release
        return self._new.source.release

    def _history(self, component: str) -> History:
        if component not in self._histories:
            table = self._tables.framework(self._new.source.framework)
            ends = sorted(table.releases.index(view.source.release) for view in (self._old, self._new))
            between = table.releases.names[ends[0] : ends[1] + 1]
            self._histories[component] = History(table, component, between)
        return self._histories[component]

    def _view(self, component: str, release: str) -> ComponentView | None:
        if (component, release) not in self._between:
            framework = self._new.source.framework
            table = self._tables.framework(framework)
            found = tuple(
                Component(name, stem, module)
                for name, stem, ranges, module in table.components
                if name == component and table.releases.covers(ranges, release)
            )
            view = FrameworkView(self._tables, Source(framework, release, found[:1]), self._config)
            self._between[component, release] = view.components.get(component)
        return self._between[component, release]


def _value(value: Value) -> str:
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)
