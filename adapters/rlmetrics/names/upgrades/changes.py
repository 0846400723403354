"""What changed about a key from release to release, and why: each change with the fact or the default behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from ..differences.aspects import Aspect, Pair, State
from ..differences.severity import Circumstances
from ..meanings.key_course import ComponentCourse, Run
from ..settings.configuration import Config
from ..settings.guards import names_in
from ..tables.component_rows import expressions_of
from ..tables.key_records import Difference, Entry
from ..tables.tables import Tables

__all__ = ["Cause", "Change", "Net", "Undone", "course_of", "net_change", "steps", "told"]


@dataclass(frozen=True, slots=True)
class Cause:
    """One thing that changed about a number, or the default of a setting that changed it.

    Attributes:
        kind: A facet of `Aspect`, or ``setting``.
        name: The trait, the level of a reduction or the setting; empty for other facets.
        before: What held before; None for a trait that came.
        after: What holds since.
        grade: How much it sets the two numbers apart: ``minor``, ``biased`` or ``incomparable``.
        vanishes_when: When that cannot show.
        effects: For a setting, what its new default changed; for several levels of a reduction, each of them.
    """

    kind: str
    name: str
    before: Any
    after: Any
    grade: str
    vanishes_when: str | None = None
    effects: tuple[Cause, ...] = ()

    @property
    def difference(self) -> Difference:
        """The cause as a difference between two numbers."""
        return Difference(f"{self.kind} {self.name}".strip(), self.grade, self.vanishes_when)


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
    sides: tuple[Circumstances | None, Circumstances | None] = (None, None)


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
    """Return a component in all releases that describe it.

    Args:
        tables: The spec.
        framework: Such as ``trl``.
        component: As its releases name it.
        config: Values of settings that differ from the releases' defaults; the others have each release's own.
    """
    table = tables.framework(framework)
    described: set[str] = set()
    for name, _, ranges, module in table.components:
        if component in (name, f"{module}.{name}"):
            described |= table.releases.covered(ranges)
    return ComponentCourse(tables, table, component, sorted(described, key=table.releases.index), config)


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
        pairs = course.compared(before, after)
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
    since: dict[int, dict[Aspect, Pair]] = {}
    for aspect, pair in pairs.items():
        since.setdefault(_lasting(course, runs, aspect), {})[aspect] = pair
    changes = [_change(course, runs[place - 1], runs[place], since[place]) for place in sorted(since)]
    return Net(tuple(changes), tuple(_undone(course, runs, pairs)))


def _state(course: ComponentCourse, run: Run) -> State:
    assert run.entry is not None
    return course.state(run.entry)


def _compared(course: ComponentCourse, first: Run, second: Run) -> dict[Aspect, Pair]:
    assert first.entry is not None
    assert second.entry is not None
    return course.compared(first.entry, second.entry)


def _change(course: ComponentCourse, earlier: Run, run: Run, pairs: Mapping[Aspect, Pair]) -> Change:
    before, after = earlier.entry, run.entry
    assert before is not None
    assert after is not None
    step = _Step(earlier.releases[-1], run.releases[0], before, after)
    kind = "changed" if before.key == after.key else "renamed"
    return Change(step.release, kind, after.key, _causes(course, step, pairs), before, after)


def _lasting(course: ComponentCourse, runs: Sequence[Run], aspect: Aspect) -> int:
    """Return the place of the first run from which on an aspect is what it is at the end."""
    final = _state(course, runs[-1])
    for index in range(len(runs) - 1, 0, -1):
        if not _alike(_state(course, runs[index - 1]), final, aspect):
            return index
    return 1


def _alike(state: State, other: State, aspect: Aspect) -> bool:
    if aspect.facet not in ("logged", "kind") and state[_METRIC] != other[_METRIC]:
        return False
    return bool(state.get(aspect) == other.get(aspect))


_METRIC = Aspect("metric")


def _undone(course: ComponentCourse, runs: Sequence[Run], pairs: Mapping[Aspect, Pair]) -> Iterator[Undone]:
    """Yield what was otherwise in releases in between than at both ends, or already as at the last one."""
    first = _state(course, runs[0])
    held: dict[tuple[Aspect, Any], list[str]] = {}
    for index, run in enumerate(runs[1:-1], 1):
        for aspect, (_, value) in _compared(course, runs[0], run).items():
            # Where another number is logged in the end, how the first one was computed in between is of no account.
            of_the_metric = aspect.facet in ("metric", "logged")
            if (aspect in pairs and index >= _lasting(course, runs, aspect)) or (
                _METRIC in pairs and not of_the_metric
            ):
                continue
            held.setdefault((aspect, value), []).extend(run.releases)
    for (aspect, value), releases in held.items():
        cause = _cause(aspect, (first.get(aspect), value), course.tables)
        sides = course.circumstances(runs[0].releases[0]), course.circumstances(releases[0])
        yield Undone(cause, tuple(releases), aspect not in pairs, sides)


def _causes(course: ComponentCourse, step: _Step, pairs: Mapping[Aspect, Pair]) -> tuple[Cause, ...]:
    """Return why aspects differ: the defaults that changed, then whatever these do not explain."""
    rest = dict(pairs)
    causes: list[Cause] = []
    for name, old, new in _changed_defaults(course, step):
        undone = course.entry(step.after.key, step.after.mode, step.release, {name: old})
        if undone is None:
            continue
        after, without = course.state(step.after), course.state(undone)
        mine = {
            aspect: pair
            for aspect, pair in rest.items()
            if not _alike(without, after, aspect) and _alike(without, course.state(step.before), aspect)
        }
        if mine:
            effects = tuple(told(mine, course.tables))
            worst = max(effects, key=lambda item: _GRADES.index(item.grade)).grade
            causes.append(Cause("setting", name, old, new, worst, effects=effects))
            rest = {aspect: pair for aspect, pair in rest.items() if aspect not in mine}
    return (*causes, *told(rest, course.tables))


_GRADES = ("minor", "biased", "incomparable")


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


def told(pairs: Mapping[Aspect, Pair], tables: Tables) -> Iterator[Cause]:
    """Yield aspects as causes, the levels of a reduction as one."""
    reductions = [_cause(aspect, pair, tables) for aspect, pair in pairs.items() if aspect.facet == "reduction"]
    if len(reductions) > 1:
        worst = max(reductions, key=lambda item: _GRADES.index(item.grade)).grade
        vanishes = " and ".join(dict.fromkeys(item.vanishes_when for item in reductions if item.vanishes_when))
        levels, befores, afters = zip(*((item.name, item.before, item.after) for item in reductions), strict=True)
        yield Cause("reduction", ", ".join(levels), befores, afters, worst, vanishes or None, tuple(reductions))
    elif reductions:
        yield reductions[0]
    yield from (_cause(aspect, pair, tables) for aspect, pair in pairs.items() if aspect.facet != "reduction")


def _cause(aspect: Aspect, pair: Pair, tables: Tables) -> Cause:
    """Return what a changed aspect is as a cause."""
    grade, vanishes = "biased", None
    vocabulary = tables.signatures
    if aspect.facet == "trait":
        trait = tables.traits[aspect.name]
        grade, vanishes = trait["grade"], trait.get("vanishes_when")
    elif aspect.facet == "reduction":
        first, second = sorted(map(str, pair))
        grade = vocabulary["GRADES"].get(f"{first}/{second}", vocabulary["GRADES"].get("default", "biased"))
        vanishes = tables.levels[aspect.name].vanishes_when
    elif aspect.facet == "snapshot":
        grade, vanishes = vocabulary["SNAPSHOT"][:2]
    elif aspect.facet == "lag":
        grade = "minor"
    elif aspect.facet in ("metric", "kind") or (
        aspect.facet in ("scale", "offset") and any(isinstance(value, str) for value in pair)
    ):
        grade = "incomparable"
    return Cause(aspect.facet, aspect.name, *pair, grade, vanishes)
