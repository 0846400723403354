"""Which program of a source or target is meant: trainers of one release log the same quantity under other names.

A run is one program. Those of a framework are its components, and what its ``programs`` say of several components
that run together; one of these is the default. A program that logs a loss is a trainer, and a run is one of them; what
logs none, such as a callback, runs beside any.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING, Any, NamedTuple

from ..meanings.protocol import View
from ..meanings.view import FrameworkView
from ..settings.configuration import Config
from ..sources.source import nearest
from ..tables.user_errors import NamesError
from .affinity import Affinity

if TYPE_CHECKING:
    from ..tables.framework_table import FrameworkTable

__all__ = ["EVERY", "Narrowed", "default_program", "narrowed", "other_programs", "paired", "program_names"]

EVERY = "all"
"""In the place of a program: all of a release."""

_CLEAR = 1.5
"""How many times as much as any other program one must share, to be taken for the counterpart in another framework."""
_LOSS = "/loss"
"""In the name of each loss of its own kind."""
_MOST_LISTED = 6
_CLASS = "Trainer"


class Narrowed(NamedTuple):
    """Source and target with the programs that are meant.

    Attributes:
        first: The source.
        second: The target.
        note: What there is to say about the choice.
        undecided: Programs of the source without a counterpart, each with what to say if a key of it turns up.
    """

    first: View
    second: View
    note: str | None = None
    undecided: Mapping[str, str] = {}


def narrowed(first: View, second: View, program: str | None, config: Config) -> Narrowed:
    """Return source and target with one program each, where that is known.

    Args:
        first: The source.
        second: The target.
        program: The program that was named, of either or both.
        config: As for ``open_views``.

    Raises:
        NamesError: If the named program is none of either, or none of the target can be chosen; it names the others.
    """
    if program is not None:
        first, second = _named(first, second, program, config)
    trainers, own = _trainers(second), _trainers(first)
    if len(trainers) < 2 or not (own or all(name.endswith(_CLASS) for name in trainers)):
        return Narrowed(first, second)
    chosen = {
        name: counterpart for name in own if (counterpart := _counterpart(name, trainers, first, second)) is not None
    }
    undecided = {name: _undecided(name, trainers, first, second) for name in own if name not in chosen}
    if not chosen:
        raise NamesError(next(iter(undecided.values()), None) or _undecided(None, trainers, first, second))
    names = sorted(set(chosen.values()))
    rows = _rows(second)
    beside = {
        name
        for name in _programs(second).keys() - set(trainers)
        if not all(chosen_.endswith(_CLASS) for chosen_ in names) and rows.get(name, {}).get("of", names[0]) in names
    }
    view = _only(second, {*names, *beside}, config)
    note = f"the target is {' or '.join(names)} of {second.source}: a run has one trainer"
    return Narrowed(first, view, None if view is second else note, undecided)


def paired(first: View, second: View, program: str | None, config: Config) -> tuple[View, View]:
    """Return source and target with one program each, as one looks at them side by side.

    A source or target that names a component keeps it. Without ``program`` the other one is its counterpart; where
    there is none that is clearly meant, and of two whole releases, it is the framework's default. A framework without
    a default, such as one whose components are trainers, and names that are no framework's, stay whole.

    Args:
        first: The source.
        second: The target.
        program: The program that is meant, of either or both; ``all`` for everything.
        config: As for ``open_views``.

    Raises:
        NamesError: If neither source nor target has the named program; it names the nearest.
    """
    if program == EVERY or second.source.ended is not None:
        return first, second
    own, others = _one(first), _one(second)
    if program is not None:
        own, others = (program if program in program_names(view) else None for view in (first, second))
        first, second = _named(first, second, program, config)
    if not _programs(first) or not _programs(second):
        return first, second
    if own is None:
        first = _meant(first, others, second, config)
        own = _one(first) or default_program(first)
    if others is None:
        second = _meant(second, own, first, config)
    return first, second


def _one(view: View) -> str | None:
    """Return the program of a view that has just one."""
    programs = _programs(view)
    return next(iter(programs)) if len(programs) == 1 else None


def default_program(view: View) -> str | None:
    """Return the program of a view that is meant unless another one is named."""
    rows = _rows(view)
    return next((name for name, row in rows.items() if row.get("default") and name in _programs(view)), None)


def other_programs(view: View) -> tuple[str, list[str]] | None:
    """Return the program of a narrowed view and the further ones of its release; None if it was named or has none."""
    if not isinstance(view, FrameworkView) or view.source.component is not None or view.source.ended is not None:
        return None
    table, release = view.tables.framework(view.source.framework), view.source.release
    meant = default_program(view)
    if meant is None or any(name != meant for name in _programs(view)):
        return None
    components = [name for name, _, ranges, _ in table.components if table.releases.covers(ranges, release)]
    parts = {name for name, stem, _, _ in table.components if table.component(stem).program is not None}
    declared = [
        name
        for name, row in table.programs.items()
        if name != meant and ("releases" not in row or table.releases.covers(row["releases"], release))
    ]
    return meant, list(dict.fromkeys([*declared, *(name for name in components if name not in parts)]))


def program_names(view: View) -> list[str]:
    """Return the programs of a view, those first that the framework declares."""
    return list(dict.fromkeys((*_rows(view), *_programs(view))))


def _meant(view: View, other: str | None, against: View, config: Config) -> View:
    """Return what of a view is the counterpart of a program of another one, else its default."""
    default, trainers = default_program(view), _trainers(view)
    program = None
    # What is no trainer has no counterpart; one that shares most of its metrics is taken where not every part is one.
    if other is not None and other in _trainers(against) and (other in trainers or default is not None):
        program = _counterpart(other, trainers, against, view)
    chosen = default if program is None else program
    return view if chosen is None else _only(view, {chosen}, config)


def _named(first: View, second: View, program: str, config: Config) -> tuple[View, View]:
    views = [first, second]
    if not any(program in program_names(view) for view in views):
        known = [name for view in views for name in program_names(view)]
        msg = f"neither source nor target has a program {program!r}; {nearest(program, known, 'programs')}"
        raise NamesError(msg)
    first, second = (_only(view, {program}, config) if program in program_names(view) else view for view in views)
    return first, second


def _rows(view: View) -> Mapping[str, Mapping[str, Any]]:
    """Return the programs that the framework of a view declares for its release."""
    if not isinstance(view, FrameworkView):
        return {}
    table: FrameworkTable = view.tables.framework(view.source.framework)
    here = _programs(view)
    return {
        name: row
        for name, row in table.programs.items()
        if "releases" not in row or table.releases.covers(row["releases"], view.source.release)
        if row.get("of", name) in here
    }


def _whole(names: Collection[str], rows: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield programs with those whose components run in them, too."""
    for name in names:
        yield name
        yield from _whole([rows[name]["of"]] if "of" in rows.get(name, {}) else [], rows)


