"""Compares runs of different releases or frameworks on canonical names: what can share an axis, and where runs part."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from typing import Any

from rlmetrics.health.curves import Drawn, RunCurves
from rlmetrics.health.judged_keys import Counterparts
from rlmetrics.health.key_meanings import HELD_OUT, KeyMeaning
from rlmetrics.health.report_records import whole
from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.logs.reading import RUN_NAMES, STEP_NAMES
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables

from .metric_order import MACHINE, MetricOrder
from .same_names import OtherNumber, SameName, same_names
from .standings import APART, NOT_COMPARED, Standing, standing

__all__ = [
    "Comparison",
    "Likeness",
    "Pair",
    "compare",
    "identity_of",
    "judged_alike",
    "printed_within",
    "shared_points",
]

_COMPARABLE = {"exact", "affine", "approximate", "unreviewed"}
_OTHER_NUMBERS = ("biased", "look-alike", "none")
"""Severities of differences that leave one name two numbers."""

_PLACES = frozenset({*STEP_NAMES, *RUN_NAMES})
"""Keys that say where a row stands, and measure nothing."""

Convert = Callable[[float], float]
Point = tuple[float, float, float]
"""A step that two curves have, and both values."""


class Likeness(NamedTuple):
    """How the numbers of two keys relate; the fields are those of `Pair`."""

    relation: str
    differs_by: list[dict[str, Any]]
    convert: Convert | None
    severity: str

    @property
    def comparable(self) -> bool:
        """Whether the two may share an axis."""
        incomparable = any(item["grade"] == "incomparable" for item in self.differs_by)
        return self.relation in _COMPARABLE and not incomparable


def judged_alike(counterparts: Counterparts, a: str, b: str) -> Likeness:
    """Return how two keys relate under the configurations of their runs."""
    relation, differs, convert = counterparts.relation(a, b)
    return Likeness(relation, differs, convert, counterparts.severity(a, relation, differs))


@dataclass(frozen=True)
class Pair:
    """A metric that both runs log.

    Attributes:
        metric: Canonical name; empty for a key that the spec doesn't describe, compared by its name.
        a: Key in the first run.
        b: Key in the second.
        alike: How their numbers relate.
        steps_in_common: At how many steps both have a value.
        standing: How the curves stand to each other there, in the second's terms.
        rank: How closely the metric is looked at, the least first; see `MetricOrder`.
    """

    metric: str
    a: str
    b: str
    alike: Likeness
    steps_in_common: int
    standing: Standing
    rank: int

    @property
    def first_difference_step(self) -> float | None:
        """Where the two part: where they are apart at the end, since when; else where their numbers first differ."""
        return self.standing.since if self.comparable else None

    @property
    def comparable(self) -> bool:
        """Whether the two may share an axis."""
        return self.alike.comparable

    @property
    def severity(self) -> str:
        """How much weighs what sets them apart under the runs' configurations."""
        return self.alike.severity

    @property
    def parts(self) -> bool:
        """Whether the runs part on it."""
        return self.comparable and self.rank != MACHINE and self.standing.outcome == APART


@dataclass(frozen=True)
class Comparison:
    """Two runs.

    Attributes:
        a: The first.
        b: The second.
        pairs: What both log: comparable ones first, of these what is looked at first.
        unnamed: Keys of the same name that the spec doesn't describe, compared by name.
        same_names: Names that mean two things.
        disputed: Keys of both that are not compared: sources that may have logged them give them other meanings.
        only_a: Keys of the first alone.
        only_b: Keys of the second alone.
    """

    a: RunCurves
    b: RunCurves
    pairs: tuple[Pair, ...]
    unnamed: tuple[Pair, ...]
    same_names: tuple[SameName, ...]
    disputed: tuple[str, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]

    @property
    def compared(self) -> list[Pair]:
        """The pairs that tell whether the runs part."""
        return [
            pair
            for pair in self.pairs
            if pair.comparable and pair.rank != MACHINE and pair.standing.outcome != NOT_COMPARED
        ]

    @property
    def parts_at(self) -> Pair | None:
        """The pair that tells most of where the runs part: of those that are looked at first the earliest."""
        parted = [pair for pair in self.pairs if pair.parts]
        return min(parted, key=lambda pair: (pair.rank, pair.first_difference_step or 0.0), default=None)

    @property
    def last_step(self) -> float | None:
        """The last step that both have, on any metric that tells whether they part; else on any."""
        steps = [pair.standing.step for pair in self.compared or self.pairs if pair.standing.step is not None]
        return max(steps, default=None)

    def as_json(self) -> dict[str, Any]:
        """Return the comparison in the shape that ``rlmetrics compare --json`` prints."""
        return {
            "a": {"run": self.a.run, "at": self.a.at, "by_row": self.a.by_row},
            "b": {"run": self.b.run, "at": self.b.at, "by_row": self.b.by_row},
            "last_common_step": _whole(self.last_step),
            "pairs": [{"metric": pair.metric, **_json(pair)} for pair in self.pairs],
            "undescribed": [_json(pair) for pair in self.unnamed],
            "same_name": [
                {"key": item.key, "severity": item.severity, "why": list(item.texts), "metrics": list(item.metrics)}
                for item in self.same_names
            ],
            "disputed": list(self.disputed),
            "only_a": list(self.only_a),
            "only_b": list(self.only_b),
        }


