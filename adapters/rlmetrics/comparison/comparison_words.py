"""A comparison in words, for the terminal and for pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rlmetrics.health.curves import RunCurves
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.place_words import place_words, span_words, step_number
from rlmetrics.wording.signature_words import source_words
from rlmetrics.wording.voice import language, later, phrase, spoken

from .run_comparison import Comparison, Pair
from .standings import APART, EQUAL, FALLS, FEWEST, FLAT, NOT_COMPARED, RISES, SAME, TELLING

__all__ = ["joined", "lead_of", "number", "outcome_words", "place_of", "reason_of", "run_name", "run_words"]

_TRENDS = {
    RISES: (later("both rise"), later("{run} rises")),
    FALLS: (later("both fall"), later("{run} falls")),
    FLAT: ("", later("{run} is flat")),
}
"""Where two curves go, or one."""


def number(value: float) -> str:
    """Return a value in four digits."""
    return f"{value + 0.0:.4g}" if math.isfinite(value) else "NaN"


def run_words(run: RunCurves, tables: Tables) -> str:
    """Return what logged a run, and its steps."""
    first, last = map(step_number, run.steps)
    return f"{source_words(run.at, tables)}{phrase(', ')}{span_words(first, last, by_row=run.by_row)}"


def place_of(step: float | None, comparison: Comparison) -> str:
    """Return a step that two runs have, or a row of two that tell none."""
    return place_words(step_number(step or 0), by_row=comparison.a.by_row)


def lead_of(comparison: Comparison, names: tuple[str, str] = ("a", "b")) -> str:
    """Return whether two runs part, where, and how they end; ``names`` are what they are called."""
    compared, first, last = comparison.compared, comparison.parts_at, comparison.last_step
    if comparison.a.by_row != comparison.b.by_row:
        counted, other = names if comparison.a.by_row else names[::-1]
        return phrase(
            "Nothing was compared: no row of {run} tells a step, so that none can be set beside a step of {other}.",
            run=counted,
            other=other,
        )
    if not compared or last is None:
        return phrase("Nothing was compared: no metric that both log has {count} steps in common.", count=FEWEST)
    ends = _ends(comparison, last, names)
    if first is not None:
        told = first.standing
        one, other = (number(course.last) for course in told.courses or ())
        said = phrase(
            "The runs part at {place}, first on {key}: {one} in {a} against {other} in {b} at {last}, "
            "the last of both.",
            place=place_of(told.since, comparison),
            key=first.b,
            one=one,
            other=other,
            a=names[0],
            b=names[1],
            last=place_of(told.step, comparison),
        )
        rest = sum(pair.parts for pair in compared) - 1
        also = (
            later("{count} more of {total} metrics part.") if rest != 1 else later("One more of {total} metrics parts.")
        )
        more = f" {phrase(also, count=rest, total=len(compared))}" if rest else ""
        return f"{said}{more}{ends}"
    late = _late(compared)
    if late:
        said = phrase("{run} has the numbers of {other} a row later.", run=names[late > 0], other=names[late < 0])
        return f"{said}{ends}"
    equal = all(pair.standing.outcome == EQUAL for pair in compared)
    kind = later("The runs are equal up to {last}, the last of both, on {count} metrics that can be compared.")
    if len(compared) == 1:
        kind = later("The runs do not part up to {last}, the last of both, on the one metric that can be compared.")
    elif not equal and all(pair.steps_in_common < TELLING for pair in compared):
        kind = later(
            "The runs do not part up to {last}, the last of both: {count} metrics that can be compared are not told "
            "apart in so few steps."
        )
    elif not equal:
        kind = later(
            "The runs do not part up to {last}, the last of both: {count} metrics that can be compared are the "
            "same within noise."
        )
    return f"{phrase(kind, last=place_of(last, comparison), count=len(compared))}{ends}"


def _late(pairs: Sequence[Pair]) -> int:
    """Return how many rows later the second of two runs has what the first has; 0 where not all that moves is so."""
    lags = {pair.standing.lag for pair in pairs if pair.standing.outcome != EQUAL}
    return lags.pop() if len(lags) == 1 else 0


def _ends(comparison: Comparison, last: float, names: tuple[str, str]) -> str:
    """Return that one of the runs goes on."""
    ends = [run.steps[1] for run in (comparison.a, comparison.b)]
    longer = [at for at, end in enumerate(ends) if end > last]
    if len(longer) != 1:
        return ""
    return f" {phrase('{run} goes on to {place}.', run=names[longer[0]], place=place_of(ends[longer[0]], comparison))}"


def outcome_words(pair: Pair, names: tuple[str, str] = ("a", "b"), *, by_row: bool = False) -> str:
    """Return how two curves stand to each other.

    Args:
        pair: The curves.
        names: What the runs are called.
        by_row: Whether the numbers of rows stand for steps.
    """
    told = pair.standing
    if told.outcome == NOT_COMPARED or told.courses is None:
        if pair.steps_in_common == 1:
            return phrase("not compared: 1 step in common")
        if not pair.steps_in_common:
            return phrase("not compared: no steps in common")
        return phrase("not compared: {count} steps in common", count=pair.steps_in_common)
    one, other = told.courses
    if told.outcome == APART:
        said = _apart(pair, names, by_row=by_row)
    elif told.lag:
        said = phrase("equal, a row later in {run}", run=names[told.lag > 0])
    elif told.outcome == SAME and pair.steps_in_common < TELLING:
        said = phrase("not told apart in {count} steps", count=pair.steps_in_common)
    elif told.outcome == SAME:
        said = phrase("same within noise")
    else:
        said = phrase("equal")
    if one.trend and one.trend == other.trend:
        trend = phrase(_TRENDS[one.trend][0]) if _TRENDS[one.trend][0] else ""
    else:
        trends = [(course.trend, name) for course, name in zip((one, other), names, strict=True) if course.trend]
        trend = phrase(", ").join(phrase(_TRENDS[way][1], run=name) for way, name in trends)
    return f"{said}{phrase('; ')}{trend}" if trend else said


def _apart(pair: Pair, names: tuple[str, str], *, by_row: bool) -> str:
    told = pair.standing
    if told.courses is None:
        return ""
    one, other = told.courses
    since = place_words(step_number(told.since or 0), by_row=by_row)
    for course, name in ((one, names[0]), (other, names[1])):
        if not math.isfinite(course.last):
            return phrase("{run} is no number since {place}", run=name, place=since)
    if told.factor is not None:
        return phrase(
            "{run} is {factor} times {other} throughout", run=names[1], factor=number(told.factor), other=names[0]
        )
    higher = later("{run} higher by {gap} since {place}")
    lower = later("{run} lower by {gap} since {place}")
    gap = other.level - one.level
    return phrase(higher if gap > 0 else lower, run=names[1], place=since, gap=number(float(f"{abs(gap):.2g}")))


def reason_of(differs_by: Sequence[Mapping[str, Any]], sides: tuple[str, str]) -> str:
    """Return why two numbers of one metric may not share an axis; ``sides`` are what the two are called."""
    told = [item["what"] for item in differs_by if item.get("applies") is not False]
    told = told or [item["what"] for item in differs_by]
    if not told:
        return phrase("another number of the same metric")
    said = spoken("; ".join(told))
    # Differences are told of a source and a target; here they have names.
    return said.replace("the source", sides[0]).replace("the target", sides[1]) if language() == "en" else said


def joined(names: Sequence[str], most: int) -> str:
    """Return names, and how many more there are."""
    rest = len(names) - most
    shown = ", ".join(names[:most])
    return f"{shown} {phrase('and {count} more', count=rest)}" if rest > 0 else shown


def run_name(index: int) -> str:
    """Return what a run is called beside others: a letter, and a number after the first 26."""
    return chr(ord("a") + index % 26) + (str(index // 26 + 1) if index >= 26 else "")
