"""Where a value lies: in the range of its metric, as the key shows it, and how exactly it is known."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.tables.key_records import Transform
from rlmetrics.names.tables.readings import covers
from rlmetrics.wording.metric_facts import range_of
from rlmetrics.wording.voice import phrase

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
    "covers_end",
    "outside",
    "range_text",
    "rounded",
    "shown_range",
    "within_healthy",
]

_ROUNDING = 1e-6
"""How far float32 leaves a range: below that a number is taken for its bound."""
_WORDS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
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


def covers_end(reading: Reading, resolution: Resolution, given: Given, tables: Tables) -> bool:
    """Tell whether what is said of a value outside the range is said of the end of the range that it lies beyond, too.

    What is said of values beyond it alone, as of one number that stands for another thing, is not.
    """
    span = shown_range(resolution, tables)
    if span is None or given.number is None or not isinstance(reading.value, str):
        return False
    low, high = span
    end = low if low is not None and given.number < low else high
    return end is not None and applies(reading, resolution, given._replace(number=end, half=0.0))


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
        says += (
            " The key is not what this source logs under this name, it was changed on its way, or its parts were wrong."
        )
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


def within_healthy(resolution: Resolution, number: float, tables: Tables) -> bool:
    """Tell whether a rule calls a value healthy: that it is on the right side of a bound that one value decides.

    A bound beyond which a number is an error leaves open what is usual.

    Args:
        resolution: What the key means.
        number: The value, as it is logged.
        tables: The spec.
    """
    if axis_of(resolution) is None or beyond_healthy(resolution, number, tables) is not None:
        return False
    rules = tables.health["RULES"].get(resolution.metric or "", ())
    return any(rule["level"] != "error" and ("above" in rule or "below" in rule) for rule in rules)


def range_text(span: tuple[float | None, float | None]) -> str:
    """Return a range in words: ``0 to 1``, ``0 or more``."""
    low, high = span
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    return f"{low:g} or more" if low is not None else f"{high:g} or less"
