"""Whether two curves are the same within their own noise, which is higher, and where each of them goes.

Levels are medians of the last third of the steps that both curves have. They are apart where the median of the
differences lies further from 0 than its own standard error allows: 3.29 of these, which p = 0.001 is for a normal
distribution, and more where there are few points. The error follows from how far the differences scatter; where
neighbours resemble each other, as curves of training do, fewer points count than there are. Curves that draw apart
all the while, as straight as hardly any noise would, are told by where a line through the differences ends, and curves
that parted so late that most of the last third knows nothing of it by their last differences, if these are beyond all
that came before. Four rules stand above this: what is equal to a millionth is equal, exactly 0 is not the same as what
is hardly ever 0, a curve that is a fixed multiple of the other at every step is apart however both scatter, and one
that has each value a row earlier or later is the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise, repeat

from rlmetrics.health.trends import SIGNIFICANT, mann_kendall, median, noise, thinned
from rlmetrics.lazy_typing import NamedTuple

__all__ = [
    "APART",
    "EQUAL",
    "FALLS",
    "FEWEST",
    "FLAT",
    "NOT_COMPARED",
    "RISES",
    "SAME",
    "TELLING",
    "MetricCourse",
    "Standing",
    "standing",
]

EQUAL, SAME, APART, NOT_COMPARED = "equal", "same", "apart", "not_compared"
RISES, FALLS, FLAT = "rises", "falls", "flat"
FEWEST = 3
"""Steps in common without which nothing is said."""
TELLING = _FEWEST_OF_TREND = 8
"""Steps in common without which noise is hardly known: curves that are not apart need not be the same."""
_FEWEST_OF_LINE = 6
_DOUBT_AT_END = 4.0
"""How much further off the end of a line must lie than a level: twice its standard error is that of a line there, and
neighbours that resemble each other look like a line, too."""
_MILLIONTH = 1e-6
_SINGLE = 1e-5
"""How far apart two products are that are one in single precision, of values that were added up in another order."""
_MOVES = 0.01
"""A multiple is told of a curve that moves by more than this share of its largest value, which is known better, too."""
_LEAST_WINDOW = 8
_LATE = 5
"""Steps at the end that tell that curves parted there."""
_DOUBT_LATE = 2.0
"""How much further apart they must be there: neighbours resemble each other, so that few points count as one."""
_NO_CHANCE = 11
"""So many values other than 0 fall by chance into one of two runs that are the same in one case of a thousand."""
_SMOOTHED = 5
_OF_MEDIAN = 1.2533
"""The standard error of a median in those of a mean."""
_OF_MAD = 1.4826

Shared = Sequence[tuple[float, float, float]]
"""A step that two curves have, and both values."""


class MetricCourse(NamedTuple):
    """One curve over the steps in common: its last value, its level at the end, and ``rises``, ``falls`` or ``flat``.

    The trend is empty where there are too few points to tell, and where curves parted late: what most of a curve did
    says nothing of its end.
    """

    last: float
    level: float
    trend: str


class Standing(NamedTuple):
    """How two curves stand to each other.

    Attributes:
        outcome: ``equal``, ``same`` (within noise), ``apart`` or ``not_compared``.
        step: The last step in common; None without one.
        courses: Both curves; None without a step in common.
        since: The step from which on their numbers differ, of curves that begin with equal ones; else that since which
            one lies above the other. None where neither is so.
        factor: What the first times it gives the second, at every step; None where nothing does.
        lag: How many rows later the second has each value of the first: 1, -1 where it is earlier, else 0.
    """

    outcome: str
    step: float | None
    courses: tuple[MetricCourse, MetricCourse] | None
    since: float | None
    factor: float | None = None
    lag: int = 0


def standing(shared: Shared, within: float = 0.0) -> Standing:
    """Return how two curves stand to each other over the steps that they have in common.

    Args:
        shared: These steps, and the values at them.
        within: How far apart values may be that are the same, since they were printed with so few decimals.
    """
    finite = [point for point in shared if math.isfinite(point[1]) and math.isfinite(point[2])]
    if not shared:
        return Standing(NOT_COMPARED, None, None, None)
    ones, others = [point[1] for point in finite], [point[2] for point in finite]
    window = max(len(finite) // 3, min(len(finite), _LEAST_WINDOW))
    courses = _course(shared[-1][1], ones, window), _course(shared[-1][2], others, window)
    if len(shared) < FEWEST:
        return Standing(NOT_COMPARED, shared[-1][0], courses, None)
    first = next((step for step, one, other in shared if not _close(one, other, within)), None)
    if first is None:
        return Standing(EQUAL, shared[-1][0], courses, None)
    lost = [step for step, one, other in shared if math.isfinite(one) != math.isfinite(other)]
    if lost and math.isfinite(shared[-1][1]) != math.isfinite(shared[-1][2]):
        return Standing(APART, shared[-1][0], courses, lost[0])
    lag = _lag(ones, others, within)
    if lag:
        return Standing(SAME, shared[-1][0], courses, None, lag=lag)
    factor = _factor(ones, others, within)
    if factor is not None:
        return Standing(APART, shared[-1][0], courses, first, factor)
    # Runs that begin with equal numbers, as those of one seed do, part where these first differ.
    together = first if all(_close(one, other, within) for _, one, other in shared[:FEWEST]) else None
    if _are_apart(ones[-window:], others[-window:], within):
        return Standing(APART, shared[-1][0], courses, _onset(finite) if together is None else together)
    if not _parted_late(ones, others, window, within):
        return Standing(SAME, shared[-1][0], courses, together)
    ends = _end(shared[-1][1], ones), _end(shared[-1][2], others)
    return Standing(APART, shared[-1][0], ends, _onset(finite, window) if together is None else together)


def _lag(ones: Sequence[float], others: Sequence[float], within: float) -> int:
    """Return how many rows later the second of two curves has every value of the first; 0 if it has not."""
    for lag, early, late in ((1, ones, others), (-1, others, ones)):
        moved = sum(not _close(one, other, within) for one, other in pairwise(early))
        # A value that stays is the same a row later without being late.
        if moved >= FEWEST and all(map(_close, early[:-1], late[1:], repeat(within))):
            return lag
    return 0


def _factor(ones: Sequence[float], others: Sequence[float], within: float) -> float | None:
    """Return what times every value of a curve gives that of another; None without it, or where they hardly move."""
    if not any(ones) or max(map(abs, ones)) - min(map(abs, ones)) <= _MOVES * max(map(abs, ones)):
        return None
    at = max(range(len(ones)), key=lambda place: abs(ones[place]))
    factor = others[at] / ones[at]
    near = within * (1 + abs(factor))
    exact = all(
        abs(other - factor * one) <= max(near, _SINGLE * abs(other)) for one, other in zip(ones, others, strict=True)
    )
    return factor if exact and factor and near <= _MOVES * abs(others[at]) else None


def _course(last: float, values: Sequence[float], window: int) -> MetricCourse:
    if len(values) < _FEWEST_OF_TREND:
        trend = ""
    else:
        score = mann_kendall(thinned(values))
        trend = RISES if score > SIGNIFICANT else FALLS if score < -SIGNIFICANT else FLAT
    return MetricCourse(last, median(values[-window:]), trend)


def _are_apart(ones: Sequence[float], others: Sequence[float], within: float) -> bool:
    """Tell whether two levels differ by more than their noise."""
    gaps = [one - other for one, other in zip(ones, others, strict=True)]
    if not gaps or max(map(abs, gaps)) <= within:
        return False
    if any(ones) != any(others):
        # A count that is rarely above 0 may by chance be so in one of two runs alone.
        there = sum(map(bool, ones)) + sum(map(bool, others))
        if 2 * there > len(ones) or there >= _NO_CHANCE:
            return True
    center = median(gaps)
    if _close(median(ones), median(others), within) and _close(center, 0.0, within):
        return False
    return _is_off(gaps, center) or _draw_apart(gaps, within)


def _is_off(gaps: Sequence[float], center: float, doubt: float = 1.0) -> bool:
    """Tell whether a level of gaps lies further from 0 than its own standard error allows.

    Args:
        gaps: What scatters around it.
        center: The level.
        doubt: How much less certain it is than a level of all gaps.
    """
    middle = median(gaps)
    scatter = max(_OF_MAD * median([abs(gap - middle) for gap in gaps]), _steps_of(gaps))
    if scatter <= _MILLIONTH * abs(center):
        return center != 0
    independent = min(1.0, (_steps_of(gaps) / scatter) ** 2)
    count = max(1.0, len(gaps) * independent / (2 - independent))
    allowed = SIGNIFICANT * (1 + 4 / len(gaps)) * doubt
    return abs(center) > allowed * _OF_MEDIAN * scatter / math.sqrt(count)


def _draw_apart(gaps: Sequence[float], within: float) -> bool:
    """Tell whether gaps grow along a line that ends further from 0 than they scatter around it."""
    count = len(gaps)
    if count < _FEWEST_OF_LINE:
        return False
    half = count // 2
    # Each pair of points that lie half the window apart tells a slope; their median is what the line has.
    slope = median([(gaps[at + half] - gaps[at]) / half for at in range(count - half)])
    rest = [gap - slope * (at - (count - 1) / 2) for at, gap in enumerate(gaps)]
    end = median(rest) + slope * (count - 1) / 2
    middle = median(rest)
    around = [gap - middle for gap in rest]
    return abs(end) > within and slope * end > 0 and _is_off(around, end, _DOUBT_AT_END)


def _parted_late(ones: Sequence[float], others: Sequence[float], window: int, within: float) -> bool:
    """Tell whether the last differences are beyond all those before the last third, and beyond what scatters there."""
    gaps = [one - other for one, other in zip(ones, others, strict=True)]
    early, end = gaps[:-window], gaps[-_LATE:]
    if len(early) < _FEWEST_OF_TREND or min(end) * max(end) <= 0:
        return False
    least = min(map(abs, end))
    if least <= max(within, *map(abs, early)):
        return False
    middle = median(early)
    around = median([abs(gap - middle) for gap in early])
    scatter = max(_OF_MAD * around, _steps_of(early), _steps_of(gaps[-window:]))
    return abs(median(end)) > SIGNIFICANT * (1 + 4 / len(gaps)) * _DOUBT_LATE * scatter


def _end(last: float, values: Sequence[float]) -> MetricCourse:
    return MetricCourse(last, median(values[-_LATE:]), "")


def _steps_of(gaps: Sequence[float]) -> float:
    found = noise(gaps)
    return 0.0 if math.isnan(found) else found


def _onset(shared: Shared, window: int = 0) -> float:
    """Return the first step from which on the smoothed difference has the sign that it ends with.

    Args:
        shared: The steps, and both values at them.
        window: Of curves that parted late the steps of the last third: what counts is beyond all that came before.
    """
    gaps = [one - other for _, one, other in shared]
    reach = _SMOOTHED // 2
    smooth = [median(gaps[max(0, at - reach) : at + reach + 1]) for at in range(len(gaps))]
    sign = median(gaps[-(_LATE if window else max(FEWEST, len(gaps) // 3)) :])
    floor = max(map(abs, smooth[:-window])) if window else 0.0
    at = len(gaps) - 1
    while at and smooth[at - 1] * sign > floor * abs(sign):
        at -= 1
    return shared[at][0]


def _close(one: float, other: float, within: float) -> bool:
    near = max(within, _MILLIONTH * max(abs(one), abs(other)))
    return one == other or abs(one - other) <= near or (one != one and other != other)
