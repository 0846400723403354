"""The changed code of a release that a person has to read, and the rest of it by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from .anchor_marks import Mark, places_of
from .component_lock import LockedComponent
from .fingerprint import digest
from .lock import Lock
from .news_items import Item, ReleaseStep, keys_of
from .packages import Package
from .symbol_changes import depends, diff_of
from .symbols import REST, Symbol
from .told import Told
from .watched import helpers_of

__all__ = ["names_only", "read"]


def read(step: ReleaseStep) -> tuple[list[Item], set[tuple[str, str]]]:
    """Return the items of changed watched symbols, and all watched symbols."""
    watchers: dict[tuple[str, str], list[LockedComponent]] = {}
    for component in step.components:
        lock = step.locks[component.stem]
        for key in {*_watched(lock, step.old, step.old), *_watched(lock, step.new, step.old)}:
            watchers.setdefault(key, []).append(component)
    marks, told = _MarksBySymbol(step.locks), Told(step)
    shown: dict[tuple[str, ...], list[tuple[int, tuple[str, str], list[LockedComponent], Symbol | None]]] = {}
    for key, owners in sorted(watchers.items()):
        if key[1] == REST:
            continue
        old, new = _version(step.old, key), _version(step.new, key)
        if (old is None and new is None) or (old and new and old.fingerprint == new.fingerprint):
            continue
        if old and new and told(old, new):
            continue
        diff = diff_of(old, new, _lines(step.old, old), _lines(step.new, new))
        relevance = _relevance(step, marks, owners, old, new)
        shown.setdefault(diff, []).append((relevance, key, owners, new or old))
    items = [_changed(diff, uses) for diff, uses in shown.items()]
    items.sort(key=lambda pair: (pair[0], -len(pair[1].keys), pair[1].what))
    return [item for _, item in items], set(watchers)


def _watched(lock: Lock, package: Package, before: Package) -> set[tuple[str, str]]:
    watched = lock.watched(package.release).keys()
    return {*watched, *helpers_of(package, watched, before)}


def _changed(
    diff: tuple[str, ...], uses: Sequence[tuple[int, tuple[str, str], list[LockedComponent], Symbol | None]]
) -> tuple[int, Item]:
    keys = tuple(key for _, key, _, _ in uses)
    owners = {component.stem: component for _, _, components, _ in uses for component in components}
    depending = keys_of((component, component.keys) for component in owners.values())
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
            marks: dict[tuple[str, str], set[Mark]] = {}
            for name in self._locks[stem].anchors():
                for mark, path, _ in self._locks[stem].found(name, release):
                    marks.setdefault((path, mark.symbol), set()).add(mark)
            self._marks[key] = marks
        return self._marks[key].get((symbol.path, symbol.name), set())


def _relevance(
    step: ReleaseStep, marks: _MarksBySymbol, owners: Iterable[LockedComponent], old: Symbol | None, new: Symbol | None
) -> int:
    """Return 0 where an anchored statement depends on a changed line, 1 where the symbol holds anchors, 2 elsewhere."""
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
    """Return a symbol in a release: at its path, or where it moved to."""
    path, name = key
    module = package.module(path)
    if module is not None and name in module.symbols:
        return module.symbols[name]
    others = package.named(name)
    return others[0] if len(others) == 1 else None


def _lines(package: Package, symbol: Symbol | None) -> list[str]:
    return package.texts[symbol.path].splitlines() if symbol else []


def names_only(step: ReleaseStep, watched: set[tuple[str, str]]) -> Iterator[str]:
    """Yield changed code that no component watches, and files that appear or vanish."""
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
