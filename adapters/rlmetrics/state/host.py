"""From slot values to results in Python numbers, after the one copy to the host; 0 and NaN as torch treats them.

A fused suite reads its whole state at once, and finishes its results here: on numbers as few as these, Python's own
arithmetic takes a small part of the time that as many tensor operations take.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf, nan

__all__ = [
    "clamp",
    "correlation",
    "covariance",
    "divide",
    "exp",
    "expm1",
    "is_finite",
    "last_value",
    "log",
    "log1p",
    "log_sigmoid",
    "maximum",
    "mean_of",
    "minimum",
    "or_nan",
    "power",
    "sigmoid",
    "sign",
    "sqrt",
    "standard_deviation",
    "unless_empty",
    "value_at_max",
    "variance",
]


def divide(top: float, bottom: float) -> float:
    """Return the quotient; infinity or NaN where Python would refuse to divide by zero."""
    if bottom:
        return top / bottom
    if not top or top != top:
        return nan
    return math.copysign(inf, top) * math.copysign(1.0, bottom)


def or_nan(value: float, *counts: float) -> float:
    """Return the value, or NaN if one of the counts is zero."""
    return unless_empty(value, nan, *counts)


def unless_empty(value: float, otherwise: float, *counts: float) -> float:
    """Return the value, or ``otherwise`` if one of the counts is zero."""
    return value if all(number > 0 for number in counts) else otherwise


def mean_of(moments: Sequence[float]) -> float:
    """Return the mean that moments (count, mean, M2) hold; NaN over nothing."""
    return or_nan(moments[1], moments[0])


def variance(moments: Sequence[float], *, ddof: int) -> float:
    """Return M2 / (count - ddof); NaN unless count exceeds ddof."""
    degrees = moments[0] - ddof
    return moments[2] / degrees if degrees > 0 else nan


def standard_deviation(moments: Sequence[float], *, ddof: int) -> float:
    """Return the root of the variance."""
    return sqrt(variance(moments, ddof=ddof))


def covariance(comoments: Sequence[float], *, ddof: int) -> float:
    """Return C_xy / (count - ddof); NaN unless count exceeds ddof."""
    degrees = comoments[0] - ddof
    return comoments[5] / degrees if degrees > 0 else nan


def correlation(comoments: Sequence[float]) -> float:
    """Return Pearson's correlation; NaN where either side does not vary."""
    return divide(comoments[5], sqrt(comoments[3]) * sqrt(comoments[4]))


def last_value(slot: Sequence[float]) -> float:
    """Return the value of a ``last`` slot; NaN if it has none."""
    return or_nan(slot[1], slot[0])


def value_at_max(slot: Sequence[float]) -> float:
    """Return the value beside the largest of an ``at_max`` slot; NaN if the largest is NaN or minus infinity."""
    return slot[2] if slot[1] > -inf else nan


def exp(x: float) -> float:
    """Return the exponential; infinity where it is too large."""
    try:
        return math.exp(x)
    except OverflowError:
        return inf


def expm1(x: float) -> float:
    """Return the exponential minus one; infinity where it is too large."""
    try:
        return math.expm1(x)
    except OverflowError:
        return inf


def log(x: float) -> float:
    """Return the logarithm; minus infinity at zero, NaN below."""
    return math.log(x) if x > 0 else -inf if x == 0 else nan


def log1p(x: float) -> float:
    """Return the logarithm of one plus x; minus infinity at -1, NaN below."""
    return math.log1p(x) if x > -1 else -inf if x == -1 else nan


def sqrt(x: float) -> float:
    """Return the square root; NaN below zero."""
    return math.sqrt(x) if x >= 0 else nan


def power(x: float, exponent: float) -> float:
    """Return a power; infinity where it is too large or divides by zero, NaN where it is not real."""
    try:
        return math.pow(x, exponent)
    except OverflowError:
        return -inf if x < 0 and exponent % 2 == 1 else inf
    except ValueError:
        if x:
            return nan
        return math.copysign(inf, x) if exponent % 2 == 1 else inf


def sign(x: float) -> float:
    """Return 1, 0 or -1; 0 of NaN, as torch has it."""
    return float(x > 0) - float(x < 0)


def sigmoid(x: float) -> float:
    """Return the logistic function."""
    return divide(1.0, 1.0 + exp(-x))


def log_sigmoid(x: float) -> float:
    """Return the logarithm of the logistic function."""
    return minimum(x, 0.0) - math.log1p(exp(-abs(x)))


def minimum(x: float, y: float) -> float:
    """Return the smaller number; NaN propagates."""
    return x if x < y or x != x else y


def maximum(x: float, y: float) -> float:
    """Return the greater number; NaN propagates."""
    return x if x > y or x != x else y


def clamp(x: float, low: float, high: float) -> float:
    """Return x between two bounds; the upper one wins if they cross, and NaN propagates."""
    return minimum(maximum(x, low), high)


def is_finite(x: float) -> bool:
    """Return whether x is neither infinite nor NaN."""
    return math.isfinite(x)
