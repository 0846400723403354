"""Made-up courses of a healthy and of a sick run, by what a rule looks for. Nothing in them is chance or data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .healthy_band import Healthy

__all__ = ["POINTS", "STEP", "Courses", "courses_of"]

POINTS = 44
STEP = 2
"""So many training steps lie between two points."""

_SETTLES = 0.62
"""From this share of the run on the sick course is beyond its bound, where the last value alone is asked."""
_SOON = 0.16
"""The same where most of a stretch is asked."""
_NOISE = 0.04


@dataclass(frozen=True)
class Courses:
    """Both runs, in numbers of the metric, or of its start.

    Attributes:
        axis: The lowest and the highest number drawn.
        healthy: The values of the healthy run.
        sick: Those of the sick run; it may end early.
        other: Those of another curve that has a say; empty if none has.
    """

    axis: tuple[float, float]
    healthy: tuple[float, ...]
    sick: tuple[float, ...]
    other: tuple[float, ...] = ()


def courses_of(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    """Return the courses for what is healthy for a metric.

    Args:
        healthy: What is healthy.
        bounds: The lowest and the highest value that the metric can have; None where there is no limit.
    """
    if healthy.low is not None or healthy.high is not None:
        return _relative(healthy) if healthy.relative else _band(healthy, bounds)
    return _MADE[_kind(healthy)](healthy, bounds)


def _kind(healthy: Healthy) -> str:
    kind = healthy.first.sign.kind
    return "beside" if kind.startswith(("above", "below")) else kind


def _band(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    low, high = healthy.low, healthy.high
    floor, top = bounds
    if low is None and high is not None:
        size = abs(high) or 1.0
        axis = (0.0 if floor == 0 else high - 1.25 * size, high + 0.6 * size)
        well = high - 0.7 * size
    elif high is None and low is not None:
        size = abs(low) or 1.0
        below = low - 0.8 * size
        above = low + (1.2 * size if top is None or low <= 0 else top - low)
        if top is not None and low > 0 and low >= 0.8 * top:
            below = low - 2.5 * (top - low)
        axis = (below, above)
        well = low + 0.6 * (axis[1] - low)
    else:
        assert low is not None
        assert high is not None
        size = high - low
        well = 1.0 if low < 1 < high <= 5 else low + 0.35 * size if low >= 0 else low + 0.55 * size
        axis = (0.0 if floor == 0 and low < 0.2 * size else low - 0.5 * size, high + 0.5 * size)
    axis = (
        axis[0] if floor is None or floor < axis[0] or healthy.first.sign.level == "error" else floor,
        axis[1] if top is None or top > axis[1] else top,
    )
    upwards = healthy.first.sign.kind == "above"
    bound = high if upwards else low
    assert bound is not None
    end = bound + 0.72 * ((axis[1] if upwards else axis[0]) - bound)
    size = axis[1] - axis[0]
    well = min(max(well, axis[0] + 0.06 * size), axis[1] - 0.06 * size)
    settles = _SOON if healthy.first.sign.lasting else _SETTLES
    start = well if not healthy.first.sign.at_start else end
    sick = _leaving(start, bound, end, settles, _noise(size))
    room = min(abs(well - edge) for edge in (low, high) if edge is not None)
    return Courses(axis, _steady(well, min(0.5 * room, 1.4 * _noise(size))), sick)


def _relative(healthy: Healthy) -> Courses:
    low, high = healthy.low, healthy.high
    upwards = healthy.first.sign.kind == "above_start"
    factor = high if upwards else low
    assert factor is not None
    if not upwards and factor > 1:
        axis = (-1.35 * factor, 0.0)
        return Courses(axis, _steady(-1.0, 0.03), _leaving(-1.0, -factor, -1.22 * factor, _SETTLES, 0.02))
    top = max(1.6, 1.5 * (high or 1.0))
    end = factor + 0.85 * (top - factor) if upwards else 0.4 * factor
    return Courses((0.0, top), _steady(1.0, 0.03), _leaving(1.0, factor, end, _SETTLES, 0.02))


def _leaving(start: float, bound: float, end: float, settles: float, noise: float) -> tuple[float, ...]:
    """Return a course that stays for a while and then crosses a bound, to end beyond it."""
    found = []
    for place in range(POINTS):
        share = place / (POINTS - 1)
        if share <= settles:
            value = start + (bound - start) * (share / settles) ** 2.2
        else:
            value = bound + (end - bound) * ((share - settles) / (1 - settles)) ** 0.7
        nearness = 0.5 * abs(value - bound) if share > settles else noise
        found.append(value + min(noise, nearness) * _jitter(place, 5))
    return tuple(found)


def _steady(level: float, noise: float) -> tuple[float, ...]:
    return tuple(level + noise * _jitter(place, 1) for place in range(POINTS))


def _jitter(place: int, seed: int) -> float:
    """Return a number between -1 and 1 that looks like chance and is none."""
    return 2 * (43758.5453 * math.sin(12.9898 * place + 78.233 * seed) % 1) - 1


def _noise(size: float) -> float:
    return _NOISE * size


def _eased(start: float, end: float, noise: float, seed: int = 1) -> tuple[float, ...]:
    """Return a course that moves to its end and stays there."""
    shares = [place / (POINTS - 1) for place in range(POINTS)]
    return tuple(
        start + (end - start) * (1 - (1 - share) ** 2.2) + noise * _jitter(place, seed)
        for place, share in enumerate(shares)
    )


def _signed(bounds: tuple[float | None, float | None]) -> bool:
    return bounds[0] is None or bounds[0] < 0


_Maker = Callable[[Healthy, tuple[float | None, float | None]], Courses]


def _falls(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    rises = _eased(0.2, 0.62, _NOISE, 5)
    turn = round(0.34 * POINTS)
    down = [rises[turn] - 0.46 * (place - turn) / (POINTS - turn) for place in range(turn, POINTS)]
    sick = (*rises[:turn], *(value + 0.5 * _NOISE * _jitter(turn + place, 5) for place, value in enumerate(down)))
    return Courses((0.0, 1.0), _eased(0.2, 0.85, _NOISE), sick)


def _rises(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    sick = tuple(0.15 + 0.7 * (place / (POINTS - 1)) + 0.5 * _NOISE * _jitter(place, 5) for place in range(POINTS))
    return Courses((0.0, 1.0), _steady(0.15, _NOISE), sick)


def _level(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    return Courses((0.0, 1.0), _eased(0.2, 0.85, _NOISE), _steady(0.22, _NOISE))


def _sticks(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    value = healthy.first.sign.bound
    turn = round(0.4 * POINTS)
    if _signed(bounds) and value == 0:
        before = [0.35 * _jitter(place, 5) for place in range(turn)]
        sick = (*before, *[0.0] * (POINTS - turn))
        return Courses((-1.0, 1.0), tuple(0.4 * _jitter(place, 1) or 0.1 for place in range(POINTS)), sick)
    fall = [value + 0.62 * (1 - (place / turn) ** 2) + _NOISE * _jitter(place, 5) for place in range(turn)]
    return Courses((value, value + 1.0), _steady(value + 0.7, _NOISE), (*fall, *[value] * (POINTS - turn)))


def _meets(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    other = _steady(0.25, _NOISE)
    turn = round(0.5 * POINTS)
    fall = [0.25 + 0.5 * (1 - (place / turn) ** 2) + _NOISE * _jitter(place, 5) for place in range(turn)]
    return Courses((0.0, 1.0), _steady(0.82, _NOISE), (*fall, *other[turn:]), other)


def _constant(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    return Courses((0.0, 1.0), _eased(0.35, 0.8, 1.5 * _NOISE), (0.25,) * POINTS)


def _swings(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    growing = tuple(0.4 + (0.02 + 0.3 * (place / POINTS) ** 1.5) * _jitter(place, 5) for place in range(POINTS))
    return Courses((0.0, 1.0), _eased(0.3, 0.85, 0.5 * _NOISE), growing)


def _spikes(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    low = list(_steady(0.1, 0.25 * _NOISE))
    for place, height in ((16, 0.72), (24, 0.9), (30, 0.8), (37, 0.93)):
        low[place] = height
    return Courses((0.0, 1.0), _steady(0.24, 0.5 * _NOISE), tuple(low))


def _non_finite(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    last = round(0.62 * POINTS)
    sick = tuple(0.3 + 0.45 * (place / last) ** 5 + _NOISE * _jitter(place, 5) for place in range(last))
    return Courses((0.0, 1.0), tuple(value for value in _eased(0.5, 0.3, _NOISE)), sick)


def _beside(healthy: Healthy, bounds: tuple[float | None, float | None]) -> Courses:
    falling = healthy.first.sign.kind.startswith("below")
    sick = _eased(0.8, 0.25, 0.5 * _NOISE, 5) if falling else _eased(0.2, 0.9, 0.5 * _NOISE, 5)
    return Courses((0.0, 1.0), _eased(0.2, 0.62, _NOISE), sick, _steady(0.12, 0.5 * _NOISE))


_MADE: Mapping[str, _Maker] = {
    "falls": _falls,
    "rises": _rises,
    "level": _level,
    "sticks": _sticks,
    "meets": _meets,
    "constant": _constant,
    "swings": _swings,
    "spikes": _spikes,
    "non_finite": _non_finite,
    "beside": _beside,
}
