"""Charts as SVG: curves scaled to their box, with axes; within a page, or as a file of its own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from html import escape, unescape
from itertools import accumulate
from textwrap import wrap

from .chart import Chart
from .scales import covered, mark_texts, marks, step_marks

__all__ = ["COLOURS", "DASHES", "chart_range", "drawing", "standalone_svg"]

WIDE, HIGH = 2000, 1000
"""The box of a drawing, which is stretched to where it stands."""
COLOURS = ("#2f6fb2", "#c2571a", "#1b8a5a", "#8a4fb0", "#b3264a", "#0e8c9b", "#8f7a00", "#5a6475")
"""Colours of the first runs, told apart by those who see few colours; later runs begin anew."""
DASHES = ("", "7 4", "2 3", "10 3 2 3")
"""How lines of runs are broken, so that colour is not the only sign."""
_BOUNDS_WITHIN = 1.5


def chart_range(chart: Chart) -> tuple[float, float]:
    """Return the lowest and highest value of a chart's axis; bounds far away from all values are left out."""
    values = [value for line in chart.lines for value in line.values]
    low, high = covered(values)
    room = high - low
    near = [
        bound
        for bound in (chart.below, chart.above)
        if bound is not None and low - _BOUNDS_WITHIN * room <= bound <= high + _BOUNDS_WITHIN * room
    ]
    return covered([*values, *near]) if near else (low, high)


def path_of(
    steps: Sequence[float], values: Sequence[float], span: tuple[float, float], heights: tuple[float, float]
) -> str:
    """Return the path of a curve, broken where there is no number; a single point is a dot."""
    (first, last), (low, high) = span, heights
    across, up = WIDE / ((last - first) or 1), HIGH / ((high - low) or 1)
    parts: list[str] = []
    drawing_ = False
    for step, value in zip(steps, values, strict=True):
        if not math.isfinite(value):
            drawing_ = False
            continue
        place = f"{round((step - first) * across)} {round(HIGH - (value - low) * up)}"
        parts.append(f"L{place}" if drawing_ else f"M{place}h0")
        drawing_ = True
    return "".join(parts)


def drawing(chart: Chart) -> str:
    """Return a chart as an ``<svg>`` element of a page, without the texts of its axes."""
    heights = low, high = chart_range(chart)
    first, last = chart.span

    def up(value: float) -> int:
        return round(HIGH - (value - low) * HIGH / ((high - low) or 1))

    def across(step: float) -> int:
        return round((step - first) * WIDE / ((last - first) or 1))

    parts = []
    if chart.above is not None or chart.below is not None:
        top = max(0, min(HIGH, up(chart.above))) if chart.above is not None else 0
        base = max(0, min(HIGH, up(chart.below))) if chart.below is not None else HIGH
        parts.append(f'<rect class="band" width="{WIDE}" y="{top}" height="{max(0, base - top)}"/>')
        for bound in (chart.above, chart.below):
            if bound is not None and low <= bound <= high:
                parts.append(f'<path class="bound" d="M0 {up(bound)}H{WIDE}"/>')
    parts += [f'<path class="grid" d="M0 {up(value)}H{WIDE}"/>' for value in marks(low, high, 4)]
    if chart.start is not None and low <= chart.start <= high:
        parts.append(f'<path class="from" d="M0 {up(chart.start)}H{WIDE}"/>')
    for mark in chart.marks:
        if first <= mark.step <= last:
            kind = "mark" if mark.strong else "mark weak"
            parts.append(f'<path class="{kind}" d="M{across(mark.step)} 0V{HIGH}"/>')
    for line in sorted(chart.lines, key=lambda line: not line.grey):
        kind = f"c r{line.run}{' g' if line.grey else ''}{' f' if line.smooth else ''}"
        parts.append(f'<path class="{kind}" d="{path_of(line.steps, line.values, chart.span, heights)}"/>')
    for line in chart.lines:
        if line.smooth:
            parts.append(f'<path class="c r{line.run}" d="{path_of(*line.smooth, chart.span, heights)}"/>')
    label = escape(f"{chart.title} {chart.about}".strip())
    return f'<svg preserveAspectRatio="none" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 14, 34, 26
