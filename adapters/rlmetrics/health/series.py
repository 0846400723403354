"""One logged curve in constant memory: its beginning, its last points, and the whole of it in ever longer stretches."""

from __future__ import annotations

import math
from collections import deque
from itertools import pairwise
from typing import Any

from .trends import SIGNIFICANT, correlation, line, mann_kendall, median, noise, shift, thinned

__all__ = ["NOTHING", "Series"]

_START = 10
"""Points whose median is where a run started."""
_RECENT = 32
_BUCKETS = 128
_NOW = 5
_SPIKE_RATIO, _SPIKE_SIGMA = 5.0, 8.0

_STATE = ("count", "last", "first_step", "last_step", "same", "stride", "_sum", "_sum_step", "_held", "level")


class Series:
    """A curve. Numbers that are not known yet are NaN, so that comparisons with them are false.

    Attributes:
        key: Under which name it is logged.
        count: How many finite points came.
        last: The last of them.
        first_step: Its first step.
        last_step: Its last step.
        same: How many points at the end have the same value.
        budget: How many steps the run will have, if that is known.
    """

    __slots__ = (
        "_cache",
        "_first",
        "_held",
        "_history",
        "_history_steps",
        "_recent",
        "_recent_steps",
        "_spikes",
        "_sum",
        "_sum_step",
        "budget",
        "count",
        "first_step",
        "key",
        "last",
        "last_step",
        "level",
        "same",
        "stride",
    )

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.count = 0
        self.last = math.nan
        self.first_step = self.last_step = 0.0
        self.same = 0
        self.level = math.nan
        self.budget: float | None = None
        self.stride = 1
        self._sum = self._sum_step = 0.0
        self._held = 0
        self._first: list[float] = []
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._recent_steps: deque[float] = deque(maxlen=_RECENT)
        self._history: list[float] = []
        self._history_steps: list[float] = []
        self._spikes: deque[float] = deque(maxlen=16)
        self._cache: dict[Any, Any] = {}

    def add(self, step: float, value: float) -> None:
        """Take a finite value."""
        if self.count < _START:
            if not self.count:
                self.first_step = step
                self.level = value
            self._first.append(value)
        elif abs(value) > 3.0 * abs(self.level):
            self._perhaps_spike(step, value)
        self.count += 1
        self.same = self.same + 1 if value == self.last else 1
        self.last = value
        self.last_step = step
        self.level += 0.1 * (value - self.level)
        self._recent.append(value)
        self._recent_steps.append(step)
        self._sum += value
        self._sum_step += step
        self._held += 1
        if self._held >= self.stride:
            self._close()

    def _close(self) -> None:
        self._history.append(self._sum / self._held)
        self._history_steps.append(self._sum_step / self._held)
        self._sum = self._sum_step = 0.0
        self._held = 0
        if len(self._history) >= _BUCKETS:
            for name in (self._history, self._history_steps):
                name[:] = [(early + late) / 2 for early, late in zip(name[::2], name[1::2], strict=True)]
            self.stride *= 2

    def _perhaps_spike(self, step: float, value: float) -> None:
        usual = median(self._recent)
        spread = 1.4826 * median([abs(item - usual) for item in self._recent])
        if abs(value) > _SPIKE_RATIO * abs(usual) and abs(value - usual) > _SPIKE_SIGMA * spread and usual:
            self._spikes.append(step)

    def _cached(self, name: Any, make: Any) -> Any:
        if self._cache.get("count") != self.count:
            self._cache = {"count": self.count}
        if name not in self._cache:
            self._cache[name] = make()
        return self._cache[name]

    # The words of conditions. -----------------------------------------------------------------------------------------

    def points(self) -> float:
        """How many points there are."""
        return float(self.count)

    def elapsed(self) -> float:
        """Optimizer steps from the first point to the last."""
        return self.last_step - self.first_step if self.count else 0.0

    def logged(self) -> bool:
        """Whether there is any point."""
        return self.count > 0

    def start(self) -> float:
        """Where it started: the median of the first ten points, or of a third of few; NaN before the fifth."""
        if self.count < _NOW:
            return math.nan
        return median(self._first[: max(3, min(_START, self.count // 3))])

    def first(self) -> float:
        """The first point."""
        return self._first[0] if self._first else math.nan

    def now(self) -> float:
        """The median of the last five points; NaN before the third."""
        if self.count < 3:
            return math.nan
        return float(self._cached("now", lambda: median(list(self._recent)[-_NOW:])))

    def high(self) -> float:
        """The highest level so far: of medians of five stretches that follow each other."""
        return float(self._cached("high", lambda: max(self._levels(), default=math.nan)))

    def low(self) -> float:
        """The lowest level so far."""
        return float(self._cached("low", lambda: min(self._levels(), default=math.nan)))

    def rise(self) -> float:
        """How far it is above its start: ``now - start``."""
        return self.now() - self.start()

    def noise(self) -> float:
        """The spread of neighbouring points, robust against trends and outliers."""
        return float(self._cached("noise", lambda: noise(list(self._recent))))

    def mean(self, steps: float) -> float:
        """The mean of the points in the last ``steps`` optimizer steps."""
        values = self._window(steps)[1]
        return sum(values) / len(values) if values else math.nan

    def at_share(self, share: float) -> float:
        """The level after a share of the run so far: the median of five stretches around it."""
        if len(self._history) < 8:
            return math.nan
        middle = min(len(self._history) - 1, int(share * len(self._history)))
        return median(self._history[max(0, middle - 2) : middle + 3])

    def gain(self, share: float = 0.5) -> float:
        """The median of the last third minus that of the first third, of the last ``share`` of the run."""
        return float(self._cached(("gain", share), lambda: shift(self._tail(share)[1])))

    def rising(self, share: float = 0.5) -> bool:
        """A trend upwards in the last ``share``: Mann-Kendall with p < 0.001, and a gain above twice the noise."""
        return self._trend(share) > 0

    def falling(self, share: float = 0.5) -> bool:
        """A trend downwards, by the same test."""
        return self._trend(share) < 0

    def flat(self, share: float = 0.5) -> bool:
        """No gain or loss in the last ``share`` that matters: below the noise, or 3 % of all it ever moved."""
        return self._cached(("flat", share), lambda: self._is_flat(share, both=True)) is True

    def not_rising(self, share: float = 0.5) -> bool:
        """As ``flat``, or falling."""
        return self._cached(("not_rising", share), lambda: self._is_flat(share, both=False)) is True

    def repeats(self) -> float:
        """How many points in a row have exactly the same value."""
        return float(self.same)

    def constant(self) -> bool:
        """Whether it never had another value."""
        return self.count > 1 and self.same == self.count

    def spikes(self, steps: float) -> float:
        """How many points of the last ``steps`` were above five times the median before them and eight of its MADs."""
        return float(sum(1 for at in self._spikes if at > self.last_step - steps))

    def share_above(self, bound: float, steps: float) -> float:
        """Which share of the points of the last ``steps`` lies above a bound; NaN of fewer than three."""
        values = self._window(steps)[1]
        return sum(value > bound for value in values) / len(values) if len(values) >= 3 else math.nan

    def share_below(self, bound: float, steps: float) -> float:
        """Which share of the points of the last ``steps`` lies below a bound; NaN of fewer than three."""
        values = self._window(steps)[1]
        return sum(value < bound for value in values) / len(values) if len(values) >= 3 else math.nan

    def swing(self, share: float = 0.25) -> float:
        """The noise of the last ``share`` of the run, of stretches as long as those of its beginning."""
        values = self._tail(share)[1]
        return noise(values) if len(values) >= 8 else math.nan

    def early_swing(self, share: float = 0.25) -> float:
        """The noise of the first ``share`` of the run."""
        values = self._history[: max(8, int(len(self._history) * share))]
        return noise(values) if len(self._history) >= 16 else math.nan

    def arrives(self, bound: float) -> bool:
        """Whether a line, or an exponential, through the last half reaches a bound within what is left of the run.

        Where the length of the run is not known, as far again as a quarter of what has been run.
        """
        steps, values = self._tail(0.5)
        if len(values) < 12:
            return False
        left = 0.25 * self.elapsed() if self.budget is None else self.budget - self.last_step
        level, slope = line(steps, values)
        found = level + slope * left
        reached = found <= bound if level > bound else found >= bound
        if min(values) > 0 and bound > 0:
            log_level, log_slope = line(steps, [math.log(value) for value in values])
            found = log_level + log_slope * left
            limit = math.log(bound)
            curved = found <= limit if log_level > limit else found >= limit
            # Of the two the one that says less: a projection may not cry wolf.
            reached = reached and curved if slope > 0 else reached or curved
        return reached

    def correlation(self, other: Series, share: float = 0.5) -> float:
        """Pearson's correlation with another curve over the last ``share`` of the run, on stretches of it."""
        return float(self._cached(("correlation", id(other), share), lambda: self._correlation(other, share)))

    def moves_with(self, other: Series, share: float = 0.5) -> float:
        """Pearson's correlation of the changes from point to point with those of another curve; trends do not count."""
        name = ("moves_with", id(other), share)
        return float(self._cached(name, lambda: self._correlation(other, share, changes=True)))

    # ------------------------------------------------------------------------------------------------------------------

    def _levels(self) -> list[float]:
        values = self._history
        if len(values) < 3:
            return []
        return [median(values[max(0, at - 2) : at + 3]) for at in range(0, len(values), 3)]

    def _window(self, steps: float) -> tuple[list[float], list[float]]:
        """Return steps and values of the last optimizer steps; of the last points if these don't reach back so far."""
        begin = self.last_step - steps
        recent = list(self._recent_steps)
        if recent and (recent[0] <= begin or self.count <= _RECENT):
            at = next((index for index, step in enumerate(recent) if step > begin), len(recent))
            return recent[at:], list(self._recent)[at:]
        at = next((index for index, step in enumerate(self._history_steps) if step > begin), len(self._history))
        if len(self._history) - at < 3:
            return recent, list(self._recent)
        return self._history_steps[at:], self._history[at:]

    def _tail(self, share: float) -> tuple[list[float], list[float]]:
        at = int(len(self._history) * (1 - share))
        return self._history_steps[at:], self._history[at:]

    def points_of(self) -> tuple[list[float], list[float]]:
        """Return the whole curve in at most 128 stretches: steps and means."""
        if self._held:
            return [*self._history_steps, self._sum_step / self._held], [*self._history, self._sum / self._held]
        return list(self._history_steps), list(self._history)

    def recent(self) -> tuple[list[float], list[float]]:
        """Return the last points."""
        return list(self._recent_steps), list(self._recent)

    def _trend(self, share: float) -> int:
        return int(self._cached(("trend", share), lambda: self._find_trend(share)))

    def _find_trend(self, share: float) -> int:
        values = self._tail(share)[1]
        if len(values) < 10:
            return 0
        moved = shift(values)
        if not abs(moved) > 2 * noise(values):
            return 0
        score = mann_kendall(thinned(values))
        return (score > SIGNIFICANT) - (score < -SIGNIFICANT)

    def _is_flat(self, share: float, *, both: bool) -> bool:
        values = self._tail(share)[1]
        if len(values) < 12:
            return False
        moved = shift(values)
        whole = self.high() - self.low()
        least = max(noise(values) / math.sqrt(len(values) / 3) * 2, 0.03 * whole)
        return (abs(moved) if both else moved) <= least

    def _correlation(self, other: Series, share: float, *, changes: bool = False) -> float:
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

    # State. -----------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        found: dict[str, Any] = {name.strip("_"): getattr(self, name) for name in _STATE}
        found |= {"first": self._first, "recent": list(self._recent), "recent_steps": list(self._recent_steps)}
        found |= {"history": self._history, "history_steps": self._history_steps, "spikes": list(self._spikes)}
        return {name: list(value) if isinstance(value, list) else value for name, value in found.items()}

    @classmethod
    def restored(cls, key: str, state: dict[str, Any]) -> Series:
        """Return a curve with what ``state`` returned."""
        series = cls(key)
        for name in _STATE:
            value = state[name.strip("_")]
            setattr(series, name, math.nan if value is None else value)
        series._first = list(state["first"])
        series._history = list(state["history"])
        series._history_steps = list(state["history_steps"])
        series._recent.extend(state["recent"])
        series._recent_steps.extend(state["recent_steps"])
        series._spikes.extend(state["spikes"])
        return series


NOTHING = Series()
"""A curve that is not logged."""
