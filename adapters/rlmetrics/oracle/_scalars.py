"""Functions of single numbers, with the results of IEEE 754 where Python would raise."""

from __future__ import annotations

import math
from collections.abc import Callable

__all__ = ["BINARY", "UNARY", "clamp"]


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _expm1(x: float) -> float:
    try:
        return math.expm1(x)
    except OverflowError:
        return math.inf


def _log(x: float) -> float:
    if x == 0:
        return -math.inf
    return math.log(x) if x > 0 else math.nan


def _log1p(x: float) -> float:
    if x == -1:
        return -math.inf
    return math.log1p(x) if x > -1 else math.nan


def _sigmoid(x: float) -> float:
    return 1 / (1 + _exp(-x))


def _log_sigmoid(x: float) -> float:
    return min(x, 0.0) - math.log1p(_exp(-abs(x))) if x == x else x


def _sqrt(x: float) -> float:
    return math.sqrt(x) if x >= 0 else math.nan


def _sign(x: float) -> float:
    return float((x > 0) - (x < 0))


def _divide(x: float, y: float) -> float:
    if y == 0:
        return math.nan if x == 0 or x != x else math.copysign(math.inf, x) * math.copysign(1.0, y)
    return x / y


def _power(x: float, y: float) -> float:
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and y % 2 == 1 else math.inf
    except ValueError:
        # Zero to a negative power, or a root of a negative number.
        return (math.copysign(math.inf, x) if y % 2 == 1 else math.inf) if x == 0 else math.nan


def _minimum(x: float, y: float) -> float:
    return x + y if x != x or y != y else min(x, y)


def _maximum(x: float, y: float) -> float:
    return x + y if x != x or y != y else max(x, y)


def clamp(x: float, low: float, high: float) -> float:
    """Return x moved into the range; the upper end wins over the lower."""
    return _minimum(_maximum(x, low), high)


UNARY: dict[str, Callable[[float], float | bool]] = {
    "-x": lambda x: -x,
    "~x": lambda x: not x,
    "exp": _exp,
    "expm1": _expm1,
    "log": _log,
    "log1p": _log1p,
    "sqrt": _sqrt,
    "abs": abs,
    "sign": _sign,
    "square": lambda x: x * x,
    "sigmoid": _sigmoid,
    "log_sigmoid": _log_sigmoid,
    "is_finite": math.isfinite,
}

BINARY: dict[str, Callable[[float, float], float | bool]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": _divide,
    "**": _power,
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "&": lambda x, y: bool(x and y),
    "|": lambda x, y: bool(x or y),
    "minimum": _minimum,
    "maximum": _maximum,
}
