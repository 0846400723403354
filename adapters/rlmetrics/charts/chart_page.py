"""Pages with charts that need nothing from elsewhere: one look, one script, and one way to show a chart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib.resources import files

from rlmetrics.wording.voice import language, phrase

from .chart import Chart, ChartLine
from .scales import mark_texts, marks, step_marks
from .svg_chart import COLOURS, DASHES, chart_range, drawing

__all__ = ["document", "figure", "run_colours", "size_of"]

_DARK = ("#79b4ee", "#f0986a", "#5fd0a8", "#c79be8", "#ef8aa6", "#5cc8d6", "#d9c14a", "#aab4c5")
_DIGITS = 5
_FEW = 12
_NAME_WIDE, _NAME_HIGH = 0.03, 0.085
"""How near names of curves may end, as shares of a drawing's width and height."""
"""Lines of more runs are thin and let each other through, so that a crowd shows where most of them are."""


@cache
def _asset(name: str) -> str:
    return files("rlmetrics.charts").joinpath(name).read_text(encoding="utf-8")


def document(title: str, body: str, *, runs: int = 1, wide: bool = False, lang: str | None = None) -> str:
    """Return a page.

    Args:
        title: Its title.
        body: What stands on it, as HTML.
        runs: How many runs have a colour.
        wide: Whether it has room for several charts beside each other.
        lang: The language of its texts; by default that of answers.
    """
    return (
        f'<!doctype html>\n<html lang="{lang or language()}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_asset('page.css')}{run_colours(runs)}</style>\n</head>\n<body>\n"
        f"<main{_classes(wide, runs)}>\n{body}\n</main>\n<script>{_asset('page.js')}</script>\n</body>\n</html>\n"
    )


def size_of(text: str) -> int:
    """Return how many bytes a part of a page takes, where what UTF-8 does not hold, such as odd paths, is escaped."""
    return len(text.encode(errors="backslashreplace"))


def _classes(wide: bool, runs: int) -> str:
    names = [*(["wide-page"] if wide else []), *(["many"] if runs > _FEW else [])]
    return f' class="{" ".join(names)}"' if names else ""


