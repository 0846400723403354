"""Axes: which values they cover, where they have marks, and how these are written."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

__all__ = ["covered", "mark_texts", "marks", "step_marks"]

_ROOM = 0.05
_FAR = 1e300
"""Where an axis ends at the latest: the distance of its ends is a number, too."""
_STEPS = (1, 2, 2.5, 5, 10)
_LARGE, _SMALL = 1e5, 1e-4
_SUFFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def covered(values: Iterable[float]) -> tuple[float, float]:
    """Return the range of an axis: all finite values, with a little room, and 0 as its end where values touch it."""
    finite = [min(max(value, -_FAR), _FAR) for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    room = _ROOM * ((high - low) or abs(high) or 1.0)
    return (low if low == 0 else low - room), (high if high == 0 > low else high + room)


def step_marks(first: float, last: float, most: int) -> list[float]:
    """Return round steps within a range, at most so many; of whole steps only such, as nothing lies between."""
    return marks(first, last, most, whole=first == int(first) and last == int(last))


def marks(low: float, high: float, most: int, *, whole: bool = False) -> list[float]:
    """Return round values within a range, at most so many, and only whole numbers if that is asked for."""
    width = high - low
    if not width > 0 or not math.isfinite(width):
        return [low]
    size = 10.0 ** math.floor(math.log10(width / max(1, most)))
    size = max(size, 1.0) if whole else size
    for factor in (*_STEPS, *(10 * step for step in _STEPS)):
        distance = size * factor
        if whole and distance != int(distance):
            continue
        first, last = math.ceil(low / distance - 1e-9), math.floor(high / distance + 1e-9)
        if last - first + 1 <= most:
            return [number * distance for number in range(first, last + 1)]
    return [low]


def mark_texts(values: list[float], *, whole: bool = False) -> list[str]:
    """Return marks as texts with as many digits as tell them apart.

    Args:
        values: The marks.
        whole: Whether thousands and millions are written as 1k and 1M.
    """
    largest = max(map(abs, values), default=0.0)
    if whole and largest >= 1e4:
        size, suffix = next((size, suffix) for size, suffix in _SUFFIXES if largest >= size)
        return [f"{value / size:g}{suffix}" if value else "0" for value in values]
    distance = min((abs(b - a) for a, b in pairwise(values)), default=largest) or 1.0
    if not whole and (largest >= _LARGE or 0 < largest < _SMALL):
        digits = max(0, math.floor(math.log10(largest)) - math.floor(math.log10(distance) + 1e-9))
        return [f"{value:.{digits}e}".replace("e-0", "e-").replace("e+0", "e") if value else "0" for value in values]
    decimals = max(0, -math.floor(math.log10(distance) + 1e-9))
    if any(abs(value * 10**decimals - round(value * 10**decimals)) > 1e-6 for value in values):
        decimals += 1
    return [f"{round(value, decimals) + 0.0:.{decimals}f}" for value in values]
