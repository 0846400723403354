"""Whether two curves are the same within their own noise, which is higher, and where each of them goes.

Levels are medians of the last third of the steps that both curves have. They are apart where the median of the
differences lies further from 0 than its own standard error allows: 3.29 of these, which p = 0.001 is for a normal
distribution, and more where there are few points. The error follows from how far the differences scatter; where
neighbours resemble each other, as curves of training do, fewer points count than there are. Two rules stand above
this: what is equal to a millionth is equal, and exactly 0 is never the same as anything else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

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
    "MetricCourse",
    "Standing",
    "standing",
]

EQUAL, SAME, APART, NOT_COMPARED = "equal", "same", "apart", "not_compared"
RISES, FALLS, FLAT = "rises", "falls", "flat"
FEWEST = 3
"""Steps in common without which nothing is said."""
_FEWEST_OF_TREND = 8
_LEAST_WINDOW = 8
_SMOOTHED = 5
_OF_MEDIAN = 1.2533
"""The standard error of a median in those of a mean."""
_OF_MAD = 1.4826

Shared = Sequence[tuple[float, float, float]]
"""A step that two curves have, and both values."""


class MetricCourse(NamedTuple):
    """One curve over the steps in common: its last value, its level at the end, and ``rises``, ``falls`` or ``flat``.

    The trend is empty where there are too few points to tell.
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
    """

    outcome: str
    step: float | None
    courses: tuple[MetricCourse, MetricCourse] | None
    since: float | None


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
    # Runs that begin with equal numbers, as those of one seed do, part where these first differ.
    together = first if all(_close(one, other, within) for _, one, other in shared[:FEWEST]) else None
    if not _are_apart(ones[-window:], others[-window:], within):
        return Standing(SAME, shared[-1][0], courses, together)
    return Standing(APART, shared[-1][0], courses, _onset(finite) if together is None else together)


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
        return True
    center = median(gaps)
    if _close(median(ones), median(others), within) and _close(center, 0.0, within):
        return False
    scatter = max(_OF_MAD * median([abs(gap - center) for gap in gaps]), _steps_of(gaps))
    if scatter == 0:
        return center != 0
    independent = min(1.0, (_steps_of(gaps) / scatter) ** 2)
    count = max(1.0, len(gaps) * independent / (2 - independent))
    allowed = SIGNIFICANT * (1 + 4 / len(gaps))
    return abs(center) > allowed * _OF_MEDIAN * scatter / math.sqrt(count)


def _steps_of(gaps: Sequence[float]) -> float:
    found = noise(gaps)
    return 0.0 if math.isnan(found) else found


def _onset(shared: Shared) -> float:
    """Return the first step from which on the smoothed difference has the sign that it ends with."""
    gaps = [one - other for _, one, other in shared]
    reach = _SMOOTHED // 2
    smooth = [median(gaps[max(0, at - reach) : at + reach + 1]) for at in range(len(gaps))]
    sign = median(gaps[-max(FEWEST, len(gaps) // 3) :])
    at = len(gaps) - 1
    while at and smooth[at - 1] * sign > 0:
        at -= 1
    return shared[at][0]


def _close(one: float, other: float, within: float) -> bool:
    near = max(within, 1e-6 * max(abs(one), abs(other)))
    return one == other or abs(one - other) <= near or (one != one and other != other)
