"""What is said of values, held against the numbers of steps: readings, ranges, healthy bounds, and all at once."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rlmetrics.answers.judged import judge
from rlmetrics.answers.pasted import Given
from rlmetrics.answers.value_ranges import applies, beyond_healthy, shown_range
from rlmetrics.names.meanings.constancy import stated
from rlmetrics.names.tables.key_records import Reading
from rlmetrics.names.tables.readings import covers

from ..model import Situation
from .shown_numbers import ROUNDING, SITUATIONS, USUAL, Situations, StepNumber
from .verdicts import HELD, Sight, StepVerdict, refused, unseen

if TYPE_CHECKING:
    from rlmetrics.names import Resolution

    from ..lint.sentences import Sentence
    from ..model import SpecReading
    from .carriers import Carrier

__all__ = ["answer_verdict", "band_verdict", "best_verdict", "range_verdict", "reading_verdict"]

_BAD = ("warning", "error")
_NEAR = 1e-4
"""What is nearer to a bound than that is on either side of it, as logs round."""
_SIDES = {"above": operator.gt, "below": operator.lt}
_FLATTERING: Situations = frozenset({"returns_alike"})
"""A situation in which a critic predicts nothing, and numbers of it may look well all the same."""
_FLATTERED = 0.05
"""How near its best a number is that looks well."""
_EXTREME: tuple[Situation, ...] = (
    "all_truncated",
    "nothing_counted",
    "far_beyond_clip",
    "policy_certain",
    "pairs_separated",
    "engines_agree",
    "engines_far_apart",
    "not_reported",
)
"""Situations in which numbers go as far as they can."""


def reading_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge what a value is said to mean: steps that are so have it, and sound ones do unless it is a symptom."""
    said: SpecReading = sentence.says
    usable, reads = _told(sentence, sight)
    if said.beside or said.value == "null":
        return unseen("it asks for the rest of a row")
    if not usable:
        return sight.nothing(sentence.told)
    numbers = sight.numbers
    if said.shown_by:
        situations = frozenset(cast("Sequence[Situation]", said.shown_by)) - {"usual"}
        for shown in numbers.all(usable, situations):
            if not reads(shown):
                return refused(shown)
    elif said.level == "error" and said.value != "nan":
        for situations in SITUATIONS:
            for shown in numbers.all(usable, situations):
                if reads(shown):
                    return refused(f"{shown}, which it says cannot be, or is a fault")
    elif not numbers.some(usable, reads):
        missing = "no step of any situation has such a value"
        return refused(missing) if said.level == "expected" else unseen(missing)
    if said.level in _BAD and sentence.ref != "signatures":
        # What is usual under other settings, such as a threshold of 0, nothing says.
        for shown in numbers.all([item for item in usable if not item.settings], USUAL):
            if reads(shown):
                return refused(f"{shown}, where nothing is wrong")
    return HELD


def _told(sentence: Sentence, sight: Sight) -> tuple[list[Carrier], Callable[[StepNumber], bool]]:
    """Return the carriers of which a reading is told, and what tells whether it is told of a value."""
    said: SpecReading = sentence.says
    usable = sight.usable(sentence.told)
    if sentence.ref == "signatures":
        return usable, lambda shown: covers(said.value, shown.value)
    if not sentence.subject:
        told = [item for item in usable if any(reading.says == said.says for reading in item.entry.reads)]
        return told, lambda shown: covers(said.value, shown.value)
    reading = Reading(said.value, said.level, said.says)

    def is_told(shown: StepNumber) -> bool:
        entry = cast("Resolution", shown.carrier.entry)
        return applies(reading, entry, Given(f"{shown.value:g}", shown.value))

    # What a release's own records say of a value, and that it is constant there, comes first.
    varying = [item for item in usable if item.constant is None]
    return [item for item in varying if said.value not in _before(item, sight)], is_told


def _before(carrier: Carrier, sight: Sight) -> set[float | str]:
    """Return the values of which something else is told before what the metric says of them."""
    traits = sight.tables.traits
    bad = [item for name in carrier.entry.signature.traits for item in traits[name].get("reads", ())]
    return {own.value for own in carrier.entry.reads} | {item["value"] for item in bad if item["level"] in _BAD}


