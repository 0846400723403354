"""The words of conditions: what can be asked of a curve."""

from __future__ import annotations

import math
from itertools import pairwise

from .bounded_curve import NOW, START, Course
from .trends import (
    SIGNIFICANT,
    arrival,
    correlation,
    jump,
    last_near_peak,
    line,
    mann_kendall,
    median,
    noise,
    roughness,
    shift,
    smoothed,
    thinned,
)

__all__ = ["NOTHING", "Series"]


class Series(Course):
    """A curve that answers. Numbers that are not known yet are NaN, so that comparisons with them are false."""

    __slots__ = ()

    def points(self) -> float:
        """Return how many points there are."""
        return float(self.count)

    def elapsed(self) -> float:
        """Return the optimizer steps from the first point to the last."""
        return self.last_step - self.first_step if self.count else 0.0

    def logged(self) -> bool:
        """Tell whether there is any point."""
        return self.count > 0

    def start(self) -> float:
        """Return where it started: the median of the first ten points, or of a third of few; NaN before the fifth."""
        if self.count < NOW:
            return math.nan
        if self.count >= 3 * START:
            if math.isnan(self._started):
                self._started = median(self._first)
            return self._started
        return median(self._first[: max(3, self.count // 3)])

    def first(self) -> float:
        """Return the first point."""
        return self._first[0] if self._first else math.nan

    def now(self) -> float:
        """Return the median of the last five points; NaN before the third."""
        if self.count < 3:
            return math.nan
        return float(self._cached("now", self._find_now))

    def high(self) -> float:
        """Return the highest level so far: of medians of five stretches that follow each other."""
        return float(self._cached("high", self._find_high))

    def low(self) -> float:
        """Return the lowest level so far."""
        return float(self._cached("low", self._find_low))

    def rise(self) -> float:
        """Return how far it is above its start: ``now - start``."""
        return self.now() - self.start()

    def noise(self) -> float:
        """Return the spread of neighbouring points, robust against trends and outliers."""
        return float(self._cached("noise", noise, self._recent))

    def mean(self, steps: float) -> float:
        """Return the mean of the points in the last ``steps`` optimizer steps."""
        values = self._window(steps)[1]
        return sum(values) / len(values) if values else math.nan

    def at_share(self, share: float) -> float:
        """Return the level after a share of the run so far: the median of five stretches around it."""
        if len(self._history) < 8:
            return math.nan
        middle = min(len(self._history) - 1, int(share * len(self._history)))
        return median(self._history[max(0, middle - 2) : middle + 3])

    def gain(self, share: float = 0.5) -> float:
        """Return the median of the last third minus that of the first third, of the last ``share`` of the run."""
        return float(self._cached(("gain", share), self._find_gain, share))

    def rising(self, share: float = 0.5) -> bool:
        """Tell whether the last ``share`` rises: Mann-Kendall with p < 0.001, and a gain above twice the noise."""
        return self._trend(share) > 0

    def falling(self, share: float = 0.5) -> bool:
        """Tell whether the last ``share`` falls, by the same test."""
        return self._trend(share) < 0

    def flat(self, share: float = 0.5) -> bool:
        """Tell whether the last ``share`` moves less than matters: below the noise, or 3 % of all it ever moved."""
        return self._cached(("flat", share), self._is_flat, share, True) is True

    def not_rising(self, share: float = 0.5) -> bool:
        """As ``flat``, or falling."""
        return self._cached(("not_rising", share), self._is_flat, share, False) is True

    def repeats(self) -> float:
        """Return how many points in a row have exactly the same value."""
        return float(self.same)

    def by_chance(self) -> float:
        """Return about how often as many points in a row come by chance as have the last value, be it a share or 0.

        A step with one group of responses has a share of uniform groups of 0 or 1, and a gradient or none. How often
        the value came before the row tells how likely a row of it is.
        """
        before = self.count - self.same
        if self.last == 0:
            came = float(self.zeros - self.same)
        else:
            came = (sum(self._history) * self.stride + self._sum) / self.last - self.same
        likely = (max(came, 0.0) + 0.5) / (before + 2)
        return self.count * min(likely, 1.0) ** self.same

    def sure_above(self, bound: float, steps: float) -> bool:
        """Tell whether the mean of the last ``steps`` lies above a bound by three standard errors; of five points."""
        values = self._window(steps)[1]
        if len(values) < NOW:
            return False
        mean = sum(values) / len(values)
        spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
        return mean - 3 * spread > bound

    def first_at(self) -> float:
        """Return the step of the first point."""
        return self.first_step if self.count else math.nan

    def from_start(self) -> bool:
        """Tell whether its first point is of the run's first steps: not further on than the next one is from it."""
        return self.count > 1 and self.first_step <= max(1.0, self.interval)

    def left_at(self, place: float, heading: int = 0) -> float:
        """Return where the curve left the level that it had before it came to what it is at a place.

        From there back: what lies at the new level already, then the way there, until it moves no more than its noise
        or a twentieth of all that it moved. Its first place if it never left it. A curve that has been on its way since
        its first points had no level to leave: it left its way where it jumped, if it did.

        Args:
            place: The place.
            heading: Whether it fell (1) or rose (-1) to there; 0 where that is to be seen from where it was mostly.
        """
        steps, values = self.until(place)
        last = len(values) - 1
        if last < 3:
            return place
        levels = smoothed(values)
        at, within = arrival(levels, roughness(values))
        if not at:
            return steps[0]
        window = max(2, last // 8)
        sign = heading or (1 if median(levels[: at or 1]) > levels[at] else -1)
        begin = at
        while begin and sign * (levels[max(0, begin - window)] - levels[begin]) > within:
            begin = max(0, begin - window)
        if begin == at and heading:
            # A slow way: since it was last as high, or as low, as it ever was.
            return steps[last_near_peak([heading * level for level in levels[: at + 1]], within)]
        jumped = jump(values[: at + 2], sign) if begin < window else 0
        if jumped:
            return steps[jumped]
        return next((steps[i] for i in range(begin, at + 1) if abs(levels[i] - levels[begin]) > within), place)

    def lowest_at(self, place: float) -> float:
        """Return where it was lowest up to a place; of several such points the last."""
        steps, values = self.until(place)
        return min(zip(values, steps, strict=True), key=lambda point: (point[0], -point[1]))[1] if values else place

    def came_to(self, place: float) -> float:
        """Return since where the curve has been at the level that it has at a place."""
        steps, values = self.until(place)
        return steps[arrival(smoothed(values), roughness(values))[0]] if len(values) > 3 else place

    def constant(self) -> bool:
        """Tell whether it never had another value."""
        return self.count > 1 and self.same == self.count

    def spikes(self, steps: float) -> float:
        """Count how often in the last ``steps`` it jumped above five times the median before and eight of its MADs.

        A jump counts again once the curve has come back to half as far: a ramp is one, and so is a new level.
        """
        return float(sum(1 for at in self._spikes if at > self.last_step - steps))

    def spiked_at(self) -> float:
        """Return the place of the first spike that is kept; NaN of none."""
        return self._spikes[0] if self._spikes else math.nan

    def last_spike(self) -> float:
        """Return the place of the last spike; NaN of none."""
        return self._spikes[-1] if self._spikes else math.nan

    def share_above(self, bound: float, steps: float) -> float:
        """Return which share of the points of the last ``steps`` lies above a bound; NaN of fewer than three."""
        values = self._window(steps)[1]
        return len([value for value in values if value > bound]) / len(values) if len(values) >= 3 else math.nan

    def share_below(self, bound: float, steps: float) -> float:
        """Return which share of the points of the last ``steps`` lies below a bound; NaN of fewer than three."""
        values = self._window(steps)[1]
        return len([value for value in values if value < bound]) / len(values) if len(values) >= 3 else math.nan

    def swing(self, share: float = 0.25) -> float:
        """Return how the last ``share`` of the run scatters about its course, in stretches as long as at its start."""
        values = self._tail(share)[1]
        return roughness(values) if len(values) >= 8 else math.nan

    def early_swing(self, share: float = 0.25) -> float:
        """Return how the first ``share`` of the run scatters about its course."""
        values = self._history[: max(8, int(len(self._history) * share))]
        return roughness(values) if len(self._history) >= 16 else math.nan

    def arrives(self, bound: float) -> bool:
        """Tell whether a line, or an exponential, through the last half reaches a bound within what is left of the run.

        Where the length of the run is not known, as far again as a quarter of what has been run.
        """
        steps, values = self._tail(0.5)
        if len(values) < 12:
            return False
        left = 0.25 * self.elapsed() if self.budget is None else self.budget - self.last_step
        level, slope = line(steps, values)
        expected = level + slope * left
        reached = expected <= bound if level > bound else expected >= bound
        if min(values) > 0 and bound > 0:
            log_level, log_slope = line(steps, [math.log(value) for value in values])
            expected = log_level + log_slope * left
            limit = math.log(bound)
            curved = expected <= limit if log_level > limit else expected >= limit
            # Of the two the one that says less: a projection may not cry wolf.
            reached = reached and curved if slope > 0 else reached or curved
        return reached

    def correlation(self, other: Series, share: float = 0.5) -> float:
        """Return Pearson's correlation with another curve over the last ``share`` of the run, on stretches of it."""
        name = ("correlation", id(other), other.count, share)
        return float(self._cached(name, self._correlation, other, share))

    def moves_with(self, other: Series, share: float = 0.5) -> float:
        """Return Pearson's correlation of the changes of both curves from point to point, whatever the trends."""
        name = ("moves_with", id(other), other.count, share)
        return float(self._cached(name, self._correlation, other, share, True))

    # ------------------------------------------------------------------------------------------------------------------

    def _find_now(self) -> float:
        return median([self._recent[at] for at in range(-min(NOW, len(self._recent)), 0)])

    def _find_high(self) -> float:
        return max(self._cached("levels", self._levels), default=math.nan)

    def _find_low(self) -> float:
        return min(self._cached("levels", self._levels), default=math.nan)

    def _find_gain(self, share: float) -> float:
        return shift(self._tail(share)[1])

    def _trend(self, share: float) -> int:
        return int(self._cached(("trend", share), self._find_trend, share))

    def _find_trend(self, share: float) -> int:
        values = self._tail(share)[1]
        if len(values) < 10:
            return 0
        moved = shift(values)
        if not abs(moved) > 2 * noise(values):
            return 0
        score = mann_kendall(thinned(values))
        return (score > SIGNIFICANT) - (score < -SIGNIFICANT)

    def _is_flat(self, share: float, both: bool) -> bool:
        values = self._tail(share)[1]
        if len(values) < 12:
            return False
        moved = shift(values)
        whole = self.high() - self.low()
        least = max(noise(values) / math.sqrt(len(values) / 3) * 2, 0.03 * whole)
        return (abs(moved) if both else moved) <= least

    def _correlation(self, other: Series, share: float, changes: bool = False) -> float:
        steps, values = self._tail(share)
        other_steps, other_values = other._history_steps, other._history
        if not other_steps:
            return math.nan
        pairs, at = [], 0
        for step, value in zip(steps, values, strict=True):
            while at + 1 < len(other_steps) and abs(other_steps[at + 1] - step) <= abs(other_steps[at] - step):
                at += 1
            pairs.append((value, other_values[at]))
        first, second = [one for one, _ in pairs], [two for _, two in pairs]
        if changes:
            first = [after - before for before, after in pairwise(first)]
            second = [after - before for before, after in pairwise(second)]
        return correlation(first, second)


NOTHING = Series()
"""A curve that is not logged."""