def compare(a: RunCurves, b: RunCurves, spec: Overlays | Tables = None) -> Comparison:
    """Return what two runs have in common, and where they part."""
    tables = load_tables(spec)
    order = MetricOrder(tables)
    counterparts = Counterparts(a.at, b.at, tables, (a.settings, b.settings))
    by_identity: dict[tuple[object, ...], list[str]] = {}
    for key, meaning in b.meanings.items():
        if meaning.metric is not None:
            by_identity.setdefault(identity_of(meaning), []).append(key)
    pairs: list[Pair] = []
    taken: set[str] = set()
    left: list[str] = []
    for key, meaning in a.meanings.items():
        others = [other for other in by_identity.get(identity_of(meaning), ()) if other not in taken]
        if meaning.metric is None or not others:
            left.append(key)
            continue
        other = key if key in others else others[0]
        taken.add(other)
        alike = judged_alike(counterparts, key, other)
        shared = shared_points((a, b), (key, other), alike.convert)
        pairs.append(
            Pair(
                meaning.metric,
                key,
                other,
                alike,
                len(shared),
                standing(shared, printed_within(a.curves[key], b.curves[other])),
                order.rank(meaning),
            )
        )
    places = {key: order.place(meaning) for key, meaning in a.meanings.items()}
    pairs.sort(key=lambda pair: (not pair.comparable, places[pair.a]))
    both = _both(a, b, left, taken)
    named = [key for key in both if a.meanings[key].metric is not None and b.meanings[both[key]].metric is not None]
    disputed = [key for key, other in both.items() if a.meanings[key].disputed or b.meanings[other].disputed]
    unknown = [key for key in both if key not in {*named, *disputed, *_PLACES}]
    severities: list[OtherNumber] = [
        (
            pair.a,
            pair.severity,
            [str(item["what"]) for item in pair.alike.differs_by if item.get("applies") is not False],
        )
        for pair in pairs
        if _is_other_number(pair)
    ]
    severities += [(key, "look-alike", []) for key in sorted(named, key=lambda key: places[key])]
    return Comparison(
        a,
        b,
        tuple(pairs),
        tuple(_unnamed(a, b, key) for key in unknown),
        same_names(a, b, severities, tables),
        tuple(disputed),
        tuple(key for key in left if key not in both and key not in _PLACES),
        tuple(key for key in b.meanings if key not in {*taken, *both.values(), *_PLACES}),
    )


def _both(a: RunCurves, b: RunCurves, left: Iterable[str], taken: Container[str]) -> dict[str, str]:
    """Return keys of two runs that are one name, though not one metric; a disputed one is so under any tracker."""
    free = {key: meaning for key, meaning in b.meanings.items() if key not in taken}
    logged = {_logged(meaning): key for key, meaning in free.items() if meaning.template}
    found: dict[str, str] = {}
    for key in left:
        other = key if key in free else logged.get(_logged(a.meanings[key]))
        if other is not None and (key == other or a.meanings[key].disputed or free[other].disputed):
            found[key] = other
    return found


def _logged(meaning: KeyMeaning) -> tuple[object, ...]:
    """Return what a described key is called by the code that logs it."""
    return meaning.template, tuple(sorted(dict(meaning.placeholders).items()))


def _is_other_number(pair: Pair) -> bool:
    if pair.a != pair.b or pair.rank == MACHINE:
        return False
    differs = pair.alike.differs_by
    shown = not differs or any(item.get("applies") is not False for item in differs)
    return not pair.comparable or (pair.severity in _OTHER_NUMBERS and shown)


def identity_of(meaning: KeyMeaning) -> tuple[object, ...]:
    """Return what two keys have in common that measure the same; scores of a user's own do so under one name only."""
    own = meaning.key if meaning.metric == HELD_OUT else ""
    return meaning.metric, meaning.mode, own, tuple(sorted(dict(meaning.placeholders).items()))


def _unnamed(a: RunCurves, b: RunCurves, key: str) -> Pair:
    shared = shared_points((a, b), (key, key), None)
    within = printed_within(a.curves[key], b.curves[key])
    return Pair(
        "", key, key, Likeness("unreviewed", [], None, "unreviewed"), len(shared), standing(shared, within), MACHINE
    )


def printed_within(a: Drawn, b: Drawn) -> float:
    """Return how far apart two values can be that were one before they were printed."""
    return a.within + b.within


def shared_points(runs: Sequence[RunCurves], keys: tuple[str, str], convert: Convert | None) -> list[Point]:
    """Return each step that a curve of each of two runs has, with both values in the second's terms.

    A row that tells no step is beside no step.
    """
    if runs[0].by_row != runs[1].by_row:
        return []
    a, b = (run.curves[key] for run, key in zip(runs, keys, strict=True))
    values = dict(zip(b.steps, b.values, strict=True))
    return [
        (step, convert(value) if convert else value, values[step])
        for step, value in zip(a.steps, a.values, strict=True)
        if step in values
    ]


def _json(pair: Pair) -> dict[str, Any]:
    told = pair.standing
    step = pair.first_difference_step
    return {
        "a": pair.a,
        "b": pair.b,
        "relation": pair.alike.relation,
        "severity": pair.severity,
        "differs_by": pair.alike.differs_by,
        "steps_in_common": pair.steps_in_common,
        "first_difference_step": _whole(step),
        "outcome": told.outcome,
        "factor": told.factor,
        "lag": told.lag,
        "last_common_step": _whole(told.step),
        "last": _each(course.last for course in told.courses or ()),
        "level": _each(course.level for course in told.courses or ()),
        "trend": [course.trend or None for course in told.courses or ()] or None,
    }


def _whole(step: float | None) -> float | int | None:
    return None if step is None else whole(step)


def _each(values: Iterable[float]) -> list[float | None] | None:
    return [value if math.isfinite(value) else None for value in values] or None
