"""A report as one page of HTML that needs nothing from elsewhere: the answer, what to do, the curves, what was not judged."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from html import escape

from rlmetrics.charts.chart import Chart, ChartLine, ChartMark
from rlmetrics.charts.chart_page import document, figure, size_of
from rlmetrics.names.tables.key_records import Transform
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.wording.place_words import span_words
from rlmetrics.wording.voice import language, later, phrase, spoken

from .judged_keys import other_spellings
from .report_records import Curve, Diagnosis, Finding, Report, whole
from .report_times import place_in, when
from .rules import Rule, Rules
from .runs_overview import index, ranked

__all__ = ["chart_of", "page"]

_MARKS = {"error": "✕", "warning": "!", "info": "i", "ok": "✓"}
_STATES = {
    "not_ready": later("not ready"),
    "not_logged": later("not logged"),
    "not_applicable": later("not applicable"),
    "explained_by_release": later("explained"),
}
_MOST_DRAWN = 8
_LARGEST = 1_800_000
"""Bytes that a page of many runs may have, so that a browser opens it: the healthiest have but their line in its index."""
_ADDRESS = re.compile(r"&lt;(https?://[^\s&]+)&gt;")
_CALM = later("{passed} rules found nothing, {left} could not be judged. What they need is below.")


def page(reports: Sequence[Report], left_out: Sequence[str] = (), *, spec: Overlays | Tables = None) -> str:
    """Return the page of some reports, the sickest first, with an index of them if they are several.

    Args:
        reports: The reports.
        left_out: Why what could not be judged was left out.
        spec: Folders with further YAML.
    """
    rules = {rule.id: rule for rule in Rules(load_tables(spec)).rules}
    runs = ranked(reports)
    has_index = len(runs) > 1 or bool(left_out)
    free = _LARGEST - (size_of("".join(index(runs, left_out, len(runs)))) if has_index else 0)
    articles: list[str] = []
    for number, report in enumerate(runs, start=1):
        article = f'<article id="run-{number}">{"".join(_article(report, rules))}</article>'
        free -= size_of(article)
        if free < 0 and articles:
            break
        articles.append(article)
    listed = "".join(index(runs, left_out, len(articles))) if has_index else ""
    title = _title(runs[0]) if len(runs) == 1 else phrase("{count} runs", count=len(runs))
    return document(f"{title} · rlmetrics check", f'<div class="one">{listed}{"".join(articles)}</div>')


def _first(report: Report) -> Diagnosis | None:
    first = next(iter(report.diagnoses), None)
    return first if first is not None and first.level != "info" else None


def _title(report: Report) -> str:
    first = _first(report)
    if first is None and report.verdict == "not_judged":
        return phrase("Not judged")
    return spoken(first.title) if first is not None else phrase("Nothing is wrong as far as can be judged")


def _article(report: Report, rules: dict[str, Rule]) -> Iterator[str]:
    first = _first(report)
    level = first.level if first is not None else "info" if report.verdict == "not_judged" else "ok"
    yield (
        f'<div class="kick"><span class="tag t-{level}"><i>{_MARKS[level]}</i>{spoken(level)}</span>'
        f"<code>{escape(report.run)}</code><span>{_text(report.source)}</span>"
        f"<span>{escape(phrase('{count} rows', count=report.rows))}{phrase(', ')}"
        f"{escape(span_words(f'{report.steps[0]:g}', f'{report.steps[1]:g}', by_row=report.by_row))}</span></div>"
    )
    yield f"<h1>{escape(_title(report))}</h1>"
    if first is not None:
        since = when(report, first)
        bold = f"<b>{escape(since[:1].upper() + since[1:])}</b>"
        yield f'<p class="lead">{bold}{_stop()}{_text(first.message)}</p>'
        yield _glance(report, first)
        yield f'<h2>{escape(phrase("Do this, in this order"))}</h2><ol class="do">'
        yield "".join(f'<li><label><input type="checkbox"> {_text(check)}</label></li>' for check in first.checks)
        yield "</ol>"
    elif report.mixed:
        yield f'<p class="lead">{_text(f"{report.mixed}.")}</p>'
    else:
        yield (f'<p class="lead">{escape(phrase(_CALM, passed=len(report.passed), left=len(report.not_judged)))}</p>')
    yield from _drawings(report, first, rules)
    yield from _chain(report)
    yield from _other_causes(report, first)
    yield from _left(report, rules)
    yield from _releases(report)
    yield from _footer(report)


def _stop() -> str:
    """Return a full stop and what stands between sentences."""
    return "。" if language() == "zh" else ". "


def _glance(report: Report, first: Diagnosis) -> str:
    spent = report.steps[1] - first.onset_step
    total = report.steps[1] - report.steps[0] + 1
    cost = report.cost
    said = []
    if "completions" in cost:
        said.append(phrase("{count} responses", count=f"{cost['completions']:,.0f}"))
    if "gpu_hours" in cost:
        said.append(phrase("{count} GPU-hours", count=f"{cost['gpu_hours']:.1f}"))
    elif "hours" in cost:
        said.append(phrase("{count} hours", count=f"{cost['hours']:.1f}"))
    lost = phrase("That part of the run is in doubt.")
    if said:
        lost = phrase("{what} without a learning signal.", what=phrase(" and ").join(said))
    share = later("{count} of {total} rows") if report.by_row else later("{count} of {total} steps")
    return (
        f'<div class="glance"><div><b class="h">{escape(phrase("Do first"))}</b><span class="big">{_text(first.checks[0])}</span></div>'
        f'<div><b class="h">{escape(phrase("Since then"))}</b><span class="big">{escape(phrase(share, count=f"{whole(spent):g}", total=f"{whole(total):g}"))}</span><p>{escape(lost)}</p></div>'
        f'<div><b class="h">{escape(phrase("Rests on"))}</b><span class="big">{escape(spoken(first.level))}</span><p>{escape(spoken(first.why).capitalize())}{_stop().strip()}</p></div></div>'
    )


def _drawings(report: Report, first: Diagnosis | None, rules: dict[str, Rule]) -> Iterator[str]:
    if not report.curves:
        return
    onset = first.onset_step if first is not None else None
    yield f'<h2>{escape(phrase("What it was judged by"))}</h2><div class="grid">'
    for number, curve in enumerate(report.curves[:_MOST_DRAWN]):
        own = [finding for finding in report.findings if finding.key == curve.key]
        yield figure(chart_of(curve, own, rules, onset=onset, span=report.steps, large=not number))
    yield (
        f'</div><div class="key"><span><i style="background:var(--band);outline:1px solid var(--ok)"></i>{escape(phrase("no rule complains"))}</span>'
        f'<span><i style="width:3px;height:15px;background:var(--sick)"></i>{escape(phrase("onset of this curve"))}</span>'
        f'<span><i style="width:0;height:15px;border-left:2px dotted var(--sick)"></i>{escape(phrase("onset of the cause"))}</span>'
        f'<span><i style="height:0;border-top:2px dotted var(--mute)"></i>{escape(phrase("where it started"))}</span></div>'
    )


def chart_of(
    curve: Curve,
    own: Sequence[Finding],
    rules: dict[str, Rule],
    *,
    onset: float | None,
    span: tuple[float, float],
    large: bool = False,
) -> Chart:
    """Return a curve with the band that no rule complains about, its onset and what it is."""
    begin = sorted(curve.values[:3])[len(curve.values[:3]) // 2]
    low, high = _bounds(own, rules, begin, curve.axis)
    started = sorted(finding.onset_step for finding in own if finding.level != "info")
    marks = [ChartMark(started[0], phrase("onset {step}", step=f"{started[0]:g}"))] if started else []
    if onset is not None and (not marks or abs(marks[0].step - onset) > 1e-9):
        marks.append(ChartMark(onset, "" if marks else f"{onset:g}", strong=False))
    unit = "" if curve.unit in (None, "1") else f", {curve.unit}"
    words = phrase("; ").join(
        dict.fromkeys(spoken(rules[finding.rule].said_at(finding.level)[0]) for finding in own if finding.rule in rules)
    )
    return Chart(
        title=curve.key,
        about=f"{curve.metric or ''}{unit}{f' · {words}' if words else ''}",
        lines=[ChartLine(0, curve.steps, curve.values)],
        span=span,
        marks=marks,
        below=low,
        above=high,
        start=begin,
        value=f"{curve.values[-1]:.3g}",
        large=large,
    )


def _bounds(
    own: Sequence[Finding], rules: dict[str, Rule], start: float, axis: Transform | None
) -> tuple[float | None, float | None]:
    """Return below and above which the rules that found something complain, the nearest bounds of all levels.

    Rules judge the metric, the curve shows the key: start and bounds are on the axis of the key.
    """
    if axis is None:
        return None, None
    limits: dict[str, float] = {}
    for finding in own:
        rule = rules.get(finding.rule)
        for _, condition in rule.tiers if rule is not None else ():
            for side, number in condition.bounds.items():
                bound = number * axis.undone(start) if side.endswith("_start") else number
                better = min if side.startswith("above") else max
                side = side.removesuffix("_start")
                limits[side] = better(limits.get(side, bound), bound)
    return axis.span(limits.get("below"), limits.get("above"))


def _chain(report: Report) -> Iterator[str]:
    strong = sorted(report.findings, key=lambda item: (item.onset_step, item.rule))
    if not strong:
        return
    yield f'<h2>{escape(phrase("How it went"))}</h2><ul class="chain">'
    for finding in strong[:14]:
        value = _value(report, finding)
        yield (
            f'<li><span class="st">{escape(place_in(report, finding.onset_step))}</span><p><span class="t-{finding.level}"><b>{escape(spoken(finding.level))}</b></span> '
            f"<code>{escape(finding.key)}</code>{value}. {_text(finding.message)} "
            f'<span class="small">{escape(finding.rule)}, {escape(finding.basis)}{_cited(finding.source)}</span></p></li>'
        )
    yield "</ul>"


def _value(report: Report, finding: Finding) -> str:
    """Return the value of a finding, and where it is that value if that is not where it began."""
    if finding.value is None or not math.isfinite(finding.value):
        return ""
    at = f" {phrase('at {place}', place=place_in(report, finding.first_step))}"
    return escape(f" = {finding.value:.3g}{'' if finding.first_step == finding.onset_step else at}")


def _cited(source: str | None) -> str:
    """Return where a bound comes from, its address as a link."""
    return "" if not source else _ADDRESS.sub(r'<a href="\1">\1</a>', escape(f": {source}"))


def _other_causes(report: Report, first: Diagnosis | None) -> Iterator[str]:
    others = [item for item in report.diagnoses if item is not first]
    if not others:
        return
    told = later("1 further sign") if len(others) == 1 else later("{count} further signs")
    yield f"<details{' open' if first is None else ''}><summary>{escape(phrase(told, count=len(others)))}</summary>"
    for item in others:
        checks = "".join(f"<li>{_text(check)}</li>" for check in item.checks)
        yield (
            f'<p><span class="t-{item.level}"><b>{escape(spoken(item.level))}</b></span> <b>{escape(spoken(item.title))}</b>{phrase(", ")}'
            f"{escape(when(report, item))}{_stop()}"
            f"{_text(item.message)}</p><ol>{checks}</ol>"
        )
    yield "</details>"


def _left(report: Report, rules: dict[str, Rule]) -> Iterator[str]:
    if report.expected:
        yield f"<h2>{escape(phrase('Looks sick and is not'))}</h2>{_table(later('key'), later('what the release says'))}"
        yield "".join(f"<tr><td><code>{escape(item.key)}</code><td>{_text(item.why)}" for item in report.expected)
        yield "</table>"
    shown = [item for item in report.not_judged if item.state != "not_applicable"]
    if shown:
        head = _table(later("question"), later("state"), later("why, and what enables it"))
        yield f"<h2>{escape(phrase('Not judged, and why'))}</h2>{head}"
        for item in shown:
            title = rules[item.rule].title if item.rule in rules else item.rule
            how = f"{_text(item.how[:1].upper() + item.how[1:])}{_stop().strip()}" if item.how else ""
            state = f'<span class="lab">{escape(phrase(_STATES[item.state]))}</span>'
            yield f"<tr><td>{escape(spoken(title))}<td>{state}<td>{_text(item.why)}{_stop()}{how}"
        yield "</table>"
    absent = len(report.not_judged) - len(shown)
    if absent:
        said = later("{count} more rules are about what {source} does not log at all.")
        said = phrase(said, count=absent, source=report.at or phrase("this source"))
        yield f'<p class="small">{escape(said)}</p>'
    if report.passed:
        title = phrase("{count} rules found nothing", count=len(report.passed))
        yield f"<details><summary>{escape(title)}</summary><p>"
        yield phrase(", ").join(escape(spoken(rules[name].title)) for name in report.passed if name in rules)
        yield f"{_stop().strip()}</p></details>"


def _releases(report: Report) -> Iterator[str]:
    """Yield what other releases of the framework call the metrics of the curves."""
    rows = []
    for curve in report.curves[:_MOST_DRAWN]:
        for name in other_spellings(curve.metric, report.at, curve.key):
            rows.append(f"<tr><td><code>{escape(curve.key)}</code><td>{escape(name)}")
    if rows:
        title = escape(phrase("These curves in other releases"))
        yield f"<details><summary>{title}</summary>{_table(later('here'), later('elsewhere'))}"
        yield "".join(rows)
        yield "</table></details>"


def _footer(report: Report) -> Iterator[str]:
    yield f"<details><summary>{escape(phrase('How this report was made'))}</summary>"
    yield f"<pre><code>rlmetrics check {escape(report.run)} --at '{escape(report.at or 'auto')}' --html FILE</code></pre>"
    for note in report.notes:
        yield f"<p>{_text(note)}</p>"
    counted = (
        later("Rows tell no steps, and are counted from 0.") if report.by_row else later("Steps are those of the log.")
    )
    late = later(
        "A rule speaks after its whole window, so that a live run would have heard of it later than at its onset."
    )
    drawn = later("Curves are drawn in at most 128 stretches. Nothing is loaded from elsewhere.")
    yield f"<p>{escape(' '.join(map(phrase, (counted, late, drawn))))}</p></details>"


def _table(*heads: str) -> str:
    """Return the beginning of a table, with its heads."""
    return f"<table class=rows><tr>{''.join(f'<th>{escape(phrase(head))}' for head in heads)}"


def _text(text: str) -> str:
    """Return plain text as HTML; what stands in backticks is code."""
    parts = escape(spoken(text)).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))
