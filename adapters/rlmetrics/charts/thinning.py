"""Long curves in few points: of each stretch the lowest and the highest value, so that no spike is lost."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence

__all__ = ["Extremes", "smoothed_curve", "thinned_curve"]


class Extremes:
    """Takes a curve of any length and keeps the lowest and highest point of each of a bounded number of stretches.

    Args:
        most: How many stretches there are at most; each holds as many points as the others.

    Attributes:
        count: How many points were taken.
    """

    def __init__(self, most: int = 512) -> None:
        self.count = 0
        self._most = most
        self._size = 1
        self._held = 0
        self._low_steps, self._lows = array("d"), array("d")
        self._high_steps, self._highs = array("d"), array("d")

    def add(self, step: float, value: float) -> None:
        """Take a point."""
        self.count += 1
        lows, highs = self._lows, self._highs
        if self._held == 0:
            if len(lows) >= 2 * self._most:
                self._halve()
            self._low_steps.append(step)
            self._high_steps.append(step)
            lows.append(value)
            highs.append(value)
        else:
            # NaN is neither lower nor higher than anything: it stays only where a stretch holds nothing else.
            if value < lows[-1] or lows[-1] != lows[-1]:
                self._low_steps[-1], lows[-1] = step, value
            if value > highs[-1] or highs[-1] != highs[-1]:
                self._high_steps[-1], highs[-1] = step, value
        self._held = (self._held + 1) % self._size

    def points(self) -> tuple[list[float], list[float]]:
        """Return the steps and values that were kept, in the order of steps."""
        steps: list[float] = []
        values: list[float] = []
        for low_step, low, high_step, high in zip(
            self._low_steps, self._lows, self._high_steps, self._highs, strict=True
        ):
            pair = ((low_step, low), (high_step, high))
            for step, value in sorted(pair) if low_step != high_step else pair[:1]:
                steps.append(step)
                values.append(value)
        return steps, values

    def _halve(self) -> None:
        """Join each two neighbouring stretches."""
        for steps, values, sign in (
            (self._low_steps, self._lows, -1.0),
            (self._high_steps, self._highs, 1.0),
        ):
            for at in range(0, len(values) - 1, 2):
                one, other = values[at], values[at + 1]
                chosen = at + 1 if one != one or sign * other > sign * one else at
                steps[at // 2], values[at // 2] = steps[chosen], values[chosen]
            del steps[len(values) // 2 :]
            del values[len(values) // 2 :]
        self._size *= 2


def thinned_curve(
    steps: Sequence[float], values: Sequence[float], most: int
) -> tuple[Sequence[float], Sequence[float]]:
    """Return a curve of at most about ``most`` points: first, last, and the extremes of equal stretches between."""
    if len(steps) <= most:
        return steps, values
    stretches = max(1, (most - 2) // 2)
    kept = [0]
    for number in range(stretches):
        begin, end = 1 + number * (len(steps) - 2) // stretches, 1 + (number + 1) * (len(steps) - 2) // stretches
        finite = [at for at in range(begin, end) if math.isfinite(values[at])]
        if finite:
            kept += sorted({min(finite, key=values.__getitem__), max(finite, key=values.__getitem__)})
        elif begin < end:
            kept.append(begin)
    kept.append(len(steps) - 1)
    return [steps[at] for at in kept], [values[at] for at in kept]


def smoothed_curve(steps: Sequence[float], values: Sequence[float], stretches: int) -> tuple[list[float], list[float]]:
    """Return the median of each of so many stretches, in its middle; one without a number has none."""
    middles: list[float] = []
    medians: list[float] = []
    for number in range(stretches):
        begin, end = number * len(steps) // stretches, (number + 1) * len(steps) // stretches
        finite = sorted(value for value in values[begin:end] if math.isfinite(value))
        if begin < end:
            middles.append(steps[(begin + end) // 2])
            medians.append(finite[len(finite) // 2] if finite else math.nan)
    return middles, medians
