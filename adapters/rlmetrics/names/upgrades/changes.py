"""What changed about a key from release to release, and why: each change with the fact or the default behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import Any, NamedTuple

from ..differences.entry_contrast import Cause, Pair, Topic, cause_of, causes_of, contrast, same_value, worst_of
from ..differences.verdict import Sides
from ..meanings.key_course import ComponentCourse, Run
from ..settings.configuration import Config
from ..settings.guards import names_in
from ..tables.component_rows import expressions_of
from ..tables.key_records import Entry
from ..tables.tables import Tables

__all__ = ["Change", "Net", "Undone", "course_of", "net_change", "steps"]


@dataclass(frozen=True, slots=True)
class Change:
    """What a release changed about a key.

    Attributes:
        release: The first release with the change.
        kind: ``added``, ``removed``, ``renamed`` or ``changed``.
        key: The key, as this release logs it, or for one that went the release before.
        causes: Why, the default of a setting before what it does not explain; none for a key that came or went.
        before: What it was in the release before.
        after: What it is in this release.
    """

    release: str
    kind: str
    key: str
    causes: tuple[Cause, ...]
    before: Entry | None
    after: Entry | None


class Undone(NamedTuple):
    """A change that a later release took back.

    Attributes:
        cause: What had changed.
        releases: The releases in which it held.
        back: Whether the next release has what held before; else what came in between is neither old nor new.
        sides: What decides before, and in the first of these releases, whether it shows.
    """

    cause: Cause
    releases: tuple[str, ...]
    back: bool = True
    sides: Sides = (None, None)


class Net(NamedTuple):
    """What sets the last of some releases apart from the first.

    Attributes:
        changes: The lasting changes, oldest first.
        undone: What changed and was taken back, for good or until it came to stay.
    """

    changes: tuple[Change, ...]
    undone: tuple[Undone, ...]


class _Step(NamedTuple):
    """A release and the one before it, with what a key is in both."""

    old_release: str
    release: str
    before: Entry
    after: Entry


def course_of(tables: Tables, framework: str, component: str, config: Config = None) -> ComponentCourse:
    """Return a component in all releases that describe it; with nothing but defaults it is made once.

    Args:
        tables: The spec.
        framework: Such as ``trl``.
        component: As its releases name it.
        config: Values of settings that differ from the releases' defaults; the others have each release's own.
    """
    table = tables.framework(framework)
    place = ComponentCourse, component
    if not config and place in table.kept:
        kept: ComponentCourse = table.kept[place]
        return kept
    described: set[str] = set()
    for name, _, ranges, module in table.components:
        if component in (name, f"{module}.{name}"):
            described |= table.releases.covered(ranges)
    course = ComponentCourse(tables, table, component, sorted(described, key=table.releases.index), config)
    if not config:
        table.kept[place] = course
    return course


def steps(course: ComponentCourse, keys: Sequence[str] | Mapping[str, str | None], mode: str) -> list[Change]:
    """Return every change from one release to the next.

    Args:
        course: A component in some releases.
        keys: The names of the key, the preferred one first; or its name in each release.
        mode: ``train`` or ``eval``.
    """
    changes: list[Change] = []
    runs = course.runs(keys, mode)
    for earlier, run in pairwise(runs):
        before, after = earlier.entry, run.entry
        if before is None or after is None:
            entry = before or after
            if entry is not None:
                kind = "added" if before is None else "removed"
                changes.append(Change(run.releases[0], kind, entry.key, (), before, after))
            continue
        pairs = contrast(before, after, course.tables)
        if pairs or before.key != after.key:
            changes.append(_change(course, earlier, run, pairs))
    return changes


def net_change(course: ComponentCourse, keys: Sequence[str], mode: str) -> Net:
    """Return what lasts of all changes from the first release to the last, in both of which the key is logged.

    Args:
        course: A component in some releases.
        keys: The names of the key, the last one first, for one that was renamed.
        mode: ``train`` or ``eval``.
    """
    runs = [run for run in course.runs(keys, mode) if run.entry is not None]
    if len(runs) < 2:
        return Net((), ())
    pairs = _compared(course, runs[0], runs[-1])
    since: dict[int, dict[Topic, Pair]] = {}
    for topic, pair in pairs.items():
        since.setdefault(_lasting(course, runs, topic), {})[topic] = pair
    changes = [_change(course, runs[place - 1], runs[place], since[place]) for place in sorted(since)]
    return Net(tuple(changes), tuple(_undone(course, runs, pairs)))


def _compared(course: ComponentCourse, first: Run, second: Run) -> dict[Topic, Pair]:
    assert first.entry is not None
    assert second.entry is not None
    return contrast(first.entry, second.entry, course.tables)


def _change(course: ComponentCourse, earlier: Run, run: Run, pairs: Mapping[Topic, Pair]) -> Change:
    before, after = earlier.entry, run.entry
    assert before is not None
    assert after is not None
    step = _Step(earlier.releases[-1], run.releases[0], before, after)
    kind = "changed" if before.key == after.key else "renamed"
    return Change(step.release, kind, after.key, _causes(course, step, pairs), before, after)


def _lasting(course: ComponentCourse, runs: Sequence[Run], topic: Topic) -> int:
    """Return the place of the first run from which on what a topic is about is as at the end."""
    entries = [run.entry for run in runs if run.entry is not None]
    for index in range(len(entries) - 1, 0, -1):
        if not same_value(entries[index - 1], entries[-1], topic, course.tables):
            return index
    return 1


_METRIC = Topic("metric")


def _undone(course: ComponentCourse, runs: Sequence[Run], pairs: Mapping[Topic, Pair]) -> Iterator[Undone]:
    """Yield what was otherwise in releases in between than at both ends, or already as at the last one."""
    held: dict[tuple[Topic, Pair], list[str]] = {}
    for index, run in enumerate(runs[1:-1], 1):
        for topic, pair in _compared(course, runs[0], run).items():
            # Where another number is logged in the end, how the first one was computed in between is of no account.
            of_the_metric = topic.kind in ("metric", "logged")
            if (topic in pairs and index >= _lasting(course, runs, topic)) or (_METRIC in pairs and not of_the_metric):
                continue
            held.setdefault((topic, pair), []).extend(run.releases)
    for (topic, pair), releases in held.items():
        sides = course.circumstances(runs[0].releases[0]), course.circumstances(releases[0])
        yield Undone(cause_of(topic, pair, course.tables), tuple(releases), topic not in pairs, sides)


def _causes(course: ComponentCourse, step: _Step, pairs: Mapping[Topic, Pair]) -> tuple[Cause, ...]:
    """Return why two entries differ: the defaults that changed, then whatever these do not explain."""
    rest = dict(pairs)
    causes: list[Cause] = []
    for name, old, new in _changed_defaults(course, step):
        undone = course.entry(step.after.key, step.after.mode, step.release, {name: old})
        if undone is None:
            continue
        mine = {
            topic: pair
            for topic, pair in rest.items()
            if not same_value(undone, step.after, topic, course.tables)
            and same_value(undone, step.before, topic, course.tables)
        }
        if mine:
            effects = tuple(causes_of(mine, course.tables))
            causes.append(Cause("setting", name, old, new, worst_of(effects), effects=effects))
            rest = {topic: pair for topic, pair in rest.items() if topic not in mine}
    return (*causes, *causes_of(rest, course.tables))


def _changed_defaults(course: ComponentCourse, step: _Step) -> Iterator[tuple[str, Any, Any]]:
    """Yield the settings that decide about a key and have another value in a release than in the one before."""
    parts = course.part(step.old_release), course.part(step.release)
    if parts[0] is None or parts[1] is None:
        return
    before, after = (part.configuration().values for part in parts if part is not None)
    rows = course.rows(step.after.key, step.after.mode, step.release)
    names = frozenset[str]().union(*(names_in(text) for row in rows for text in expressions_of(row)))
    for name in sorted(names):
        if name in before and name in after:
            old, new = before[name], after[name]
            if old != new or type(old) is not type(new):
                yield name, old, new
