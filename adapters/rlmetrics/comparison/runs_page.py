"""Several runs on one page that needs nothing from elsewhere: their health, and their curves on canonical names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from rlmetrics.charts.chart import ChartMark
from rlmetrics.charts.chart_page import document, figure
from rlmetrics.health.curves import RunCurves
from rlmetrics.health.report_records import Report
from rlmetrics.names.tables.tables import Tables
from rlmetrics.wording.place_words import place_words, step_number
from rlmetrics.wording.voice import later, phrase, spoken

from .comparison_words import joined, lead_of, number, outcome_words, place_of, reason_of, run_name, run_words
from .metric_order import CRUCIAL, JUDGED, MACHINE, OTHER
from .run_charts import MetricChart, RunCharts
from .run_comparison import Comparison

__all__ = ["comparison_page", "runs_page"]

_SEEN = 8
"""So many rows of the legend are seen without scrolling."""
_SICKEST_FIRST = ("error", "warning", "")
_SECTIONS = {
    CRUCIAL: later("Look at these first"),
    JUDGED: later("Judged by rules"),
    OTHER: later("Others"),
    MACHINE: later("Counters and timers"),
}


def runs_page(runs: Sequence[RunCurves], tables: Tables, left_out: Sequence[str] = ()) -> str:
    """Return the page of some runs.

    Args:
        runs: The runs, judged.
        tables: The spec.
        left_out: Why what could not be read was left out.
    """
    charts = RunCharts(runs, tables)
    panels = [*charts.panels()]
    title = phrase("{count} runs", count=len(runs)) if len(runs) > 1 else _short(runs[0].run)
    body = [
        f"<h1>{escape(title)}</h1>",
        f'<p class="lead">{escape(_lead(runs, panels))}</p>',
        *_body(charts, panels, tables),
        *_left_out(left_out),
        _made(charts),
    ]
    return document(f"{title} · rlmetrics", "\n".join(body), runs=len(runs), wide=True)


def comparison_page(comparisons: Sequence[Comparison], tables: Tables, left_out: Sequence[str] = ()) -> str:
    """Return the page of a first run that is compared with others."""
    runs = [comparisons[0].a, *(item.b for item in comparisons)]
    parted: dict[str, list[ChartMark]] = {}
    for at, item in enumerate(comparisons, start=1):
        for pair in item.pairs:
            if pair.parts and pair.first_difference_step is not None:
                text = phrase("{run} parts", run=run_name(at))
                parted.setdefault(pair.a, []).append(ChartMark(pair.first_difference_step, text))
    charts = RunCharts(runs, tables, lambda key: sorted(parted.get(key, ()), key=lambda mark: mark.step)[:1])
    panels = [*charts.panels()]
    leads = [lead_of(item, (run_name(0), run_name(at))) for at, item in enumerate(comparisons, start=1)]
    head, _, rest = leads[0].partition(". ")
    title = phrase("{count} runs compared", count=len(runs))
    if len(comparisons) == 1:
        heading, told = head.rstrip("."), [rest] if rest else []
    else:
        heading, told = title, [f"{run_name(0)}, {run_name(at)}: {lead}" for at, lead in enumerate(leads, start=1)]
    body = [
        f"<h1>{escape(heading)}</h1>",
        *(f'<p class="lead">{escape(text)}</p>' for text in told),
        *_rows_of_runs(charts, tables),
        *_same_names(comparisons),
        *_body(charts, panels, tables, legend=False),
        *_table(comparisons),
        *_alone(comparisons),
        *_left_out(left_out),
        _made(charts),
    ]
    return document(f"{title} · rlmetrics compare", "\n".join(body), runs=len(runs), wide=True)


def _lead(runs: Sequence[RunCurves], panels: Sequence[MetricChart]) -> str:
    """Return how many runs are sick, and how many metrics are on one axis."""
    verdicts = [run.report.verdict for run in runs if run.report is not None]
    sick = verdicts.count("error"), verdicts.count("warning")
    texts = []
    if sick[0]:
        texts.append(phrase("{count} with an error", count=sick[0]))
    if sick[1]:
        texts.append(phrase("{count} with a warning", count=sick[1]))
    told = phrase("Health: {what}.", what=phrase(", ").join(texts) if texts else phrase("no rule complains"))
    shared = sum(len({run for run, _ in panel.entries}) > 1 for panel in panels)
    counts = phrase("{count} metrics, {shared} of them in several runs.", count=len(panels), shared=shared)
    return f"{told} {counts}" if len(runs) > 1 else told


def _body(charts: RunCharts, panels: Sequence[MetricChart], tables: Tables, *, legend: bool = True) -> Iterator[str]:
    """Yield runs and their health, the bar with the search, and the charts by section."""
    if legend:
        yield from _rows_of_runs(charts, tables)
    buttons = ""
    if len(charts.runs) > 2:
        shown = (("1", phrase("all runs")), ("0", phrase("no run")))
        buttons = "".join(f'<button type="button" data-all="{value}">{escape(text)}</button>' for value, text in shown)
    yield (
        f'<div class="bar"><input type="search" aria-label="{escape(phrase("Search metrics"))}" placeholder="{escape(phrase("Search metrics"))} ( / )">'
        f'<span class="found mute" role="status"></span>{buttons}<span class="at" data-t="{escape(phrase("at row") if all(run.by_row for run in charts.runs) else phrase("at step"))}"></span></div>'
    )
    for rank, title in _SECTIONS.items():
        own = [panel for panel in panels if panel.rank == rank and panel.described]
        own.sort(key=lambda panel: len(charts.runs) > 1 and len({run for run, _ in panel.entries}) < 2)
        yield from _section(phrase(title), own, folded=rank == MACHINE)
    unknown = [panel for panel in panels if not panel.described]
    yield from _section(
        phrase("Not described, or not certain: drawn together where names are equal"), unknown, folded=False
    )


def _section(title: str, panels: Sequence[MetricChart], *, folded: bool) -> Iterator[str]:
    if not panels:
        return
    grid = f'<div class="grid">{"".join(figure(panel.chart) for panel in panels)}</div>'
    if folded:
        yield f'<section><details class="more"><summary>{escape(title)} ({len(panels)})</summary>{grid}</details></section>'
    else:
        yield f"<section><h2>{escape(title)}</h2>{grid}</section>"


def _rows_of_runs(charts: RunCharts, tables: Tables) -> Iterator[str]:
    """Yield the legend: each run with its colour, what logged it, and its health over the steps.

    Where there are more than are seen at once, those come first that something ails.
    """
    first, last = charts.span
    places = [*enumerate(charts.runs)]
    if len(places) > _SEEN:
        places.sort(key=lambda place: _SICKEST_FIRST.index(_verdict_of(place[1].report)))
    yield f'<ol class="runs" aria-label="{escape(phrase("Runs, and their health over the steps"))}">'
    for at, run in places:
        name = run_name(at)
        yield (
            f'<li data-r="{at}" data-n="{name}"><label><input type="checkbox" checked><i class="r{at}"></i><span class="n">{name}</span>'
            f'<code>{_breakable(run.run)}</code></label><span class="src">{escape(run_words(run, tables))}</span>'
            f'<span class="strip" data-a="{first:g}" data-z="{last:g}" aria-hidden="true">{_strip(run, charts.span)}<span class="cur"></span></span>'
            f"<span>{_verdict(run)}</span></li>"
        )
    yield "</ol>"


def _verdict_of(report: Report | None) -> str:
    cause = _cause(report)
    return "" if cause is None else cause[2]


def _strip(run: RunCurves, span: tuple[float, float]) -> str:
    """Return the steps of a run as a bar: well up to the onset of its first cause, sick from there on."""
    first, last = span
    begin, end = run.steps

    def bar(kind: str, start: float, stop: float) -> str:
        left, right = (100 * (step - first) / ((last - first) or 1) for step in (start, stop))
        return f'<span class="{kind}" style="left:{left:.2f}%;width:{max(0.4, right - left):.2f}%"></span>'

    cause = _cause(run.report)
    if run.report is None or run.report.verdict == "not_judged":
        return bar("s-none", begin, end)
    if cause is None:
        return bar("s-ok", begin, end)
    onset = max(begin, min(end, cause[1]))
    well = bar("s-ok", begin, onset) if onset > begin else ""
    return f"{well}{bar(f's-{cause[2]}', onset, end)}"


def _cause(report: Report | None) -> tuple[str, float, str] | None:
    """Return what ails a run, since when, and how much."""
    found = next((item for item in report.diagnoses if item.level != "info"), None) if report is not None else None
    if found is not None:
        return found.title, found.onset_step, found.level
    return None


def _verdict(run: RunCurves) -> str:
    report = run.report
    if report is None:
        return ""
    cause = _cause(report)
    if cause is not None:
        title, step, level = cause
        place = place_words(step_number(step), by_row=run.by_row)
        since = phrase("{what}, since {place}", what=spoken(title), place=place)
        return f'<b class="t-{level}">{escape(phrase(_LEVELS[level]))}</b> {escape(since)}'
    if report.verdict == "not_judged":
        return f'<span class="mute">{escape(phrase("not judged"))}</span>'
    return f'<span class="t-ok">{escape(phrase("no rule complains"))}</span>'


_LEVELS = {"error": later("error"), "warning": later("warning")}


def _same_names(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield the names that are one number here and another there."""
    rows: dict[tuple[str, tuple[str, ...], str], list[str]] = {}
    for at, item in enumerate(comparisons, start=1):
        for found in item.same_names:
            rows.setdefault((found.key, found.texts, found.severity), []).append(run_name(at))
    if not rows:
        return
    yield f"<h2>{escape(phrase('Same name, other number'))}</h2><ul>"
    for (key, texts, severity), names in rows.items():
        mark = "≠" if severity in ("look-alike", "none") else "!"
        whose = f" ({', '.join([run_name(0), *names])})" if len(comparisons) > 1 else ""
        said = phrase("; ").join(texts) or phrase("another number of the same name")
        yield f"<li>{mark} <code>{escape(key)}</code>{escape(whose)}: {escape(said)}</li>"
    yield "</ul>"


