"""What a new release brings that a person has to edit or read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from .changes import depends, diff_of
from .component import Component
from .fingerprint import digest
from .lock import Lock
from .marks import Mark, places_of, symbol_for
from .packages import Package
from .similar import most_similar, text_of
from .symbols import REST, Symbol

__all__ = ["Item", "News", "Step", "news"]

Kind = Literal["anchor lost", "component", "new key", "lost key", "moved key", "default", "requirement", "changed code"]


@dataclass(frozen=True)
class Item:
    """One piece of news.

    Attributes:
        kind: What it is. All but ``changed code`` say that the spec may be wrong until it is edited.
        what: One line.
        token: The change in a form that stays the same as long as the change does.
        components: Stems of the files that it is about.
        keys: Keys that depend on it.
        symbols: Path and name of the symbols that it is about.
        diff: Lines with ``- `` or ``+ `` before them.
        hints: Lines that help to repair it.
    """

    kind: Kind
    what: str
    token: str
    components: tuple[str, ...]
    keys: tuple[str, ...] = ()
    symbols: tuple[tuple[str, str], ...] = ()
    diff: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    @property
    def tier(self) -> Literal["edit", "read"]:
        """Whether the spec is wrong until it is edited, or the code has to be read."""
        return "read" if self.kind == "changed code" else "edit"


@dataclass(frozen=True)
class News:
    """All news of a release.

    Attributes:
        found: How many anchors were found.
        moved: How many of them stand on other lines, or in other files.
        lost: How many were not.
        items: To edit first, then to read, the most relevant first.
        names: Changed code that no fact depends on, and new files.
    """

    found: int
    moved: int
    lost: int
    items: tuple[Item, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Step:
    """Two neighbouring releases of a framework and what locks know of them.

    Attributes:
        old: The earlier release.
        new: The later one.
        components: The components, whose claims know the new release.
        locks: Stem to the lock of the framework's own package; both releases are in it.
        shared: The lock of the framework as a whole.
        described: Keys of each component's file that are described in the new release.
        written: Stem and key to the path, line and symbol of a place that writes the key in the new release.
    """

    old: Package
    new: Package
    components: Sequence[Component]
    locks: Mapping[str, Lock]
    shared: Lock
    described: Mapping[str, frozenset[str]] = field(default_factory=dict)
    written: Mapping[tuple[str, str], tuple[str, int, str]] = field(default_factory=dict)


def news(step: Step) -> News:
    """Return what is new in a release, see :class:`News`."""
    found, moved, lost = _anchor_counts(step)
    edit = [*_lost(step), *_structure(step), *_keys(step), *_defaults(step), *_requirements(step)]
    read, watched = _read(step)
    return News(found, moved, lost, (*edit, *read), tuple(_names_only(step, watched)))


# Anchors.


def _needed(step: Step, component: Component) -> dict[str, set[str]]:
    """Anchors of the framework's own package that claims of the new release name, with the claims' keys."""
    found: dict[str, set[str]] = {}
    for name, claim in component.needed(step.new.release):
        anchor = component.anchors.get(name)
        if anchor is not None and not anchor.guide and anchor.package == component.package:
            found.setdefault(name, set()).update(claim.keys)
    return found


def _anchor_counts(step: Step) -> tuple[int, int, int]:
    seen: dict[tuple[object, ...], tuple[bool, bool]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        for name in _needed(step, component):
            here, before = lock.places(name, step.new.release), lock.places(name, step.old.release)
            if here or before:
                seen[component.stem, name] = (bool(here), bool(here) and here != before)
    found = sum(here for here, _ in seen.values())
    return found, sum(moved for _, moved in seen.values()), len(seen) - found


def _lost(step: Step) -> Iterator[Item]:
    groups: dict[tuple[Mark, ...], list[tuple[Component, str, set[str]]]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        for name, keys in _needed(step, component).items():
            before = tuple(item.mark for item in lock.found(name, step.old.release))
            if before and not lock.found(name, step.new.release):
                groups.setdefault(before, []).append((component, name, keys))
    for marks, uses in groups.items():
        names = list(dict.fromkeys(name for _, name, _ in uses))
        depending = _keys_of((component, keys) for component, _, keys in uses)
        symbol = marks[0].symbol
        near = step.locks[uses[0][0].stem].near(names[0])
        diff, hints = _proposal(step, marks[0], names[0], near)
        yield Item(
            "anchor lost",
            f"{', '.join(names)} in {symbol} -> {len(depending)} key{'s' * (len(depending) != 1)}",
            f"lost {' '.join(sorted({component.stem + ':' + name for component, name, _ in uses}))}",
            tuple(sorted({component.stem for component, _, _ in uses})),
            depending,
            tuple((path, symbol) for path in near[:1]),
            diff,
            hints,
        )


def _proposal(step: Step, mark: Mark, name: str, near: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lost statement and the one that may stand for it now, with the command that takes it."""
    old = symbol_for(step.old, mark.symbol, near)
    places = places_of(old, mark) if old else ()
    if old is None or not places:
        return (), ()
    old_lines = step.old.texts[old.path].splitlines()
    text = text_of(old, places[0], old_lines)
    shown = [f"- {old.path}:{old.statements[places[0]].first}  {text}"]
    best = _same_elsewhere(step.new, mark, old) or _similar(step.new, mark, near, text)
    if best is None:
        return tuple(shown), ()
    symbol, place, how = best
    line = symbol.statements[place].first
    shown.append(
        f"+ {symbol.path}:{line}  {text_of(symbol, place, step.new.texts[symbol.path].splitlines())}   ({how})"
    )
    return tuple(shown), (f"rlmetrics anchor add {name} {step.new.name}=={step.new.release} {symbol.path}:{line}",)


