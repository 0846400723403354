"""Single values against the bound of a rule, whatever the rule asks beside it about how long that must last."""

from __future__ import annotations

import math
from collections.abc import Mapping

from .conditions import Condition
from .series import Series

__all__ = ["Glance", "beyond", "is_bound", "since_when"]

_KNOWN = frozenset(
    {
        *("now", "mean", "share_above", "share_below", "sure_above", "repeats", "by_chance", "points"),
        *("elapsed", "logged", "constant", "first", "start", "rise"),
    }
)
"""Words that one value can answer, had it lasted for as long as is asked."""
_NOW = 5
"""Points whose median is where a curve is: two of them may be elsewhere."""


class OpenQuestionError(ArithmeticError):
    """What only a course can answer."""


class Glance:
    """A curve as if it had one value for as long as a rule likes.

    Args:
        series: The curve.
        value: The value.

    Attributes:
        last: The value.
    """

    __slots__ = ("_series", "last")

    def __init__(self, series: Series, value: float) -> None:
        self._series = series
        self.last = value

    def now(self) -> float:
        """Return the value."""
        return self.last

    def mean(self, _: float) -> float:
        """Return the value."""
        return self.last

    def share_above(self, bound: float, _: float) -> float:
        """Tell whether the value is."""
        return float(self.last > bound)

    def share_below(self, bound: float, _: float) -> float:
        """Tell whether the value is."""
        return float(self.last < bound)

    def sure_above(self, bound: float, _: float) -> bool:
        """Tell whether the value is."""
        return self.last > bound

    def repeats(self) -> float:
        """Return as many as are asked for."""
        return math.inf

    def by_chance(self) -> float:
        """Return that it never came by chance."""
        return 0.0

    def points(self) -> float:
        """Return as many as are asked for."""
        return math.inf

    def elapsed(self) -> float:
        """Return as many steps as there are."""
        return self._series.elapsed()

    def logged(self) -> bool:
        """Tell whether there is any point."""
        return self._series.logged()

    def constant(self) -> bool:
        """Tell whether it never had another value."""
        return self._series.count == self._series.same

    def first(self) -> float:
        """Return the first point."""
        return self._series.first()

    def start(self) -> float:
        """Return where it started; NaN while that is not known."""
        return self._series.start()

    def rise(self) -> float:
        """Return how far the value is from there."""
        return self.last - self._series.start()

    def __getattr__(self, word: str) -> object:
        """Refuse every other word."""
        raise OpenQuestionError(word)


def beyond(condition: Condition, curves: Mapping[str, Series], value: float, place: float) -> bool:
    """Tell whether a value of ``x`` lies beyond the bound of a condition, as other curves are at its place."""
    looks = [
        Glance(curves[name], value if name == "x" else _value_at(curves[name], place))
        if curves[name].count
        else curves[name]
        for name in condition.names
    ]
    try:
        return bool(condition.call(*looks))
    except ArithmeticError:
        return False


def _value_at(series: Series, place: float) -> float:
    """Return the last value of a curve up to a place; NaN if it has none."""
    values = series.until(place)[1]
    return values[-1] if values else math.nan


def since_when(condition: Condition, curves: Mapping[str, Series], place: float) -> float:
    """Return since when the values of ``x`` lie beyond the bound of a condition that holds at a place.

    Where it asks for a median of five, two of five may lie elsewhere. The place itself if its values say nothing alone.
    """
    steps, values = curves["x"].until(place)
    over = [beyond(condition, curves, value, at) for at, value in zip(steps, values, strict=True)]
    allowed = _NOW // 2 if "now" in condition.functions else 0
    begin, missed = place, []
    for at in range(len(values) - 1, -1, -1):
        missed.append(not over[at])
        if sum(missed[-_NOW:]) > allowed:
            break
        begin = steps[at] if over[at] else begin
    return begin


def is_bound(condition: Condition) -> bool:
    """Tell whether a condition compares the value of ``x`` with a number."""
    return condition.pointed and condition.functions <= _KNOWN