def _table(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Yield the values at the last step that both have, and how the curves stand to each other."""
    for at, item in enumerate(comparisons, start=1):
        names = run_name(0), run_name(at)
        pairs = [pair for pair in item.compared if pair.standing.courses is not None]
        if item.last_step is None or not pairs:
            continue
        title = phrase("At {place}, the last of both", place=place_of(item.last_step, item))
        opened = " open" if len(comparisons) == 1 else ""
        yield f"<details{opened}><summary>{escape(title)}: {', '.join(names)}</summary><table class=rows>"
        yield f"<tr><th>{escape(phrase('metric'))}<th>{names[0]}<th>{names[1]}<th>{escape(phrase('how they stand'))}"
        for pair in pairs:
            key = pair.a if pair.a == pair.b else f"{pair.a} · {pair.b}"
            values = "".join(f"<td>{number(course.last)}" for course in pair.standing.courses or ())
            bold = ("<b>", "</b>") if pair.parts else ("", "")
            yield f"<tr><td><code>{escape(key)}</code>{values}<td>{bold[0]}{escape(outcome_words(pair, names, by_row=item.a.by_row))}{bold[1]}"
        yield "</table></details>"
        beside = [pair for pair in item.pairs if not pair.comparable and pair.a != pair.b]
        if beside:
            yield f"<details><summary>{escape(phrase('Side by side only'))}: {', '.join(names)}</summary><ul>"
            for pair in beside:
                why = escape(reason_of(pair.alike.differs_by, names))
                yield f"<li>≠ <code>{escape(pair.a)}</code>, <code>{escape(pair.b)}</code>: {why}</li>"
            yield "</ul></details>"


def _alone(comparisons: Sequence[Comparison]) -> Iterator[str]:
    for at, item in enumerate(comparisons, start=1):
        for name, keys in ((run_name(0), item.only_a), (run_name(at), item.only_b)):
            if keys:
                listed = ", ".join(f"<code>{escape(key)}</code>" for key in keys)
                other = run_name(at) if name == run_name(0) else run_name(0)
                title = phrase("{count} keys in {run} and not in {other}", count=len(keys), run=name, other=other)
                yield f"<details><summary>{escape(title)}</summary><p>{listed}</p></details>"


def _left_out(reasons: Sequence[str]) -> Iterator[str]:
    if reasons:
        yield f"<h2>{escape(phrase('Left out'))}</h2><ul>{''.join(f'<li>{escape(reason)}</li>' for reason in reasons)}</ul>"


def _made(charts: RunCharts) -> str:
    """Return what a reader must know of how the page was made."""
    texts = []
    if charts.thinned:
        texts.append(
            phrase(
                "Curves of more than {most} points are thinned: the faint line has the lowest and the highest value of "
                "each stretch, so that no spike is lost, and pointing at it tells medians, marked ~. The longest has "
                "{count} points.",
                most=charts.most,
                count=f"{charts.thinned:,}",
            )
        )
    texts.append(phrase("Where noise would hide other runs, a bold line goes through the medians of short stretches."))
    texts.append(
        phrase(
            "What measures the same shares a chart, under its canonical name. Grey is another number of the same name or metric, with the reason below the chart."
        )
    )
    counted = [run_name(at) for at, run in enumerate(charts.runs) if run.by_row]
    if len(counted) < len(charts.runs):
        texts.append(phrase("Steps are those of the logs."))
    if counted:
        texts.append(phrase("No row tells a step, and its number stands for it: {runs}.", runs=joined(counted, 8)))
    texts.append(phrase("Nothing is loaded from elsewhere."))
    return f'<p class="small">{escape(" ".join(texts))}</p>'


def _breakable(path: str) -> str:
    """Return a path as HTML that breaks between its parts, before it breaks within one."""
    return escape(path).replace("/", "/<wbr>")


def _short(path: str) -> str:
    return path.rpartition("/")[2] or path