def run_colours(count: int) -> str:
    """Return the style of the lines of so many runs: colours for light and dark, and broken lines where colours repeat."""
    light, dark, others = [], [], []
    for run in range(count):
        if run < len(COLOURS) or count <= len(COLOURS):
            light.append(f"--r{run}:{COLOURS[run % len(COLOURS)]}")
            dark.append(f"--r{run}:{_DARK[run % len(COLOURS)]}")
        else:
            # Neighbours on the wheel of colours are far apart in the order of runs.
            hue = run * 137.508 % 360
            light.append(f"--r{run}:hsl({hue:.0f} 62% 40%)")
            dark.append(f"--r{run}:hsl({hue:.0f} 62% 68%)")
        dashes = DASHES[run // len(COLOURS) % len(DASHES)]
        dashed = f";stroke-dasharray:{dashes.replace(' ', ',')}" if dashes else ""
        others.append(f".r{run}{{stroke:var(--r{run}){dashed}}}i.r{run}{{background:var(--r{run})}}")
        others.append(f".v .r{run},.e.r{run}{{color:var(--r{run})}}")
    return f":root{{{';'.join(light)}}}@media(prefers-color-scheme:dark){{:root{{{';'.join(dark)}}}}}{''.join(others)}"


def figure(chart: Chart) -> str:
    """Return a chart with the values of its axes, and all that pointing at it tells."""
    low, high = chart_range(chart)
    first, last = chart.span
    heights, steps = marks(low, high, 4), step_marks(first, last, 5)
    texts = [
        f'<span class="y" style="bottom:{_share(value, low, high)}">{escape(text)}</span>'
        for value, text in zip(heights, mark_texts(heights), strict=True)
    ]
    texts += [
        f'<span class="x" style="left:{_share(value, first, last)}">{escape(text)}</span>'
        for value, text in zip(steps, mark_texts(steps, whole=True), strict=True)
    ]
    texts += [
        f'<span class="on" style="left:{_share(mark.step, first, last, 0.06)}">{escape(mark.text)}</span>'
        for mark in chart.marks
        if mark.text and first <= mark.step <= last
    ]
    ends = [
        (line, name, end)
        for line, name in zip(chart.lines, chart.names, strict=False)
        if (end := _end_of(line)) is not None
    ]
    places = [((at - first) / ((last - first) or 1), (value - low) / ((high - low) or 1)) for _, _, (at, value) in ends]
    texts += [
        f'<span class="e{" mute" if line.grey else f" r{line.run}"}" style="left:{_share(at, 0, 1)};bottom:{_share(height, 0, 1)}">{escape(name)}</span>'
        for (line, name, _), (at, height) in zip(ends, _apart(places), strict=True)
    ]
    data = ",".join(_data(line) for line in chart.lines)
    notes = "".join(f'<p tabindex="0">{note}</p>' for note in chart.notes)
    found = escape(f"{chart.title} {chart.about} {chart.words}".lower())
    return (
        f'<figure class="ch{" big" if chart.large else ""}" data-q="{found}" data-a="{first:g}" data-z="{last:g}" data-l="{low:g}" data-h="{high:g}" data-d="[{data}]">'
        f"<figcaption><code>{escape(chart.title)}</code>"
        f'<span class="w">{escape(chart.about)}</span><span class="v" aria-live="off">{escape(chart.value)}</span></figcaption>'
        f'<div class="pl" tabindex="0" role="group" aria-label="{escape(chart.title)}: {escape(phrase("arrow keys move the cursor"))}">'
        f'{drawing(chart)}<span class="cur"></span>{"".join(texts)}</div>{notes}</figure>'
    )


def _apart(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return where names of curves stand that end at these shares of width and height: none upon another.

    Names of curves that end together stand in the order of their ends, below the highest in the upper half of a
    drawing, and above the lowest in the lower one.
    """
    moved = [*places]
    down = 2 * sum(height for _, height in places) > len(places)
    order = sorted(range(len(places)), key=lambda index: places[index][1], reverse=down)
    for count, index in enumerate(order):
        at, height = moved[index]
        near = [moved[other][1] for other in order[:count] if abs(moved[other][0] - at) < _NAME_WIDE]
        if near:
            height = min(height, min(near) - _NAME_HIGH) if down else max(height, max(near) + _NAME_HIGH)
            moved[index] = at, height
    return moved


def _end_of(line: ChartLine) -> tuple[float, float] | None:
    """Return the last point of a curve, of the smooth one where there is one."""
    steps, values = line.smooth or (line.steps, line.values)
    return next(
        (point for point in zip(reversed(steps), reversed(values), strict=True) if math.isfinite(point[1])), None
    )


def _share(value: float, low: float, high: float, margin: float = 0.0) -> str:
    share = (value - low) / ((high - low) or 1)
    return f"{100 * min(1 - margin, max(margin, share)):.2f}%"


def _data(line: ChartLine) -> str:
    """Return a curve as its run, steps as distances, values, and whether it is grey, and whether it is smoothed."""
    smooth = line.smooth if line.thinned else None
    steps, values = smooth or (line.steps, line.values)
    signs = f"{int(line.grey)},{int(smooth is not None)}"
    return f"[{line.run},[{','.join(_distances(steps))}],[{','.join(map(_value, values))}],{signs}]"


def _distances(steps: Sequence[float]) -> Iterator[str]:
    before = 0.0
    for step in steps:
        yield f"{step - before:.10g}"
        before = step


def _value(value: float) -> str:
    return f"{value:.{_DIGITS}g}".replace("e-0", "e-").replace("e+0", "e") if math.isfinite(value) else "null"