def _same_elsewhere(package: Package, mark: Mark, old: Symbol) -> tuple[Symbol, int, str] | None:
    module = package.module(old.path)
    nearby = module.symbols.values() if module else ()
    everywhere = (symbol for symbols in package.by_name.values() for symbol in symbols)
    for symbols in (nearby, everywhere):
        found = [(symbol, symbol.places[mark.fingerprint]) for symbol in symbols if mark.fingerprint in symbol.places]
        if len(found) == 1 and len(found[0][1]) == 1:
            return found[0][0], found[0][1][0], f"the same in {found[0][0].name}"
    return None


def _similar(package: Package, mark: Mark, near: Sequence[str], text: str) -> tuple[Symbol, int, str] | None:
    symbol = symbol_for(package, mark.symbol, near)
    if symbol is None:
        return None
    match = most_similar(text, symbol, package.texts[symbol.path].splitlines())
    return (symbol, match.place, "similar") if match else None


# Components, keys, defaults, requirements.


def _structure(step: Step) -> Iterator[Item]:
    for component in step.components:
        for item in component.classes:
            if step.old.release not in item.releases:
                continue
            name = item.name.rpartition(".")[2]
            before = step.old.class_named(item.module, name)
            if before is not None and step.new.class_named(item.module, name) is None:
                where = [symbol.path for symbol in step.new.named(name)]
                text = f"{item.name} is no longer in {item.module}" + (f", but in {', '.join(where)}" if where else "")
                token = f"component {item.name} {item.module}"
                yield Item("component", text, token, (component.stem,), tuple(sorted(component.keys)))


