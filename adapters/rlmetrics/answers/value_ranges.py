"""Where a value lies: in the range of its metric, as the key shows it, and how exactly it is known."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.tables.key_records import Transform
from rlmetrics.names.tables.readings import covers
from rlmetrics.wording.metric_facts import range_of, time_measured
from rlmetrics.wording.voice import later, phrase

from .described_values import described
from .judgement import Judgement

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.tables.key_records import Reading
    from rlmetrics.names.tables.tables import Tables

    from .pasted import Given

__all__ = [
    "applies",
    "as_printed",
    "as_read",
    "axis_of",
    "beyond_healthy",
    "outside",
    "rounded",
    "shown_range",
    "unremarkable",
]

_ROUNDING = 1e-6
"""How far float32 leaves a range: below that a number is taken for its bound."""
_PERCENT = 100.0
_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
_ZERO = {
    "time": later("{value} is no time that work takes: it was rounded, or nothing was measured here."),
    "rate": later("{value} is no rate of work that went on: it was rounded, or nothing was counted here."),
}
"""What a 0 says of the time that something takes, and of what is done in a time."""
_ANYWHERE = frozenset({0, "< 0", "> 0", "nan", "null"})
"""What a reading may ask of a value on an axis of unknown size: a scale changes neither a 0 nor a sign."""


def axis_of(resolution: Resolution) -> Transform | None:
    """Return what a key makes of its metric; None where that depends on an unknown setting."""
    return None if resolution.signature is None else resolution.signature.axis


def applies(reading: Reading, resolution: Resolution, given: Given) -> bool:
    """Tell whether what a metric says of a value is about this one, which the key shows on an axis of its own."""
    signature = resolution.signature
    if signature is None or given.number is None:
        return covers(reading.value, given.number, given.half)
    axis = signature.axis
    if axis is None:
        return signature.offset == 0 and reading.value in _ANYWHERE and covers(reading.value, given.number, given.half)
    return covers(reading.value, axis.undone(given.number), given.half / abs(axis.scale))


def as_read(reading: Reading, resolution: Resolution, given: Given) -> Given:
    """Return a value as a text about the metric names it: with what the metric itself is, where the key shows another.

    A text about one exact value says what that means, however it is shown.
    """
    axis = axis_of(resolution)
    if axis is None or axis.is_plain or given.number is None or not isinstance(reading.value, str):
        return given
    if not math.isfinite(given.number):
        return given
    number = f"{axis.undone(given.number):.6g}"
    return given._replace(text=phrase("{number} (logged as {value})", number=number, value=given.text))


def shown_range(resolution: Resolution, tables: Tables) -> tuple[float | None, float | None] | None:
    """Return between which numbers a key's values lie, as it shows them; None where nothing says it."""
    signature, axis = resolution.signature, axis_of(resolution)
    variant = None if signature is None else signature.reproduced_by
    span = range_of(resolution.metric or "", variant, tables)
    if span is None or signature is None:
        return None
    if axis is not None:
        return axis.span(*span)
    # What is unknown of a factor is its size: all are counts and shares. That leaves 0 where it is.
    low, high = (bound if bound == 0 and signature.offset == 0 else None for bound in span)
    return None if (low, high) == (None, None) else (low, high)


def outside(resolution: Resolution, given: Given, tables: Tables) -> list[Judgement]:
    """Return that the key cannot have the value."""
    signature, number = resolution.signature, given.number
    span = shown_range(resolution, tables)
    if span is None or number is None or not math.isfinite(number) or signature is None:
        return []
    low, high = span
    if low is not None and number + given.half < low:
        side, distance = f"below {low:g}", low - number
    elif high is not None and number - given.half > high:
        side, distance = f"above {high:g}", number - high
    else:
        return []
    if distance <= _ROUNDING * max(1.0, abs(number)):
        return [Judgement("info", "range", f"{given.text} is {side} by rounding: read it as the bound itself.")]
    departs = [
        trait["what"]
        for name in signature.traits
        if (trait := tables.traits[name])["facet"] == "defect" and trait["grade"] != "minor"
    ]
    why = f"In this release {'; '.join(departs)}." if departs else None
    never = {"below 0": "is never negative", "above 0": "is never positive"}.get(side, f"is never {side}")
    axis = signature.axis
    subject = resolution.metric if axis is not None and axis.is_plain else resolution.key
    says = f"{given.text} is {side}, but {subject} {never}."
    if why is None:
        says += " The key is not what this source logs under this name, or it was changed on its way."
        return [Judgement("error", "range", says)]
    return [Judgement("warning", "range", says, why)]


