"""Which program of a target the names of a run go to: trainers of one release log the same quantity under other names.

A program that logs a loss is a trainer, and a run is one of them. What logs none, such as a callback, runs beside any.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rlmetrics.names.affinity import Affinity
from rlmetrics.names.config import Config
from rlmetrics.names.errors import NamesError
from rlmetrics.names.protocol import View
from rlmetrics.names.source import nearest
from rlmetrics.names.view import FrameworkView

__all__ = ["Narrowed", "narrowed"]

_CLEAR = 1.5
"""How many times as much as any other program one must share, to be taken for the counterpart in another framework."""
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
        if not any(program in _programs(view) for view in (first, second)):
            known = [*_programs(first), *_programs(second)]
            msg = f"neither source nor target has a program {program!r}; {nearest(program, known, 'programs')}"
            raise NamesError(msg)
        first, second = (
            _only(view, {program}, config) if program in _programs(view) else view for view in (first, second)
        )
    trainers, own = _trainers(second), _trainers(first)
    if len(trainers) < 2 or not (own or all(name.endswith(_CLASS) for name in trainers)):
        return Narrowed(first, second)
    chosen = {name: found for name in own if (found := _counterpart(name, trainers, first, second)) is not None}
    undecided = {name: _undecided(name, trainers, first, second) for name in own if name not in chosen}
    if not chosen:
        raise NamesError(next(iter(undecided.values()), None) or _undecided(None, trainers, first, second))
    names = sorted(set(chosen.values()))
    beside = set() if all(name.endswith(_CLASS) for name in names) else _programs(second).keys() - set(trainers)
    view = _only(second, {*names, *beside}, config)
    note = f"the target is {' or '.join(names)} of {second.source}: a run has one trainer"
    return Narrowed(first, view, None if view is second else note, undecided)


def _programs(view: View) -> dict[str, list[str]]:
    """Return the programs of a view with their components; the canonical names have none."""
    found: dict[str, list[str]] = {}
    for label in view.components if isinstance(view, FrameworkView) else ():
        found.setdefault(view.program(label), []).append(label)
    return found


def _trainers(view: View) -> list[str]:
    """Return the programs of a view that log a loss."""
    programs = _programs(view)
    if len(programs) < 2:
        return list(programs)
    with_loss = {view.program(entry.component) for entry in view.entries() if "loss" in (entry.metric or "")}
    return [name for name in programs if name in with_loss]


def _counterpart(name: str, trainers: Sequence[str], first: View, second: View) -> str | None:
    """Return the trainer of the target that a trainer of the source is, or became."""
    if name in trainers:
        return name
    stem = name.removesuffix(_CLASS).lower()
    for other in trainers:
        other_stem = other.removesuffix(_CLASS).lower()
        if not (name.endswith(_CLASS) and other.endswith(_CLASS)) and (stem in other_stem or other_stem in stem):
            return other
    if first.source.framework == second.source.framework:
        return None
    (most, best), *rest = _by_affinity(name, trainers, first, second)
    return best if most > 0 and all(most >= _CLEAR * shared for shared, _ in rest) else None


def _by_affinity(name: str, trainers: Sequence[str], first: View, second: View) -> list[tuple[float, str]]:
    affinity, components = Affinity(first, second), _programs(second)
    here = _programs(first)[name][0]
    shared = [(affinity(here, components[other][0])[0], other) for other in trainers]
    return sorted(shared, key=lambda item: -item[0])


def _only(view: View, programs: set[str], config: Config) -> View:
    """Return a view without the components of other programs."""
    if not isinstance(view, FrameworkView) or _programs(view).keys() <= programs:
        return view
    labels = zip(view.components, view.source.components, strict=True)
    kept = tuple(component for label, component in labels if view.program(label) in programs)
    named = kept[0].name if len(kept) == 1 else view.source.component
    return FrameworkView(view.tables, view.source._replace(components=kept, component=named), config)


def _undecided(name: str | None, trainers: Sequence[str], first: View, second: View) -> str:
    ranked = list(trainers) if name is None else [other for _, other in _by_affinity(name, trainers, first, second)]
    listed = ", ".join(ranked[:_MOST_LISTED])
    more = f" and {len(ranked) - _MOST_LISTED} more" if len(ranked) > _MOST_LISTED else ""
    what = "the source does not say which is meant" if name is None else f"none is {name}, nor clearly what it became"
    fix = f"name one with --program, or as {second.source.framework}[{ranked[0]}]=={second.source.release}"
    return f"{second.source} has several trainers, and {what}: {listed}{more}; {fix}"