def _keys(step: Step) -> Iterator[Item]:
    appeared: dict[str, list[Component]] = {}
    vanished: dict[str, list[Component]] = {}
    moved: dict[tuple[str, str], list[Component]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        before = {name: places for (_, name), places in lock.at("keys", step.old.release).items()}
        after = {name: places for (_, name), places in lock.at("keys", step.new.release).items()}
        described = step.described.get(component.stem, frozenset())
        for key in sorted({*before, *after}):
            if key not in before and key not in described:
                appeared.setdefault(key, []).append(component)
            elif key not in after and key in described:
                vanished.setdefault(key, []).append(component)
            elif key in before and key in after and before[key] != after[key]:
                gone, come = set(before[key]) - set(after[key]), set(after[key]) - set(before[key])
                if {place.split(" ")[1] for place in gone} != {place.split(" ")[1] for place in come}:
                    text = " -> ".join(", ".join(sorted(part)) or "nowhere else" for part in (gone, come))
                    moved.setdefault((key, text), []).append(component)
    for key, owners in appeared.items():
        item = _key_item("new key", key, f"{key} of {_titles(owners)}", owners, step)
        yield replace(item, hints=_draft(step, owners[0], key))
    for key, owners in vanished.items():
        yield _key_item("lost key", key, f"{key} of {_titles(owners)} is not written any more", owners, step)
    for (key, text), owners in moved.items():
        yield _key_item("moved key", key, f"{key} of {_titles(owners)}: {text}", owners, step)


def _draft(step: Step, component: Component, key: str) -> tuple[str, ...]:
    """The record and the anchor that a new key needs, and the command that takes the statement."""
    place = step.written.get((component.stem, key))
    if place is None:
        return ()
    path, line, symbol = place
    name = re.sub(r"[^a-z0-9]+", ".", key.lower()).strip(".")
    return (
        f"keys:     {key}: {{releases: {step.new.release}.., metric: …, at: [{name}]}}",
        f"anchors:  {name}: {symbol}   (both in {component.stem}.yaml)",
        f"rlmetrics anchor add {name} {step.new.name}=={step.new.release} {path}:{line}",
    )


def _key_item(kind: Kind, key: str, what: str, owners: Sequence[Component], step: Step) -> Item:
    stems = tuple(sorted(component.stem for component in owners))
    places: set[str] = set()
    for stem in stems:
        rows = step.locks[stem].tables.get(("keys", ""), {}).get(key, {})
        places.update(place for place, found in rows.items() if found & {step.old.release, step.new.release})
    symbols = tuple((path, name) for path, _, name in (place.partition(" ") for place in sorted(places)))
    return Item(kind, what, f"{kind} {key} {' '.join(stems)} {digest([what])}", stems, (key,), symbols)


def _titles(owners: Iterable[Component]) -> str:
    names = [component.classes[-1].name if component.classes else component.stem for component in owners]
    return ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2} others"