def rounded(resolution: Resolution, given: Given, readings: Sequence[Reading], tables: Tables) -> list[Judgement]:
    """Return what a value can have been that was printed with counted decimals, where that matters.

    What a metric says of an exact value other than 0 holds nearly, and is told as what it would mean.

    Args:
        resolution: What the key means.
        given: The value.
        readings: What the metric says of values.
        tables: The spec.
    """
    if not given.half or given.number is None:
        return []
    says = as_printed(given, shown_range(resolution, tables))
    if given.number == 0:
        return [Judgement("expected", "printed", says)]
    exact = given._replace(half=0.0)
    told = [item for item in readings if isinstance(item.value, int | float) and applies(item, resolution, exact)]
    return [
        Judgement(item.level, "printed", f"{says} {item.says.replace('{value}', f'Exactly {given.text}')}")
        for item in told[:1]
    ]


def as_printed(given: Given, span: tuple[float | None, float | None] | None = None) -> str:
    """Return between which numbers one lies that was printed with counted decimals.

    Args:
        given: The number.
        span: Between which numbers it can lie at all.
    """
    number, half = given.number or 0.0, given.half
    count = len(given.text.partition(".")[2].lower().partition("e")[0])
    why = f"printed with {_WORDS.get(count, str(count))} decimals"
    low, high = span or (None, None)
    if number == 0:
        size = "" if low == 0 else " in size"
        return f"{given.text} is below {_plain(half, count)}{size}: {why}."
    if high is not None and number >= high:
        return f"{given.text} is {_plain(number - half, count)} or more: {why}."
    return f"{given.text} is {_plain(number - half, count)} to {_plain(number + half, count)}: {why}."


def _plain(number: float, decimals: int) -> str:
    return f"{number:.{decimals + 1}f}" if abs(number) >= 10.0 ** -(decimals + 1) else f"{number:g}"


_COUNTED = frozenset({"length", "count", "tokens", "turns", "tool_calls", "training_sequences", "preemptions"})
"""Quantities that are counted, so that no number of the model is in them."""
_NOT_FINITE = "something on the way to it was not finite"
_OF_NOTHING = f"{_NOT_FINITE}, or there was nothing to take the mean of"


def unremarkable(resolution: Resolution, given: Given, tables: Tables) -> Judgement:
    """Return that there is nothing to say of the value alone."""
    number = given.number
    if number is None:
        says = f"{given.text} stands for no value: none was logged here, or it was NaN."
        return Judgement("info", "nothing", says)
    if not math.isfinite(number):
        # A count of nothing is 0 and a mean of no lengths NaN, whatever the model's numbers are.
        is_counted = tables.metrics.get(resolution.metric or "", {}).get("identity", {}).get("quantity") in _COUNTED
        cause = _OF_NOTHING if math.isnan(number) else _NOT_FINITE
        cause = "nothing was counted, or the log was changed on its way" if is_counted else cause
        return Judgement("warning", "nothing", f"{given.text} is no number: {cause}.")
    span, axis = shown_range(resolution, tables), axis_of(resolution)
    if axis == Transform(_PERCENT) and span == (0.0, _PERCENT):
        return Judgement("plain", "nothing", f"{given.text} is {given.text} percent, unremarkable by itself.")
    said = (
        None
        if axis is None or given.half
        else described(resolution.metric or "", axis.undone(number), given.text, tables)
    )
    if said is not None:
        return Judgement("plain", "nothing", said)
    usual = beyond_healthy(resolution, number, tables)
    if usual is not None:
        return Judgement("info", "nothing", f"{given.text} is {usual}, and one value decides nothing.")
    if number == 0 and (axis is None or not axis.offset) and (of_time := time_measured(resolution.metric, tables)):
        return Judgement("plain", "nothing", phrase(_ZERO[of_time], value=given.text))
    within = f" in its range ({_span(span)})" if span is not None and span != (None, None) else ""
    return Judgement("plain", "nothing", f"{given.text} is unremarkable by itself{within}.")


def beyond_healthy(resolution: Resolution, number: float, tables: Tables) -> str | None:
    """Return of which bound that rules call healthy a value is on the other side; None if of none.

    Args:
        resolution: What the key means.
        number: The value, as it is logged.
        tables: The spec.
    """
    axis = axis_of(resolution)
    if axis is None:
        return None
    of_metric, turned = axis.undone(number), axis.scale < 0
    for rule in tables.health["RULES"].get(resolution.metric or "", ()):
        for name, side, is_beyond in (("above", "below", operator.gt), ("below", "above", operator.lt)):
            if name in rule and is_beyond(of_metric, rule[name]):
                beyond, healthy = (side, name) if turned else (name, side)
                return f"{beyond} the bound of healthy values ({healthy} {axis(rule[name]):g}, {rule['basis']})"
    return None


def _span(span: tuple[float | None, float | None]) -> str:
    low, high = span
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    return f"{low:g} or more" if low is not None else f"{high:g} or less"