def _programs(view: View) -> dict[str, list[str]]:
    """Return the programs of a view with their components; the canonical names have none."""
    programs: dict[str, list[str]] = {}
    for label in view.components if isinstance(view, FrameworkView) else ():
        programs.setdefault(view.program(label), []).append(label)
    return programs


def _trainers(view: View) -> list[str]:
    """Return the programs of a view that log a loss."""
    programs = _programs(view)
    if len(programs) < 2 or not isinstance(view, FrameworkView):
        return list(programs)
    components = view.components.items() if isinstance(view, FrameworkView) else ()
    with_loss = {view.program(name) for name, part in components if part.measures("loss")}
    return [name for name in programs if name in with_loss]


def _counterpart(name: str, trainers: Sequence[str], first: View, second: View) -> str | None:
    """Return the trainer of the target that a trainer of the source is, or became."""
    if name in trainers:
        return name
    same = _of_same_task(name, trainers, first, second)
    if same is not None:
        return same
    stem = name.removesuffix(_CLASS).lower()
    for other in trainers:
        other_stem = other.removesuffix(_CLASS).lower()
        if not (name.endswith(_CLASS) and other.endswith(_CLASS)) and (stem in other_stem or other_stem in stem):
            return other
    if first.source.framework == second.source.framework:
        return None
    alone = _minimising_the_same(name, trainers, first, second)
    if alone is not None:
        return alone
    (most, best), *rest = _by_affinity(name, trainers, first, second)
    return best if most > 0 and all(most >= _CLEAR * shared for shared, _ in rest) else None


def _of_same_task(name: str, trainers: Sequence[str], first: View, second: View) -> str | None:
    """Return the trainer of another framework that does what a trainer does, as both say themselves."""
    if not (isinstance(first, FrameworkView) and isinstance(second, FrameworkView)):
        return None
    if first.source.framework == second.source.framework:
        return None
    own, other = (view.tables.framework(str(view.source.framework)).tasks for view in (first, second))
    found = {other[task] for task, does in own.items() if does == name and task in other}.intersection(trainers)
    return found.pop() if len(found) == 1 else None


def _minimising_the_same(name: str, trainers: Sequence[str], first: View, second: View) -> str | None:
    """Return the trainer of another framework that alone logs the loss of a trainer, whatever else they share."""
    losses = _losses(first).get(name, frozenset())
    found = [other for other, theirs in _losses(second).items() if other in trainers and losses & theirs]
    return found[0] if len(found) == 1 else None


def _losses(view: View) -> dict[str, frozenset[str]]:
    """Return the losses that the programs of a view log in training, without the sum of all their terms."""
    losses: dict[str, set[str]] = {}
    for place in view.places():
        metric = view.metric(place) if place.mode == "train" else None
        if metric is not None and _LOSS in metric:
            losses.setdefault(view.program(place.component), set()).add(metric)
    return {program: frozenset(metrics) for program, metrics in losses.items()}


def _by_affinity(name: str, trainers: Sequence[str], first: View, second: View) -> list[tuple[float, str]]:
    affinity, components = Affinity(first, second), _programs(second)
    here = _programs(first)[name][0]
    shared = [(affinity(here, components[other][0])[0], other) for other in trainers]
    return sorted(shared, key=lambda item: -item[0])


def _only(view: View, programs: set[str], config: Config) -> View:
    """Return a view without the components of other programs, with the settings that a program makes itself."""
    if not isinstance(view, FrameworkView):
        return view
    rows = _rows(view)
    wanted = set(_whole(programs, rows))
    # What runs beside others does not decide about their settings.
    made = rows.get(next(iter(programs)), {}).get("settings", {}) if len(programs) == 1 else {}
    if _programs(view).keys() <= wanted and not made:
        return view
    narrow = view.only([label for label in view.components if view.program(label) in wanted])
    return FrameworkView(view.tables, narrow.source, {**made, **(config or {})}) if made else narrow


def _undecided(name: str | None, trainers: Sequence[str], first: View, second: View) -> str:
    ranked = list(trainers) if name is None else [other for _, other in _by_affinity(name, trainers, first, second)]
    listed = ", ".join(ranked[:_MOST_LISTED])
    more = f" and {len(ranked) - _MOST_LISTED} more" if len(ranked) > _MOST_LISTED else ""
    what = "the source does not say which is meant" if name is None else f"none is {name}, nor clearly what it became"
    fix = f"name one with --program, or as {second.source.framework}[{ranked[0]}]=={second.source.release}"
    return f"{second.source} has several trainers, and {what}: {listed}{more}; {fix}"
