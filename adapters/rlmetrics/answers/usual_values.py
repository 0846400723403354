"""What is said of a value about which nothing else is: whether it is usual, as far as anything tells."""

from __future__ import annotations

import math

from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.names.tables.key_records import Transform
from rlmetrics.wording.metric_facts import is_told_by_key, time_measured
from rlmetrics.wording.voice import later, phrase, spoken

from .contradicted_values import departure
from .described_values import described
from .judgement import Judgement
from .value_ranges import axis_of, beyond_healthy, range_text, shown_range, within_healthy

if TYPE_CHECKING:
    from rlmetrics.names import Resolution
    from rlmetrics.names.tables.tables import Tables

    from .pasted import Given

__all__ = ["unremarkable"]

_PERCENT = 100.0
_ZERO = {
    "time": later("{value} is no time that work takes: it was rounded, or nothing was measured here."),
    "rate": later("{value} is no rate of work that went on: it was rounded, or nothing was counted here."),
}
"""What a 0 says of the time that something takes, and of what is done in a time."""
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
        identity = tables.metrics.get(resolution.metric or "", {}).get("identity", {})
        is_counted = identity.get("quantity") in _COUNTED
        cause = _OF_NOTHING if math.isnan(number) else _NOT_FINITE
        cause = "nothing was counted, or the log was changed on its way" if is_counted else cause
        if is_counted and identity.get("statistic") == "sum":
            cause = "a count of nothing is 0, so the log was changed on its way"
        return Judgement("warning", "nothing", f"{given.text} is no number: {cause}.")
    departs = departure(resolution, given, tables)
    if departs is not None:
        return departs
    span, axis = shown_range(resolution, tables), axis_of(resolution)
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
    if within_healthy(resolution, number, tables):
        return Judgement("plain", "nothing", f"{given.text} is unremarkable by itself{_within(span)}.")
    return Judgement("plain", "nothing", _unjudged(resolution, given, tables))


def _within(span: tuple[float | None, float | None] | None) -> str:
    return f" in its range ({range_text(span)})" if span is not None and span != (None, None) else ""


def _unjudged(resolution: Resolution, given: Given, tables: Tables) -> str:
    """Return what a value is of which nothing says whether it is usual: one that the number can have."""
    span, axis = shown_range(resolution, tables), axis_of(resolution)
    if span is None or span == (None, None) or is_told_by_key(resolution.metric, tables):
        return phrase("{value}: nothing says which values are usual here.", value=given.text)
    if axis == Transform(_PERCENT) and span == (0.0, _PERCENT):
        return phrase("{value} is {value} percent; nothing says which values are usual here.", value=given.text)
    return phrase(
        "{value} is within what it can be ({range}); nothing says which values are usual here.",
        value=given.text,
        range=spoken(range_text(span)),
    )
