"""Which values a reading of the spec is about."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping

__all__ = ["ReadingError", "covers"]

_NUMBER = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_BOUND = re.compile(rf"(<=|>=|<|>)\s*({_NUMBER})")
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})")
_COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class ReadingError(ValueError):
    """A text that says no value, bound or range."""


def covers(stated: float | str, number: float | None, half: float = 0.0) -> bool:
    """Tell whether a reading is about a number, whatever it was before it was rounded.

    A reading of one value is about no number that was printed with counted decimals: nobody can tell whether it had
    that value.

    Args:
        stated: A number, a bound such as ``< 0``, a range such as ``0.69..0.70``, ``nan`` or ``null``.
        number: The number; None for null. Infinities are read as NaN.
        half: How far it can be from what was printed, as `rlmetrics.names.tables.printed_numbers.half_unit` says.

    Raises:
        ReadingError: The reading says none of these.
    """
    if not isinstance(stated, str):
        return number == stated and not half
    text = stated.strip()
    if text in ("nan", "null"):
        return number is None if text == "null" else number is not None and not math.isfinite(number)
    finite = number is not None and math.isfinite(number)
    between = _RANGE.fullmatch(text)
    if between is not None:
        low, high = float(between[1]), float(between[2])
        return finite and number is not None and low <= number - half and number + half <= high
    bound = _BOUND.fullmatch(text)
    if bound is None:
        msg = f"{stated!r} is no value; write a number, < 0, >= 1, 0.69..0.70, nan or null"
        raise ReadingError(msg)
    nearest = number if number is None or not half else number + (half if "<" in bound[1] else -half)
    return finite and nearest is not None and _COMPARE[bound[1]](nearest, float(bound[2]))