_WHOLE, _TALL = 900, 280
_NOTE, _LETTERS = 16, 140
"""How high a line of a note is, and how many letters it has."""
_MARKUP = re.compile(r"<[^>]+>")


def standalone_svg(charts: Sequence[Chart], runs: Sequence[str]) -> str:
    """Return charts, one below the other, as a file with a legend of the runs on top."""
    legend = 18 * len(runs) + 10 if len(runs) > 1 else 0
    tops = [*accumulate((_TALL + _NOTE * len(_said(chart)) for chart in charts), initial=legend)]
    height = tops[-1]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WHOLE} {height}" width="{_WHOLE}" height="{height}" '
        'font-family="system-ui,sans-serif" font-size="12">',
        f'<rect width="{_WHOLE}" height="{height}" fill="#fff"/>',
    ]
    for number, run in enumerate(runs if legend else ()):
        at = 18 * number + 16
        parts.append(f'<path d="M14 {at}h28" {_stroke(number)}/>')
        parts.append(f'<text x="50" y="{at + 4}" fill="#1d2330">{escape(run)}</text>')
    for chart, top in zip(charts, tops, strict=False):
        parts += _standing(chart, top)
    return f"{''.join(parts)}</svg>"


def _said(chart: Chart) -> list[str]:
    """Return the notes of a chart in lines of text."""
    return [line for note in chart.notes for line in wrap(unescape(_MARKUP.sub("", note)), _LETTERS)]


def _stroke(run: int, *, grey: bool = False) -> str:
    dashes = DASHES[run // len(COLOURS) % len(DASHES)]
    colour = "#9aa3b2" if grey else COLOURS[run % len(COLOURS)]
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'fill="none" stroke="{colour}" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round"{dashed}'


def _standing(chart: Chart, top: int) -> Iterator[str]:
    heights = low, high = chart_range(chart)
    first, last = chart.span
    wide, tall = _WHOLE - _LEFT - _RIGHT, _TALL - _TOP - _BOTTOM
    yield f'<text x="14" y="{top + 20}" font-weight="600" fill="#1d2330">{escape(chart.title)}'
    yield f'<tspan font-weight="400" fill="#5a6475" dx="10">{escape(chart.about)}</tspan></text>'
    ticks = marks(low, high, 6)
    for value, text in zip(ticks, mark_texts(ticks), strict=True):
        at = top + _TOP + tall * (1 - (value - low) / ((high - low) or 1))
        yield f'<path d="M{_LEFT} {at:.1f}h{wide}" stroke="#dde2ea"/>'
        yield f'<text x="{_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end" fill="#5a6475">{escape(text)}</text>'
    ticks = step_marks(first, last, 8)
    for value, text in zip(ticks, mark_texts(ticks, whole=True), strict=True):
        at = _LEFT + wide * (value - first) / ((last - first) or 1)
        yield f'<text x="{at:.1f}" y="{top + _TALL - 8}" text-anchor="middle" fill="#5a6475">{escape(text)}</text>'
    for number, said in enumerate(_said(chart)):
        yield f'<text x="{_LEFT}" y="{top + _TALL + _NOTE * number + 8}" fill="#5a6475">{escape(said)}</text>'
    scale = f"translate({_LEFT} {top + _TOP}) scale({wide / WIDE:.5f} {tall / HIGH:.5f})"
    for line in sorted(chart.lines, key=lambda line: not line.grey):
        courses = [(line.steps, line.values), *([line.smooth] if line.smooth else [])]
        for number, course in enumerate(courses, start=1):
            d = path_of(*course, chart.span, heights)
            faint = ' opacity="0.3"' if number < len(courses) else ""
            stroke = _stroke(line.run, grey=line.grey)
            yield f'<path transform="{scale}" vector-effect="non-scaling-stroke"{faint} d="{d}" {stroke}/>'