def _defaults(step: Step) -> Iterator[Item]:
    groups: dict[str, list[tuple[Component, str]]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        before, after = lock.at("defaults", step.old.release), lock.at("defaults", step.new.release)
        classes = {subject for subject, _ in before} & {subject for subject, _ in after}
        for subject, name in sorted({*before, *after}):
            if subject not in classes:
                continue
            old, new = before.get((subject, name), ("",))[0], after.get((subject, name), ("",))[0]
            if old != new:
                said = f"new field, {new}" if not old else f"gone, was {old}" if not new else f"{old} -> {new}"
                groups.setdefault(f"{name} {said}", []).append((component, subject))
    for text, uses in groups.items():
        stems = tuple(sorted({component.stem for component, _ in uses}))
        subjects = sorted({subject for _, subject in uses})
        yield Item("default", f"{text} ({', '.join(subjects)})", f"default {text} {' '.join(subjects)}", stems)


def _requirements(step: Step) -> Iterator[Item]:
    gone = sorted(set(step.old.requirements) - set(step.new.requirements))
    come = sorted(set(step.new.requirements) - set(step.old.requirements))
    if gone or come:
        names = sorted({re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in (*gone, *come)})
        text = ", ".join(names[:5]) + (f" and {len(names) - 5} others" if len(names) > 5 else "")
        diff = (*(f"- {text}" for text in gone), *(f"+ {text}" for text in come))
        yield Item("requirement", text, f"requirement {digest(diff)}", (), diff=diff)


# Code.


def _read(step: Step) -> tuple[list[Item], set[tuple[str, str]]]:
    """Items of changed watched symbols, and all watched symbols."""
    watchers: dict[tuple[str, str], list[Component]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        for key in {*lock.watched(step.old.release), *lock.watched(step.new.release)}:
            watchers.setdefault(key, []).append(component)
    marks = _MarksBySymbol(step.locks)
    shown: dict[tuple[str, ...], list[tuple[int, tuple[str, str], list[Component], Symbol | None]]] = {}
    for key, owners in sorted(watchers.items()):
        if key[1] == REST:
            continue
        old, new = _version(step.old, key), _version(step.new, key)
        if (old is None and new is None) or (old and new and old.fingerprint == new.fingerprint):
            continue
        diff = diff_of(old, new, _lines(step.old, old), _lines(step.new, new))
        relevance = _relevance(step, marks, owners, old, new)
        shown.setdefault(diff, []).append((relevance, key, owners, new or old))
    items = [_changed(diff, uses) for diff, uses in shown.items()]
    items.sort(key=lambda pair: (pair[0], -len(pair[1].keys), pair[1].what))
    return [item for _, item in items], set(watchers)


def _changed(
    diff: tuple[str, ...], uses: Sequence[tuple[int, tuple[str, str], list[Component], Symbol | None]]
) -> tuple[int, Item]:
    keys = tuple(key for _, key, _, _ in uses)
    owners = {component.stem: component for _, _, components, _ in uses for component in components}
    depending = _keys_of((component, component.keys) for component in owners.values())
    names = [name for _, name in keys]
    text = ", ".join(names) if len(names) < 4 else f"{', '.join(names[:2])} and {len(names) - 2} copies"
    count = sum(line[:2] in ("- ", "+ ") for line in diff)
    what = f"{text}, {count} line{'s' * (count != 1)}; {len(depending)} keys of {len(owners)} components depend on it"
    token = f"code {digest([*map(str, keys), *diff])}"
    item = Item("changed code", what, token, tuple(sorted(owners)), depending, keys, diff)
    return min(relevance for relevance, _, _, _ in uses), item


class _MarksBySymbol:
    """Anchored statements of a component's lock by release, path and symbol."""

    def __init__(self, locks: Mapping[str, Lock]) -> None:
        self._locks = locks
        self._marks: dict[tuple[str, str], dict[tuple[str, str], set[Mark]]] = {}

    def __call__(self, stem: str, release: str, symbol: Symbol) -> set[Mark]:
        key = (stem, release)
        if key not in self._marks:
            found: dict[tuple[str, str], set[Mark]] = {}
            for name in self._locks[stem].anchors():
                for mark, path, _ in self._locks[stem].found(name, release):
                    found.setdefault((path, mark.symbol), set()).add(mark)
            self._marks[key] = found
        return self._marks[key].get((symbol.path, symbol.name), set())


def _relevance(
    step: Step, marks: _MarksBySymbol, owners: Iterable[Component], old: Symbol | None, new: Symbol | None
) -> int:
    """0 where an anchored statement depends on a changed line, 1 where the symbol holds anchors, 2 elsewhere."""
    best = 2
    for package, symbol, other in ((step.old, old, new), (step.new, new, old)):
        if symbol is None:
            continue
        anchored = {
            place
            for component in owners
            for mark in marks(component.stem, package.release, symbol)
            for place in places_of(symbol, mark)
        }
        if anchored:
            best = 1
            if other is not None and depends(symbol, other, _lines(package, symbol), anchored):
                return 0
    return best


def _version(package: Package, key: tuple[str, str]) -> Symbol | None:
    """A symbol in a release: at its path, or where it moved to."""
    path, name = key
    module = package.module(path)
    if module is not None and name in module.symbols:
        return module.symbols[name]
    others = package.named(name)
    return others[0] if len(others) == 1 else None


def _lines(package: Package, symbol: Symbol | None) -> list[str]:
    return package.texts[symbol.path].splitlines() if symbol else []


def _keys_of(uses: Iterable[tuple[Component, Iterable[str]]]) -> tuple[str, ...]:
    return tuple(sorted({f"{component.stem}: {key}" for component, keys in uses for key in keys}))


def _names_only(step: Step, watched: set[tuple[str, str]]) -> Iterator[str]:
    for path in sorted({*step.old.paths, *step.new.paths}):
        if path not in step.old.texts:
            yield f"{path} is new"
            continue
        if path not in step.new.texts:
            yield f"{path} is gone"
            continue
        if step.old.texts[path] == step.new.texts[path]:
            continue
        a, b = step.old.module(path), step.new.module(path)
        before, after = a.symbols if a else {}, b.symbols if b else {}
        for name in sorted({*before, *after}):
            old, new = before.get(name), after.get(name)
            if (
                name != REST
                and (path, name) not in watched
                and (old is None or new is None or old.fingerprint != new.fingerprint)
            ):
                yield f"{path} {name}"
