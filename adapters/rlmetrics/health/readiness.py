"""From how many points on a rule could find something: its condition, asked of the curve that would be worst for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from .bounded_curve import NOW, START

__all__ = ["Attainable", "Readiness", "lasts", "next_look"]

EVERY = 64
"""Rules that look at a history look at every point of the first 64, and then at ever fewer: about 64 in a doubling."""
LONG = 1024
SELDOM = 4
"""After so many points they look at every fourth of these, until a condition holds that has not been said yet."""
_STRETCHES = 128
"""Points that a curve keeps as they are: a longer one is kept in at least half as many stretches."""


def next_look(count: int, *, suspects: bool) -> int:
    """Return at how many points rules look next that have just looked at some."""
    if count <= LONG:
        return count + 1 + count // EVERY
    # Multiples of powers of two, so that all curves are looked at in the same rows.
    every = (1 << ((count // EVERY).bit_length() - 1)) * (1 if suspects else SELDOM)
    return (count // every + 1) * every


def lasts(since: Sequence[float], place: float, steps: int) -> bool:
    """Tell whether a condition has held for long enough.

    Args:
        since: Since which place it holds, and in how many looks.
        place: Where it is looked at.
        steps: For how many optimizer steps it must.
    """
    long_enough = place - since[0] >= steps - 1 and since[1] >= min(3, steps)
    return long_enough or since[1] >= steps


class _Any:
    """A number that may be any: every comparison with it can hold, unless the other side is not known."""

    __slots__ = ()

    def _compared(self, other: object) -> bool:
        return not (isinstance(other, float) and math.isnan(other))

    def _computed(self, other: object) -> object:
        return self if self._compared(other) else math.nan

    def __neg__(self) -> _Any:
        return self

    def __hash__(self) -> int:
        return 0

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _computed


class _Fewer(float):
    """A count of which some may be lacking: of the points of another curve than the one that is judged."""

    __slots__ = ()

    def __lt__(self, other: float) -> bool:
        return other > 0

    __le__ = __lt__


_ANY = _Any()


def _from(least: int, of: str = "count") -> Callable[..., Any]:
    """Return a word that is known from so many points, or stretches, on."""

    def word(self: Attainable, *_: object) -> object:
        return _ANY if getattr(self, of) >= least else math.nan

    return word


def _tail(least: int, usual: float) -> Callable[..., Any]:
    """Return a word that is known once the last share of a curve has so many stretches."""

    def word(self: Attainable, *given: Any) -> object:
        share = next((item for item in given if isinstance(item, int | float)), usual)
        return _ANY if self.kept - int(self.kept * (1 - share)) >= least else math.nan

    return word


def _test(word: Callable[..., Any]) -> Callable[..., bool]:
    """Return a word that is true or false, which can be true as soon as it is known."""

    def asked(self: Attainable, *given: Any) -> bool:
        return word(self, *given) is _ANY

    return asked


class Attainable:
    """What the words of conditions could say of a curve with so many points, were it the worst one.

    Attributes:
        count: Its points.
        kept: In how many stretches they are kept.
        last: Its last point.

    Args:
        count: Its points.
        spacing: The steps between them.
        first_step: The step of the first.
        own: Whether it is the curve that is judged.
    """

    __slots__ = ("_first_step", "_own", "_spacing", "count", "kept", "last")

    def __init__(self, count: int, spacing: float = 1.0, first_step: float = 0.0, *, own: bool = True) -> None:
        self.count = count
        self._own = own
        self.kept = count if count < _STRETCHES else _STRETCHES // 2
        self.last: object = _ANY if count else math.nan
        self._spacing, self._first_step = spacing, first_step

    def points(self) -> float:
        """See `Series`."""
        return float(self.count) if self._own else _Fewer(self.count)

    def repeats(self) -> float:
        """See `Series`."""
        return float(self.count)

    def elapsed(self) -> float:
        """See `Series`."""
        return max(0, self.count - 1) * self._spacing

    def logged(self) -> bool:
        """See `Series`."""
        return self.count > 0

    def constant(self) -> bool:
        """See `Series`."""
        return self.count > 1

    def first_at(self) -> float:
        """See `Series`."""
        return self._first_step if self.count else math.nan

    def from_start(self) -> bool:
        """See `Series`."""
        return self.count > 1 and self._first_step <= max(1.0, self._spacing)

    def by_chance(self) -> float:
        """See `Series`; of a curve that never had another value."""
        return float(self.count * 0.25**self.count) if self.count else math.nan

    def spikes(self, _: float) -> float:
        """See `Series`: no point of those that tell where it started is one, and between two of them it comes back."""
        return float((max(0, self.count - START) + 1) // 2)

    now = share_above = share_below = _from(3)
    start = _from(NOW)
    first = mean = _from(1)
    high = low = _from(3, "kept")
    rise = _from(NOW)
    noise = _from(2)
    at_share = _from(8, "kept")
    gain = _tail(3, 0.5)
    swing = _tail(8, 0.25)
    early_swing = _from(16, "kept")
    correlation = _tail(6, 0.5)
    moves_with = _tail(7, 0.5)
    sure_above = _test(_from(NOW))
    rising = falling = _test(_tail(10, 0.5))
    flat = not_rising = _test(_tail(12, 0.5))
    arrives = _test(lambda self, *_: _tail(12, 0.5)(self, 0.5))


class Readiness:
    """Whether a rule could have found something by now, by the points that its curves have.

    Args:
        steps: For how many optimizer steps a condition must hold.
    """

    __slots__ = ("_since", "_steps", "reached")

    def __init__(self, steps: int) -> None:
        self.reached = False
        self._steps = steps
        self._since: list[list[float]] = []

    def look(self, place: float, possible: Sequence[bool]) -> bool:
        """Take another look of the rule; tell whether one of its levels could have been said by now.

        Args:
            place: Where it looks.
            possible: Of each level, the worst first, whether its condition could hold.
        """
        if not self._since:
            self._since = [[] for _ in possible]
        for since, can in zip(self._since, possible, strict=True):
            if not can:
                since.clear()
                continue
            if not since:
                since[:] = [place, 0.0]
            since[1] += 1
            self.reached = self.reached or lasts(since, place, self._steps)
        return self.reached

    def state(self) -> list[list[float]]:
        """Return what changes, as plain values."""
        return [list(since) for since in self._since]

    def restore(self, state: Sequence[Sequence[float]]) -> None:
        """Take what ``state`` returned."""
        self._since = [list(since) for since in state]
