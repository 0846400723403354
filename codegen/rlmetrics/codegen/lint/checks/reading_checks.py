"""Readings: what certain values of a number tell."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rlmetrics.names.tables.readings import ReadingError, covers

from ..lint_check import Check, Hit, check
from ..said import said_anywhere
from ..vocabulary_lookups import missing

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...model import Beside, SpecReading
    from ..context import Context

__all__ = ["CHECKS"]

_FIRST = re.compile(r".*?[.!?](?=\s|$)|.*", re.DOTALL)
_FILLED = re.compile(r"\{[^}]*\}")
_TOLD = re.compile(r"(?:^|[.:;] )(?:At|Exactly|at) ([01])\b(?=,? (?:all|it|the|they|every|nothing|no|there|means)\b)")
"""Where a description says what a value means."""
_USUAL = re.compile(r"\b[Nn]ormally 0\b|(?:^|[.;:] )[Uu]sually 0\b")
"""Where a description says what a number is unless something is wrong."""
_TURNS = re.compile(r"\b(?:can|may) (?:turn|become|get|go|fall) (?:negative|below 0)\b")
_TEXTS = ("says", "why", "worry", "watch")


@check(
    "reading-value",
    "error",
    what="A reading whose `value` is no number, bound or range, or stands twice in one list.",
    fix="write a number, < 0, >= 1, 0.69..0.70, nan or null, each once",
)
def reading_value(context: Context) -> Iterator[Hit]:
    for ref, path, readings in _readings(context):
        seen: set[tuple[float | str, tuple[Beside, ...]]] = set()
        for index, reading in enumerate(readings):
            place = (*path, index, "value")
            try:
                covers(reading.value, 0.0)
            except ReadingError as error:
                yield Hit(ref, place, str(error), value=True)
                continue
            if (reading.value, reading.beside) in seen:
                yield Hit(ref, place, f"{reading.value} is read twice here", value=True)
            seen.add((reading.value, reading.beside))
            for at, beside in enumerate(reading.beside):
                try:
                    covers(beside.value, 0.0)
                except ReadingError as error:
                    yield Hit(ref, (*path, index, "beside", at, "value"), str(error), value=True)


@check(
    "reading-text",
    "error",
    what="A reading whose first sentence does not name the value, or whose texts have placeholders but `{value}`.",
    fix="begin `says` with a sentence that has {value} in it",
)
def reading_text(context: Context) -> Iterator[Hit]:
    for ref, path, readings in _readings(context):
        for index, reading in enumerate(readings):
            first = _FIRST.match(reading.says)
            if first is None or "{value}" not in first[0]:
                yield Hit(ref, (*path, index, "says"), "the first sentence does not name {value}", value=True)
            for name in _TEXTS:
                other = {*_FILLED.findall(getattr(reading, name) or "")} - {"{value}"}
                if other:
                    yield Hit(ref, (*path, index, name), f"nothing fills in {sorted(other)[0]}", value=True)


@check(
    "reading-follows",
    "error",
    what="A reading that follows from a metric that does not exist, or asks for one in the row.",
    fix="name metrics of the spec",
)
def reading_follows(context: Context) -> Iterator[Hit]:
    for ref, path, readings in _readings(context):
        for index, reading in enumerate(readings):
            for at, name in enumerate(reading.follows):
                place = (*path, index, "follows", at)
                yield from missing(context, "metric", "metrics", name, context.spec.metrics, ref, place)
            for at, beside in enumerate(reading.beside):
                place = (*path, index, "beside", at, "metric")
                yield from missing(context, "metric", "metrics", beside.metric, context.spec.metrics, ref, place)


@check(
    "untold-value",
    "error",
    what="A description that says what 0, or 1, means, where no reading tells it of the value.",
    fix="add the value to `reads:` of the metric",
    prose=True,
)
def untold_value(context: Context) -> Iterator[Hit]:
    for name, metric in context.spec.metrics.items():
        told = {reading.value for reading in metric.reads}
        for found in _TOLD.finditer(metric.description):
            if float(found[1]) not in told:
                message = (
                    f"what {found[1]} means stands in the text alone: an answer on {name}={found[1]} leaves it out"
                )
                yield Hit(
                    f"metrics/{context.spec.family_of[name]}", ("metrics", name, "description"), message, value=True
                )


@check(
    "untold-departure",
    "error",
    what="A description that says what a number normally is, where no reading tells of a value far from it.",
    fix="add such values to `reads:` of the metric",
    prose=True,
)
def untold_departure(context: Context) -> Iterator[Hit]:
    for name, metric in context.spec.metrics.items():
        found = _USUAL.search(" ".join(metric.description.split()))
        high = metric.range[1] if metric.range is not None else None
        far = math.inf if high is None else high
        if found is not None and not any(_reaches(reading.value, far) for reading in metric.reads):
            message = f"`{found[0].strip('.;: ')}`, and an answer on {name}={far:g} calls it unremarkable"
            yield Hit(f"metrics/{context.spec.family_of[name]}", ("metrics", name, "description"), message, value=True)


def _reaches(stated: float | str, far: float) -> bool:
    """Tell whether a reading is about a value, or about all above a bound where there is no largest one."""
    return isinstance(stated, str) and covers(stated, min(far, sys.float_info.max))


@check(
    "text-range",
    "error",
    what="A description by which a number can turn negative, beside a range that begins at 0 or above.",
    fix="correct the one that is wrong",
    prose=True,
)
def text_range(context: Context) -> Iterator[Hit]:
    for name, metric in context.spec.metrics.items():
        low = None if metric.range is None else metric.range[0]
        found = _TURNS.search(metric.description)
        if found is not None and low is not None and low >= 0:
            message = f"`{found[0]}`, and the range of {name} begins at {low:g}"
            yield Hit(f"metrics/{context.spec.family_of[name]}", ("metrics", name, "description"), message, value=True)


def _readings(context: Context) -> Iterator[tuple[str, YamlPath, Sequence[SpecReading]]]:
    """Yield every list of readings with its place."""
    for name, metric in context.spec.metrics.items():
        if metric.reads:
            yield f"metrics/{context.spec.family_of[name]}", ("metrics", name, "reads"), metric.reads
    for name, trait in context.spec.signatures.traits.items():
        if trait.reads:
            yield "signatures", ("traits", name, "reads"), trait.reads
    for said in said_anywhere(context):
        if said.fields.reads:
            yield said.ref, (*said.path, "reads"), said.fields.reads


CHECKS: tuple[Check, ...] = (
    reading_value,
    reading_text,
    reading_follows,
    untold_value,
    untold_departure,
    text_range,
)
