"""A curve in constant memory: its beginning, its last points, and the whole of it in ever longer stretches."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Sequence
from itertools import chain, islice, takewhile
from typing import Any, TypeVar

from .trends import median

__all__ = ["NOW", "START", "Course"]

_Made = TypeVar("_Made", bound="Course")

START = 10
"""Points whose median is where a run started."""
NOW = 5
"""Points at the end whose median is where it is."""
_RECENT = 32
_BUCKETS = 128
_FEWEST = 3
_SPIKE_RATIO, _SPIKE_SIGMA, _SPIKE_RARE = 5.0, 8.0, 8

_STATE = (
    *("count", "last", "first_step", "last_step", "interval", "same", "same_since", "zeros"),
    *("stride", "_sum", "_sum_step", "_held", "level"),
)


class Course:
    """A curve as far as it is kept.

    Attributes:
        key: Under which name it is logged.
        count: How many finite points came.
        last: The last of them.
        first_step: Its first step.
        last_step: Its last step.
        interval: The steps between its first two points; NaN of one.
        same: How many points at the end have the same value.
        same_since: The step of the first of them.
        zeros: How many points are exactly 0.
        budget: How many steps the run will have, if that is known.
        spiky: Whether anybody asks for its spikes.
        jumped: The value of the last spike; NaN of none.
    """

    __slots__ = (
        "_cache",
        "_cached_at",
        "_first",
        "_held",
        "_history",
        "_history_steps",
        "_recent",
        "_recent_steps",
        "_settled",
        "_spikes",
        "_started",
        "_sum",
        "_sum_step",
        "budget",
        "count",
        "first_step",
        "interval",
        "jumped",
        "key",
        "last",
        "last_step",
        "level",
        "same",
        "same_since",
        "spiky",
        "stride",
        "zeros",
    )

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.count = 0
        self.last = math.nan
        self.first_step = self.last_step = 0.0
        self.interval = math.nan
        self.same = self.zeros = 0
        self.same_since = 0.0
        self.level = self.jumped = math.nan
        self.budget: float | None = None
        self.stride = 1
        self.spiky = True
        self._sum = self._sum_step = 0.0
        self._held = 0
        self._first: list[float] = []
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._recent_steps: deque[float] = deque(maxlen=_RECENT)
        self._history: list[float] = []
        self._history_steps: list[float] = []
        self._spikes: deque[float] = deque(maxlen=16)
        self._settled: list[float] = []
        self._started = math.nan
        self._cache: dict[Any, Any] = {}
        self._cached_at = -1

    def extend(self, steps: list[float], values: list[float]) -> None:
        """Take finite values one after the other; as ``add`` for each of them, and faster."""
        done = max(0, min(len(values), START - self.count))
        for at in range(done):
            self.add(steps[at], values[at])
        level = self.level
        for at in range(done, len(values) if self.spiky else done):
            value = values[at]
            if (value if value > 0 else -value) > 3.0 * (level if level > 0 else -level) and self._is_rare(
                value, values[max(done, at - _RECENT) : at]
            ):
                self._take(steps, values, done, at)
                self._perhaps_spike(steps[at], value)
                done = at
            level += 0.1 * (value - level)
        self._take(steps, values, done, len(values))
        self.level = level

    def _take(self, steps: list[float], values: list[float], begin: int, end: int) -> None:
        """Take some values that are no start and no spikes."""
        if begin == end:
            return
        new = values[begin:end]
        last = new[-1]
        same = 1
        while same < len(new) and new[-1 - same] == last:
            same += 1
        self.zeros += new.count(0.0)
        if same == len(new) and last == self.last:
            self.same += same
        else:
            self.same, self.same_since = same, steps[end - same]
        self.last, self.last_step = last, steps[end - 1]
        self.count += len(new)
        self._recent.extend(new[-_RECENT:])
        self._recent_steps.extend(steps[max(begin, end - _RECENT) : end])
        while begin < end:
            stop = min(end, begin + self.stride - self._held)
            self._sum = sum(values[begin:stop], self._sum)
            self._sum_step = sum(steps[begin:stop], self._sum_step)
            self._held += stop - begin
            if self._held >= self.stride:
                self._close()
            begin = stop

    def add(self, step: float, value: float) -> None:
        """Take a finite value."""
        if self.count < START:
            if not self.count:
                self.first_step = step
                self.level = value
            self._first.append(value)
        elif abs(value) > 3.0 * abs(self.level) and self._is_rare(value):
            self._perhaps_spike(step, value)
        self.count += 1
        if self.count == 2:
            self.interval = step - self.first_step
        if value == self.last:
            self.same += 1
        else:
            self.same, self.same_since = 1, step
        self.zeros += value == 0
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
            self._settled.clear()

    def _is_rare(self, value: float, new: Sequence[float] = ()) -> bool:
        """Tell whether few of the last points are half as large as a value.

        A curve with two levels jumps between them all the time, noise around 0 is far from it in most points; a spike
        is rare. Most values of such curves are told after a few points.

        Args:
            value: The value.
            new: Points that follow those that were taken.
        """
        half, large, looked = abs(value) / 2, 0, len(new)
        most = min(_RECENT, len(self._recent) + looked) // _SPIKE_RARE
        for item in chain(reversed(new), islice(reversed(self._recent), _RECENT - looked)):
            if item > half or item < -half:
                large += 1
                if large > most:
                    return False
        return True

    def _perhaps_spike(self, step: float, value: float) -> None:
        recent = self._recent
        usual = median(recent)
        spread = 1.4826 * median([abs(item - usual) for item in recent])
        if (
            usual
            and abs(value) > _SPIKE_RATIO * abs(usual)
            and abs(value - usual) > _SPIKE_SIGMA * spread
            and self._came_back(abs(usual))
        ):
            self._spikes.append(step)
            self.jumped = value

    def _came_back(self, usual: float) -> bool:
        """Tell whether it has been near its usual level since its last spike: a ramp is one spike, and so is a step."""
        if not self._spikes:
            return True
        since = self._spikes[-1]
        places = zip(reversed(self._recent_steps), reversed(self._recent), strict=True)
        between = [value for step, value in takewhile(lambda place: place[0] > since, places)]
        return any(abs(value) < _SPIKE_RATIO / 2 * usual for value in between)

    def forget(self) -> None:
        """Drop what was found out and can be found out again."""
        if self._cache:
            self._cache.clear()

    def _cached(self, name: Any, make: Callable[..., Any], *given: Any) -> Any:
        if self._cached_at != self.count:
            self._cached_at = self.count
            self._cache.clear()
        elif name in self._cache:
            return self._cache[name]
        value = self._cache[name] = make(*given)
        return value

    def points_of(self) -> tuple[list[float], list[float]]:
        """Return the whole curve in at most 128 stretches: steps and means."""
        if self._held:
            return [*self._history_steps, self._sum_step / self._held], [*self._history, self._sum / self._held]
        return list(self._history_steps), list(self._history)

    def recent(self) -> tuple[list[float], list[float]]:
        """Return the last points."""
        return list(self._recent_steps), list(self._recent)

    def until(self, place: float) -> tuple[list[float], list[float]]:
        """Return the course up to a place: single points where they are kept, stretches before them."""
        recent = list(self._recent_steps)
        older = bisect_left(self._history_steps, recent[0]) if recent else 0
        steps, values = self._history_steps[:older] + recent, self._history[:older] + list(self._recent)
        end = bisect_right(steps, place)
        return steps[:end], values[:end]

    def _window(self, steps: float) -> tuple[list[float], list[float]]:
        """Return steps and values of the last optimizer steps, of three points at least, however rarely it is logged.

        Where single points are not kept for so long, stretches stand for them.
        """
        window: tuple[list[float], list[float]] = self._cached(("window", steps), self._find_window, steps)
        return window

    def _find_window(self, steps: float) -> tuple[list[float], list[float]]:
        begin = self.last_step - steps
        recent = list(self._recent_steps)
        if recent and (recent[0] <= begin or self.count <= _RECENT):
            at = min(bisect_right(recent, begin), max(0, len(recent) - _FEWEST))
            return recent[at:], list(self._recent)[at:]
        at = bisect_right(self._history_steps, begin)
        if len(self._history) - at < 3:
            return recent, list(self._recent)
        return self._history_steps[at:], self._history[at:]

    def _tail(self, share: float) -> tuple[list[float], list[float]]:
        at = int(len(self._history) * (1 - share))
        return self._history_steps[at:], self._history[at:]

    def _levels(self) -> list[float]:
        """Return medians of five stretches around every third; those that nothing can change any more are kept."""
        values, settled = self._history, self._settled
        if len(values) < 3:
            return []
        while 3 * len(settled) + 3 <= len(values):
            at = 3 * len(settled)
            settled.append(median(values[max(0, at - 2) : at + 3]))
        return settled + [median(values[max(0, at - 2) : at + 3]) for at in range(3 * len(settled), len(values), 3)]

    # State. -----------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """Return all of it as plain values."""
        state: dict[str, Any] = {name.strip("_"): getattr(self, name) for name in _STATE}
        state |= {
            "jumped": None if math.isnan(self.jumped) else self.jumped,
            "first": self._first,
            "recent": list(self._recent),
            "recent_steps": list(self._recent_steps),
        }
        state |= {"history": self._history, "history_steps": self._history_steps, "spikes": list(self._spikes)}
        return {name: list(value) if isinstance(value, list) else value for name, value in state.items()}

    @classmethod
    def restored(cls: type[_Made], key: str, state: dict[str, Any]) -> _Made:
        """Return a curve with what ``state`` returned."""
        series = cls(key)
        for name in _STATE:
            value = state[name.strip("_")]
            setattr(series, name, math.nan if value is None else value)
        jumped = state.get("jumped")  # which older states lack
        series.jumped = math.nan if jumped is None else jumped
        series._first = list(state["first"])
        series._history = list(state["history"])
        series._history_steps = list(state["history_steps"])
        series._recent.extend(state["recent"])
        series._recent_steps.extend(state["recent_steps"])
        series._spikes.extend(state["spikes"])
        return series
