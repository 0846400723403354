"""Which charts of some runs are drawn in a terminal, and how they stand there: legend, titles, curves, reasons."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from html import unescape

from rlmetrics.charts.chart import Chart, ChartLine
from rlmetrics.charts.terminal_chart import beside_each_other, run_paint, terminal_chart
from rlmetrics.charts.thinning import thinned_curve
from rlmetrics.health.curves import RunCurves
from rlmetrics.health.key_meanings import KeyMeaning
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import UserError
from rlmetrics.wording.terminal import wrapped

from .comparison_words import run_name, run_words
from .metric_order import MACHINE
from .run_charts import MetricChart, RunCharts
from .run_comparison import Pair

__all__ = ["chosen_panels", "plotted_lines", "run_titles", "two_curves"]

_CRUCIAL = 4
"""So many charts are drawn where nobody says which."""
_APART = "  "
"""What parts the name of a run from what logged it."""
_TWO = 120
"""From so many columns on two charts stand beside each other."""
_GAP = 3
_TALL, _LOW = 14, 8
"""Rows of one chart alone, and of each of several."""
_NOTE = 3
"""Lines of a reason at most; `compare` tells it whole."""
_MARKUP = re.compile(r"<[^>]+>")


class UnknownCurveError(UserError):
    """No run logs a key that was asked for."""


def chosen_panels(charts: RunCharts, keys: Sequence[str], tables: Tables) -> list[MetricChart]:
    """Return the charts of some keys, or those to look at first if no key is named.

    Args:
        charts: The charts of all runs.
        keys: Keys as logged, canonical names, or what people call them.
        tables: The spec.

    Raises:
        UnknownCurveError: No run logs one of them; it names what comes near.
    """
    if not keys:
        panels = [panel for panel in charts.panels() if panel.described and panel.rank != MACHINE] or [*charts.panels()]
        several = min(2, len(charts.runs))
        panels.sort(key=lambda panel: (len({run for run, _ in panel.entries}) < several, panel.rank))
        return panels[:_CRUCIAL]
    chosen: list[MetricChart] = []
    for key in dict.fromkeys(keys):
        found = _found(charts, key, tables)
        if not found:
            raise UnknownCurveError(_nearest(charts.runs, key))
        chosen += [panel for panel in found if panel.entries not in {one.entries for one in chosen}]
    return chosen


def _found(charts: RunCharts, key: str, tables: Tables) -> list[MetricChart]:
    """Return the charts of a key or canonical name; where there is none, those of what is called so."""
    called = set(tables.called(key))
    ways: list[Callable[[KeyMeaning], bool]] = [
        lambda meaning: key in (meaning.key, meaning.metric),
        lambda meaning: meaning.metric in called,
    ]
    return next((found for way in ways if (found := [*charts.panels(way)])), [])


def _nearest(runs: Sequence[RunCurves], key: str) -> str:
    known: dict[str, None] = {}
    for run in runs:
        known.update(dict.fromkeys(run.curves))
        known.update(
            (meaning.metric, None) for meaning in run.meanings.values() if meaning.metric and "/" in meaning.metric
        )
    near = get_close_matches(key, known, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"logged are {', '.join([*known][:5])} …"
    whose = runs[0].run if len(runs) == 1 else f"none of the {len(runs)} runs"
    return f"{key} is no file, and {whose} {'has no such key' if len(runs) == 1 else 'has such a key'}; {hint}"


def run_titles(runs: Sequence[RunCurves], tables: Tables) -> list[str]:
    """Return what each run is called in a legend."""
    letters = [f"{run_name(at)}  " if len(runs) > 1 else "" for at in range(len(runs))]
    return [f"{letter}{run.run}{_APART}{run_words(run, tables)}" for letter, run in zip(letters, runs, strict=True)]


def plotted_lines(
    panels: Sequence[MetricChart], titles: Sequence[str], *, columns: int, colour: bool, dots: bool
) -> list[str]:
    """Return charts as lines.

    Args:
        panels: The charts.
        titles: What each run is called.
        columns: How wide the terminal is.
        colour: Whether it shows colours.
        dots: Whether it shows braille.
    """
    lines = []
    for run, title in enumerate(titles):
        lines += _legend(title, run_paint(run) if colour and len(titles) > 1 else "", columns)
    two = columns >= _TWO and len(panels) > 1
    width = (columns - _GAP) // 2 if two else columns
    blocks = [_block(panel, width, _TALL if len(panels) == 1 else _LOW, colour=colour, dots=dots) for panel in panels]
    while blocks:
        block = blocks.pop(0)
        lines += ["", *(beside_each_other(block, blocks.pop(0), width + _GAP) if two and blocks else block)]
    return lines


def _legend(title: str, paint: str, columns: int) -> list[str]:
    """Return what a run is called; what logged it stands below its name where one line is too short for both."""
    mark = f"{paint}──\x1b[0m " if paint else ""
    if len(title) + 3 * bool(paint) <= columns:
        return [f"{mark}{title}"]
    name, _, words = title.rpartition(_APART)
    return [f"{mark}{name}", *wrapped(words, indent=4, columns=columns)]


def _block(panel: MetricChart, width: int, height: int, *, colour: bool, dots: bool) -> list[str]:
    chart = panel.chart
    title = f"\x1b[1m{chart.title}\x1b[0m" if colour else chart.title
    lines = [f"{title}  {chart.about}".rstrip() if len(chart.title) + len(chart.about) + 2 <= width else title]
    lines += terminal_chart(chart, width=width, height=height, colour=colour, dots=dots)
    for note in chart.notes:
        said = wrapped(unescape(_MARKUP.sub("", note)), hanging=2, columns=width - 2)
        lines += said if len(said) <= _NOTE else [*said[: _NOTE - 1], f"{said[_NOTE - 1]} …"]
    return lines


def two_curves(
    runs: Sequence[RunCurves], pair: Pair, tables: Tables, *, columns: int, height: int, colour: bool, dots: bool
) -> list[str]:
    """Return the curves of one key in two runs over each other, whatever sets them apart."""
    lines = [
        ChartLine(at, *thinned_curve(*run.curves[key].course(), 2 * columns))
        for at, (run, key) in enumerate(zip(runs, (pair.a, pair.b), strict=True))
    ]
    span = min(run.steps[0] for run in runs), max(run.steps[1] for run in runs)
    title = pair.a if pair.a == pair.b else f"{pair.a}, {pair.b}"
    legend = [
        line
        for at, name in enumerate(run_titles(runs, tables))
        for line in _legend(name, run_paint(at) if colour else "", columns)
    ]
    drawn = terminal_chart(Chart(title, lines, span), width=columns, height=height, colour=colour, dots=dots)
    return [*legend, "", *drawn]
