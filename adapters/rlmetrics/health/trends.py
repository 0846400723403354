"""Tests on short sequences of numbers: medians, noise, trend, correlation. One implementation of each word of rules."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from itertools import pairwise
from operator import sub

__all__ = [
    "SIGNIFICANT",
    "arrival",
    "correlation",
    "jump",
    "last_near_peak",
    "line",
    "mann_kendall",
    "median",
    "noise",
    "roughness",
    "shift",
    "smoothed",
    "thinned",
]

SIGNIFICANT = 3.29
"""The z-score that a trend must exceed: p = 0.001 on both sides."""

_BEFORE_A_JUMP = 4
"""Values that tell how much a curve moves usually."""
_JUMP = 3.0

MOST = 40
"""Points that a trend test looks at: its cost grows with their square."""


def median(values: Collection[float]) -> float:
    """Return the median; NaN of nothing."""
    if not values:
        return math.nan
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def noise(values: Collection[float]) -> float:
    """Return the spread of neighbours: 1.4826 / sqrt(2) times the median step between them.

    A trend hardly moves it, since it looks at steps only.
    """
    after = iter(values)
    next(after, None)
    steps = list(map(abs, map(sub, after, values)))
    return 1.0484 * median(steps) if steps else math.nan


def smoothed(values: Sequence[float]) -> list[float]:
    """Return medians of three neighbours, and both ends as they are: edges stay, single points go."""
    inner = (median(values[at - 1 : at + 2]) for at in range(1, len(values) - 1))
    return [values[0], *inner, values[-1]] if len(values) > 1 else list(values)


def arrival(levels: Sequence[float], noise: float) -> tuple[int, float]:
    """Return since which point all are at the level of the last three, and how far apart those of one level may be.

    A single point elsewhere ends no level.
    """
    within = max(3 * noise, 0.05 * (max(levels) - min(levels)))
    level = median(levels[-3:])
    at = len(levels) - 1
    while at and min(abs(value - level) for value in levels[max(0, at - 2) : at]) <= within:
        at -= 1
    while at < len(levels) - 1 and abs(levels[at] - level) > within:
        at += 1
    return at, within


def jump(values: Sequence[float], sign: float) -> int:
    """Return where values fall, or rise where ``sign`` is -1, by more than three times what they ever moved before.

    0 where there is no such place, or fewer than four values lie before it.
    """
    moves = [sign * (before - after) for before, after in pairwise(values)]
    most = 0.0
    for at, move in enumerate(moves):
        if at >= _BEFORE_A_JUMP - 1 and move > _JUMP * most > 0:
            return at + 1
        most = max(most, abs(move))
    return 0


def last_near_peak(levels: Sequence[float], within: float) -> int:
    """Return the last place at which values are as near to their highest as one level may scatter."""
    peak = max(levels)
    return max(at for at, level in enumerate(levels) if peak - level <= within)


def roughness(values: Sequence[float]) -> float:
    """Return the spread of points about the lines through their neighbours: no slope moves it, however few they are."""
    bends = [abs(values[at - 1] - 2 * values[at] + values[at + 1]) for at in range(1, len(values) - 1)]
    return 0.605 * median(bends) if bends else 0.0


def shift(values: Sequence[float]) -> float:
    """Return the median of the last third minus that of the first third."""
    third = len(values) // 3
    return median(values[-third:]) - median(values[:third]) if third else math.nan


def thinned(values: Sequence[float], most: int = MOST) -> list[float]:
    """Return at most ``most`` medians of equal stretches."""
    if len(values) <= most:
        return list(values)
    edges = [round(index * len(values) / most) for index in range(most + 1)]
    return [median(values[begin:end]) for begin, end in pairwise(edges)]


def mann_kendall(values: Sequence[float]) -> float:
    """Return the z-score of the Mann-Kendall test for a trend, with the correction for ties; 0 of fewer than 6."""
    if len(values) < 6:
        return 0.0
    score = 0
    before: list[float] = []
    for value in values:
        low, high = bisect_left(before, value), bisect_right(before, value)
        score += low - (len(before) - high)
        before.insert(high, value)
    count = len(values)
    ties: dict[float, int] = {}
    for value in values:
        ties[value] = ties.get(value, 0) + 1
    tied = sum(size * (size - 1) * (2 * size + 5) for size in ties.values() if size > 1)
    variance = (count * (count - 1) * (2 * count + 5) - tied) / 18
    if variance <= 0:
        return 0.0
    return (score - (score > 0) + (score < 0)) / math.sqrt(variance)


def correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Pearson's correlation; NaN of fewer than 6 pairs or of a constant."""
    count = len(first)
    if count < 6:
        return math.nan
    mean_a, mean_b = sum(first) / count, sum(second) / count
    both = sum((a - mean_a) * (b - mean_b) for a, b in zip(first, second, strict=True))
    spread = sum((a - mean_a) ** 2 for a in first) * sum((b - mean_b) ** 2 for b in second)
    return both / math.sqrt(spread) if spread > 0 else math.nan


def line(steps: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Return level at the last step and slope of a line through the medians of the first and the last third."""
    third = len(values) // 3
    if not third:
        return math.nan, math.nan
    early, late = median(values[:third]), median(values[-third:])
    span = median(steps[-third:]) - median(steps[:third])
    if span <= 0:
        return math.nan, math.nan
    slope = (late - early) / span
    return late + slope * (steps[-1] - median(steps[-third:])), slope