def range_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge a range: on the axis of every key, no step leaves it."""
    usable = _each_once(sight.usable(sentence.told))
    seen = False
    tried: list[Situations] = [USUAL, *(frozenset([one]) for one in _EXTREME)]
    for situations in tried:
        for shown in sight.numbers.all(usable, situations):
            span = shown_range(cast("Resolution", shown.carrier.entry), sight.tables)
            if span is None or not math.isfinite(shown.value):
                continue
            seen = True
            low, high = span
            if _explained(shown, sight):
                continue
            if low is not None and shown.value < low - ROUNDING * max(1.0, abs(low)):
                return refused(f"{shown}, below {low:g}")
            if high is not None and shown.value > high + ROUNDING * max(1.0, abs(high)):
                return refused(f"{shown}, above {high:g}")
    return HELD if seen else sight.nothing(sentence.told)


def _explained(shown: StepNumber, sight: Sight) -> bool:
    """Tell whether a trait, a record or the metric says of a value what it is, in place of its range."""
    entry, tables = shown.carrier.entry, sight.tables
    told = [item["value"] for name in entry.signature.traits for item in tables.traits[name].get("reads", ())]
    told += [reading.value for reading in entry.reads]
    # A metric that says of itself what is expected outside of its range contradicts itself.
    of_metric = tables.texts.get(entry.metric or "", {}).get("reads", ())
    told += [item["value"] for item in of_metric if item["level"] != "expected"]
    return any(covers(value, shown.value) for value in told)


def band_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge the bounds of healthy values: they lie where values can, and a key is beyond them when its metric is."""
    rules = sight.tables.health["RULES"].get(sentence.subject, ())
    usable = _each_once(sight.usable(sentence.told))
    if not usable:
        return sight.nothing(sentence.told)
    for carrier in usable:
        entry = cast("Resolution", carrier.entry)
        span, axis = shown_range(entry, sight.tables), carrier.entry.signature.axis
        healthy = [rule for rule in rules if rule["level"] != "error"]  # errors are what cannot be
        for bound in (rule[side] for rule in healthy for side in _SIDES if side in rule):
            if axis is not None and span is not None and not _within(axis(bound), span):
                return refused(f"{carrier.at} has no value near the bound {axis(bound):g}")
    for situations in SITUATIONS:
        for carrier in usable:
            # The metric itself is what the same recipe gives on the metric's own axis.
            plain = carrier._replace(recipe=carrier.recipe._replace(scale=1.0, offset=0.0))
            both = zip(sight.numbers.all([carrier], situations), sight.numbers.all([plain], situations), strict=True)
            for shown, metric in both:
                if any(abs(metric.value - rule[side]) < _NEAR for rule in rules for side in _SIDES if side in rule):
                    continue
                told = beyond_healthy(cast("Resolution", carrier.entry), shown.value, sight.tables) is not None
                if told != any(_beyond(rule, metric.value) for rule in rules) and carrier.entry.signature.axis:
                    where = "beyond them" if told else "within them"
                    return refused(f"{shown}, where its metric is {metric.value:g}, and is told to be {where}")
    return HELD


def _within(number: float, span: tuple[float | None, float | None]) -> bool:
    low, high = span
    return (low is None or low <= number) and (high is None or number <= high)


def _beyond(rule: Mapping[str, Any], number: float) -> bool:
    """Tell whether a value of a metric is on the other side of a bound."""
    return any(side in rule and is_beyond(number, rule[side]) for side, is_beyond in _SIDES.items())


def answer_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge what is said of one value: nothing calls it expected where something else calls it a fault."""
    for carrier in sight.carriers.of(sentence.told):
        for value in sorted(_values(carrier, sight), key=str):
            given = Given(f"{value:g}", value)
            told = judge(carrier.view, cast("Resolution", carrier.entry), given)
            fine = [item.says for item in told if item.level == "expected"]
            faults = [item.says for item in told if item.level in _BAD]
            if fine and faults:
                return refused(f"{carrier.at} = {value:g}: `{fine[0]}`, and `{faults[0]}`")
    return HELD


def best_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge that a number near its best is not passed over in steps in which its critic has learnt nothing."""
    high: float = sight.tables.metrics[sentence.subject]["range"][1]
    usable = _each_once([item for item in sight.usable(sentence.told) if not item.settings])
    for carrier in usable:
        plain = carrier._replace(recipe=carrier.recipe._replace(scale=1.0, offset=0.0))
        both = (sight.numbers.all([one], _FLATTERING) for one in (carrier, plain))
        for shown, metric in zip(*both, strict=True):
            given = Given(f"{shown.value:g}", shown.value)
            if metric.value > high - _FLATTERED and not _is_told(carrier, given):
                return refused(f"{shown}, and nothing is said of so good a value")
    return HELD if usable else sight.nothing(sentence.told)


def _is_told(carrier: Carrier, given: Given) -> bool:
    """Tell whether anything but that it is fine is said of a value."""
    told = judge(carrier.view, cast("Resolution", carrier.entry), given)
    return any(item.origin != "nothing" and item.level != "expected" for item in told)


def _values(carrier: Carrier, sight: Sight) -> set[float]:
    """Return values of which anything is said, and of each side of 0 one of which something is."""
    entry, tables = carrier.entry, sight.tables
    said: list[Any] = [reading.value for reading in entry.reads]
    for row in (tables.texts.get(entry.metric or "", {}), *(tables.traits[name] for name in entry.signature.traits)):
        said += [item["value"] for item in row.get("reads", ())]
    constants = [one.number for one in map(stated, entry.constant_when) if one is not None and one.number is not None]
    exact = [float(value) for value in said if isinstance(value, int | float)]
    signed = [side * size for side, word in ((-1.0, "<"), (1.0, ">")) for size in (0.5, 2.0) if _has(said, word)]
    axis = entry.signature.axis
    return {*(axis(value) if axis is not None else value for value in (*exact, *signed)), *constants}


def _has(said: Sequence[Any], sign: str) -> bool:
    return any(isinstance(value, str) and value.startswith(sign) for value in said)


def _each_once(carriers: Sequence[Carrier]) -> list[Carrier]:
    """Return one of the carriers that are computed alike and shown on one axis."""
    return [*{item.identity: item for item in carriers}.values()]
