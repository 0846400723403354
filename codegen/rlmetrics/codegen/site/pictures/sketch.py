"""Sketch of a healthy and of a sick run, with the band that the rules leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from ..texts import later
from .courses import POINTS, Courses, courses_of
from .drawing import FONT, Plot, Say, as_given, label, line, number, path, rect, svg
from .healthy_band import Healthy, healthy_of

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["Sketch", "sketch_of"]

_WIDTH, _HEIGHT = 320, 176
_LETTER = 0.62 * FONT
_SICK = {
    "falls": later("sick: falls"),
    "rises": later("sick: rises and rises"),
    "level": later("sick: stands still"),
    "meets": later("sick: equal to the other"),
    "constant": later("sick: never moves"),
    "swings": later("sick: swings ever more"),
    "spikes": later("sick: jumps"),
    "non_finite": later("sick: NaN"),
    "beside": later("sick: rises alone"),
}


@dataclass(frozen=True)
class Sketch:
    """A sketch.

    Attributes:
        healthy: What is healthy, with the rule that is drawn.
        courses: Both runs.
    """

    healthy: Healthy
    courses: Courses

    @property
    def band(self) -> tuple[float | None, float | None]:
        """The band in the numbers of the drawing: a curve that starts below 0 is drawn with a start of -1."""
        low, high = self.healthy.low, self.healthy.high
        sunk = self.healthy.relative and low is not None and low > 1
        return (-low if sunk and low is not None else low), high

    @property
    def ends(self) -> list[float]:
        """The ends of the band that are drawn."""
        return [end for end in self.band if end is not None]

    def mark(self, end: float) -> str:
        """Return an end of the band as it stands at the axis."""
        return f"{number(abs(end))}\N{MULTIPLICATION SIGN}" if self.healthy.relative else number(end)

    def draw(self, t: Say = as_given, name: str = "sketch") -> str:
        """Return the picture."""
        courses = self.courses
        plot = Plot(46, 8, _WIDTH - 52, 138, (0, POINTS - 1), courses.axis)
        healthy, sick = t("healthy"), self._sick(t)
        curves = [list(enumerate(course)) for course in (courses.healthy, courses.sick, courses.other)]
        first, second = _spots(healthy, sick, plot, courses, self.band)
        parts = [
            *self._frame(t, plot),
            path(plot.trace(curves[2]), "mute", dashes="2 3", width=1.5) if curves[2] else "",
            path(plot.trace(curves[0]), "ok", width=2.2),
            path(plot.trace(curves[1]), "sick", dashes="7 3", width=2.2),
        ]
        if self.healthy.first.sign.kind == "non_finite":
            x, y = plot.across(curves[1][-1][0]), plot.up(curves[1][-1][1])
            parts.append(path(f"M{x:.1f} {y - 5:.1f}l10 10m0 -10l-10 10", "sick", width=2.2))
        parts.append(label(*first, healthy, "ok", at="end", bold=True))
        parts.append(label(*second, sick, "sick", at="end", bold=True))
        title = t("Sketch of a healthy and a sick run, not data")
        return svg(name, _WIDTH, _HEIGHT, title, self._told(t), [part for part in parts if part])

    def _frame(self, t: Say, plot: Plot) -> Iterator[str]:
        low, high = self.courses.axis
        bottom = plot.top + plot.height
        taken: list[float] = []
        if self.ends:
            least, most = self.band
            top = plot.up(most) if most is not None else plot.top
            base = plot.up(least) if least is not None else bottom
            yield rect(plot.left, top, plot.width, base - top, "band")
            for end in self.ends:
                y = plot.up(end)
                yield line(plot.left, y, plot.left + plot.width, y, "ok", dashes="4 4", width=1.2)
                taken.append(y)
                yield label(plot.left - 5, y + 4, self.mark(end), "fg", at="end")
        marks = [1.0 if low >= 0 else -1.0] if self.healthy.relative else []
        kind = self.healthy.first.sign.kind
        if kind == "sticks" or self.ends:
            marks.append(0.0 if self.ends else self.healthy.first.sign.bound)
        for mark in marks:
            if low <= mark <= high and all(abs(plot.up(mark) - y) > FONT for y in taken):
                text = t("start") if self.healthy.relative and mark else number(mark)
                yield label(plot.left - 5, plot.up(mark) + 4, text, at="end")
        yield path(f"M{plot.left:g} {plot.top:g}V{bottom:g}H{plot.left + plot.width:g}", "line", width=1)
        yield label(plot.left + plot.width / 2, bottom + 18, t("training steps"), at="middle")

    def _sick(self, t: Say) -> str:
        sign = self.healthy.first.sign
        if self.ends:
            bound = self.mark(sign.bound)
            if sign.kind.startswith("above"):
                words = (
                    later("sick: above {bound} its start") if self.healthy.relative else later("sick: above {bound}")
                )
            else:
                words = (
                    later("sick: below {bound} its start") if self.healthy.relative else later("sick: below {bound}")
                )
            return t(words, bound=bound)
        if sign.kind == "sticks":
            return t("sick: exactly {value}", value=number(sign.bound))
        return t(_SICK[sign.kind if sign.kind in _SICK else "beside"])

    def _told(self, t: Say) -> str:
        ends = " ".join(self.mark(end) for end in self.ends)
        rule = t(self.healthy.first.rule.title)
        if not ends:
            return t("The healthy run does not show what the rule looks for: {rule}.", rule=rule)
        return t(
            "The healthy run stays in the band that ends at {ends}. The sick run leaves it: {rule}.",
            ends=ends,
            rule=rule,
        )


_Point = tuple[float, float]


@lru_cache(maxsize=512)
def _spots(
    healthy: str, sick: str, plot: Plot, courses: Courses, band: tuple[float | None, float | None]
) -> tuple[_Point, _Point]:
    """Return where the names of both curves fit best: the right end of each."""
    own, other, more = (
        _dense([(plot.across(place), plot.up(value)) for place, value in enumerate(course)])
        for course in (courses.healthy, courses.sick, courses.other)
    )
    low, high = (None if end is None else plot.up(end) for end in band)
    lines = [y for y in (low, high) if y is not None]
    first = _spot(healthy, own, [*other, *more], plot, lambda y: 25.0 * any(abs(y - one) < 8 for one in lines))
    left, right = first[0] - _width(healthy) - 6, first[0] + 6

    def price(y: float) -> float:
        inside = bool(lines) and (high is None or y > high - 8) and (low is None or y < low + 8)
        return 12.0 * inside + 40.0 * any(abs(y - one) < 8 for one in lines)

    taken = [(x, first[1] - 4) for x in range(int(left), int(right), 4)]
    return first, _spot(sick, other, [*own, *more, *taken], plot, price)


def _dense(points: Sequence[_Point]) -> list[_Point]:
    """Return points on a curve that lie close to each other."""
    found = list(points[-1:])
    for (x1, y1), (x2, y2) in pairwise(points):
        parts = 2 + int(abs(y2 - y1) / 6)
        found += [(x1 + (x2 - x1) * part / parts, y1 + (y2 - y1) * part / parts) for part in range(parts)]
    return found


def _spot(
    text: str, own: Sequence[_Point], others: Sequence[_Point], plot: Plot, price: Callable[[float], float]
) -> _Point:
    """Return where a name fits best: near its own curve, away from all else."""
    wide = _width(text)
    best: tuple[float, _Point] = (float("inf"), (plot.left + plot.width, plot.top + FONT))
    for right in range(int(plot.left + wide) + 4, int(plot.left + plot.width) + 1, 10):
        near = [y for x, y in own if right - wide - 2 <= x <= right + 2]
        blocked = [y for x, y in others if right - wide - 4 <= x <= right + 4]
        for y in range(int(plot.top) + 11, int(plot.top + plot.height) - 3, 6):
            gap = min((abs(y - 4 - one) for one in near), default=0.0)
            if gap < 10:
                continue
            cost = gap + 0.05 * (plot.left + plot.width - right) + price(y - 4)
            cost += 60.0 * any(abs(y - 4 - one) < 11 for one in blocked)
            if cost < best[0]:
                best = (cost, (float(right), float(y)))
    return best[1]


def _width(text: str) -> float:
    return sum(FONT if ord(letter) > 0x2E80 else _LETTER for letter in text)


def sketch_of(tables: Tables, metric: str) -> Sketch | None:
    """Return the sketch of a metric; None if no rule judges it."""
    healthy = healthy_of(tables, metric)
    if healthy is None:
        return None
    low, high = tables.metrics[metric].get("range", (None, None))
    return Sketch(healthy, courses_of(healthy, (low, high)))
