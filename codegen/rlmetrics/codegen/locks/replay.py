"""Replays past releases: each is added, without a human, to the spec cut off just before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .component_lock import LockedComponent
from .extend import extend
from .lock import Lock
from .packages import Package
from .release_news import Item, News, ReleaseStep, news

__all__ = ["ReplayRow", "Replayed", "RowId", "cut", "replay_step"]


class RowId(NamedTuple):
    """A component's file, a key and a mode."""

    component: str
    key: str
    mode: str


@dataclass(frozen=True)
class ReplayRow:
    """What the present spec says of a row in one release.

    Attributes:
        meaning: Anything that is equal for two releases if and only if the row means the same in both.
        anchors: What proves it: stem of a file and name of an anchor there.
    """

    meaning: Any
    anchors: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Replayed:
    """One release, replayed.

    Attributes:
        release: The release.
        rows: Rows that existed before it.
        unchanged: Those whose meaning stays.
        carried: Those that stay and keep every anchor.
        changed: Those that change or vanish.
        silent: Changed rows that no item speaks of, since none names a symbol that their component watches.
        unexplained: Changed rows whose cause, as the present spec cites it, stands in no item.
        news: What a person would have been shown.
    """

    release: str
    rows: int
    unchanged: int
    carried: int
    changed: tuple[RowId, ...]
    silent: tuple[RowId, ...]
    unexplained: tuple[RowId, ...]
    news: News

    @property
    def read(self) -> tuple[Item, ...]:
        """Code that a person would have had to read."""
        return tuple(item for item in self.news.items if item.kind == "changed code")

    @property
    def symbols(self) -> int:
        """Changed symbols to read, copies of one change once."""
        return len(self.read)

    @property
    def lines(self) -> int:
        """Lines of diff to read, equal hunks once."""
        hunks = {hunk for item in self.read for hunk in _hunks(item.diff)}
        return sum(map(len, hunks))


def _hunks(diff: Sequence[str]) -> list[tuple[str, ...]]:
    hunks: list[list[str]] = [[]]
    for line in diff:
        if line == "@":
            hunks.append([])
        else:
            hunks[-1].append(line)
    return [tuple(hunk) for hunk in hunks if hunk]


def cut(component: LockedComponent, order: Sequence[str], place: int) -> LockedComponent:
    """Return a component's file as it was just before a release, with all that held in the last one taken to go on.

    What was born with the release or later is left out.

    Args:
        component: The present file.
        order: All releases of its framework, oldest first.
        place: Which release; not the first.
    """
    earlier, last, release = frozenset(order[:place]), order[place - 1], order[place]

    def known(releases: frozenset[str]) -> frozenset[str]:
        return (releases & earlier) | ({release} if last in releases else frozenset())

    return replace(
        component,
        classes=tuple(
            replace(item, releases=known(item.releases)) for item in component.classes if item.releases & earlier
        ),
        claims=tuple(
            replace(item, releases=known(item.releases)) for item in component.claims if item.releases & earlier
        ),
        keys={key: known(releases) for key, releases in component.keys.items() if releases & earlier},
        defaults={
            name: tuple(replace(item, releases=known(item.releases)) for item in items if item.releases & earlier)
            for name, items in component.defaults.items()
        },
    )


def replay_step(
    old: Package,
    new: Package,
    order: Sequence[str],
    components: Mapping[str, LockedComponent],
    locks: Mapping[str, Lock],
    rows: Callable[[str], Mapping[RowId, ReplayRow]],
    keys: Callable[[LockedComponent, str], Mapping[str, Sequence[str]]],
) -> Replayed:
    """Add one release to the spec cut off before it, and compare what that says with the present spec.

    Args:
        old: The release before.
        new: The release.
        order: All releases of the framework, oldest first.
        components: The present files by stem.
        locks: Their present locks of the framework's own package.
        rows: What the present spec says in a release.
        keys: Keys of a component in a release, with their places, as they are extracted from its source.
    """
    place = order.index(new.release)
    past: dict[str, LockedComponent] = {}
    known: dict[str, Lock] = {}
    common: Lock | None = None
    for stem, component in components.items():
        then = cut(component, order, place)
        common = common or (locks[stem].common or Lock(new.name, "framework")).before(new.release)
        lock = locks[stem].before(new.release)
        lock.common = common
        if old.release not in lock.releases:
            continue
        extend(lock, new, then, keys(then, new.release))
        past[stem], known[stem] = then, lock
    described = {
        stem: frozenset(key for key, releases in c.keys.items() if new.release in releases) for stem, c in past.items()
    }
    releases = news(ReleaseStep(old, new, list(past.values()), known, common or Lock(new.name, "framework"), described))
    named = {stem for item in releases.items for stem in item.components}
    spoken = {stem for stem in past if _closure(stem, components) & named}
    before, after = rows(old.release), rows(new.release)
    unchanged = carried = 0
    changed: list[RowId] = []
    for key, row in before.items():
        if key in after and after[key].meaning == row.meaning:
            unchanged += 1
            alive = [(s, name) for s, name in row.anchors if s in known and known[s].found(name, old.release)]
            carried += all(known[s].found(name, new.release) for s, name in alive)
        else:
            changed.append(key)
    silent = [key for key in changed if key.component not in spoken]
    shown = {symbol for item in releases.items for symbol in item.symbols}
    unexplained = [
        key
        for key in changed
        if key in after
        and (causes := _causes(before[key], after[key], locks, old.release, new.release))
        and not causes & shown
    ]
    return Replayed(
        new.release, len(before), unchanged, carried, tuple(changed), tuple(silent), tuple(unexplained), releases
    )


def _causes(before: ReplayRow, after: ReplayRow, locks: Mapping[str, Lock], old: str, new: str) -> set[tuple[str, str]]:
    """Return the path and name of the symbols with statements that prove a row now and did not before."""
    causes: set[tuple[str, str]] = set()
    for stem, name in after.anchors:
        if stem not in locks:
            continue
        then = {item.mark for item in locks[stem].found(name, old)}
        for item in locks[stem].found(name, new):
            if item.mark not in then:
                causes.add((item.path, item.mark.symbol))
    return causes


def _closure(stem: str, components: Mapping[str, LockedComponent]) -> set[str]:
    reached, todo = set[str](), [stem]
    while todo:
        one = todo.pop()
        if one not in reached and one in components:
            reached.add(one)
            todo.extend(components[one].extends)
    return reached
