"""A report as one page of HTML that needs nothing from elsewhere: the answer, what to do, the curves, what was not judged."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from html import escape

from rlmetrics.names.tables.key_records import Transform
from rlmetrics.names.tables.loading import load_tables

from .curve_drawing import ranged, svg
from .judged_keys import other_spellings
from .report_records import Curve, Diagnosis, Finding, Report, whole
from .rules import Rule, Rules
from .runs_overview import index, ranked
from .style import document

__all__ = ["curve_box", "page"]

_MARKS = {"error": "✕", "warning": "!", "info": "i", "ok": "✓"}
_STATES = {
    "not_ready": "not ready",
    "not_logged": "not logged",
    "not_applicable": "not applicable",
    "explained_by_release": "explained",
}
_MOST_DRAWN = 8


def page(reports: Sequence[Report], left_out: Sequence[str] = ()) -> str:
    """Return the page of some reports, the sickest first, with an index of them if they are several.

    Args:
        reports: The reports.
        left_out: Why what could not be judged was left out.
    """
    rules = {rule.id: rule for rule in Rules(load_tables()).rules}
    runs = ranked(reports)
    articles = [
        f'<article id="run-{number}">{"".join(_article(report, rules))}</article>'
        for number, report in enumerate(runs, start=1)
    ]
    if len(runs) > 1 or left_out:
        articles.insert(0, "".join(index(runs, left_out)))
    title = _title(runs[0]) if len(runs) == 1 else f"{len(runs)} runs"
    return document(escape(f"{title} · rlmetrics check"), "\n".join(articles))


def _first(report: Report) -> Diagnosis | None:
    first = next(iter(report.diagnoses), None)
    return first if first is not None and first.level != "info" else None


def _title(report: Report) -> str:
    first = _first(report)
    return first.title if first is not None else "Nothing is wrong as far as can be judged"


def _article(report: Report, rules: dict[str, Rule]) -> Iterator[str]:
    first = _first(report)
    level = first.level if first is not None else "ok"
    yield (
        f'<div class="kick"><span class="tag t-{level}"><i>{_MARKS[level]}</i>{level}</span>'
        f"<code>{escape(report.run)}</code><span>{escape(report.source)}</span>"
        f"<span>{report.rows} rows, steps {report.steps[0]:g} to {report.steps[1]:g}</span></div>"
    )
    yield f"<h1>{escape(_title(report))}</h1>"
    if first is not None:
        yield f'<p class="lead">Since <b>step {first.onset_step:g}</b>. {_text(first.message)}</p>'
        yield _glance(report, first)
        yield '<h2>Try, in this order</h2><ol class="do">'
        yield "".join(f'<li><label><input type="checkbox"> {_text(check)}</label></li>' for check in first.checks)
        yield "</ol>"
    else:
        yield (
            f'<p class="lead">{len(report.passed)} rules found nothing, {len(report.not_judged)} could not be judged. '
            "What they need is below.</p>"
        )
    yield from _drawings(report, first, rules)
    yield from _chain(report)
    yield from _other_causes(report, first)
    yield from _left(report, rules)
    yield from _releases(report)
    yield from _footer(report)


def _glance(report: Report, first: Diagnosis) -> str:
    spent = report.steps[1] - first.onset_step
    total = report.steps[1] - report.steps[0] + 1
    cost = report.cost
    said = []
    if "completions" in cost:
        said.append(f"{cost['completions']:,.0f} responses")
    if "gpu_hours" in cost:
        said.append(f"{cost['gpu_hours']:.1f} GPU-hours")
    elif "hours" in cost:
        said.append(f"{cost['hours']:.1f} hours")
    lost = f"{' and '.join(said)} without a learning signal." if said else "That part of the run is in doubt."
    return (
        f'<div class="glance"><div><b class="h">Do first</b><span class="big">{_text(first.checks[0])}</span></div>'
        f'<div><b class="h">Since then</b><span class="big">{whole(spent):g} of {whole(total):g} steps</span><p>{escape(lost)}</p></div>'
        f'<div><b class="h">Rests on</b><span class="big">{escape(first.level)}</span><p>{escape(first.why.capitalize())}.</p></div></div>'
    )


def _drawings(report: Report, first: Diagnosis | None, rules: dict[str, Rule]) -> Iterator[str]:
    if not report.curves:
        return
    onset = first.onset_step if first is not None else None
    yield "<h2>What it was judged by</h2>"
    yield f'<div class="ch" data-a="{report.steps[0]:g}" data-z="{report.steps[1]:g}">'
    for number, curve in enumerate(report.curves[:_MOST_DRAWN]):
        own = [finding for finding in report.findings if finding.key == curve.key]
        yield curve_box(curve, own, rules, onset=onset, span=report.steps, big=not number)
    yield (
        '</div><div class="key"><span><i style="background:var(--band);outline:1px solid var(--ok)"></i>no rule complains</span>'
        '<span><i style="width:3px;height:15px;background:var(--sick)"></i>onset of this curve</span>'
        '<span><i style="width:0;height:15px;border-left:2px dotted var(--sick)"></i>onset of the cause</span>'
        '<span><i style="height:0;border-top:2px dotted var(--mute)"></i>where it started</span></div>'
    )


def curve_box(
    curve: Curve,
    own: Sequence[Finding],
    rules: dict[str, Rule],
    *,
    onset: float | None,
    span: tuple[float, float],
    big: bool = False,
) -> str:
    """Return a curve with its band, its onset and what it is."""
    begin = sorted(curve.values[:3])[len(curve.values[:3]) // 2]
    low, high = _bounds(own, rules, begin, curve.axis)
    started = sorted(finding.onset_step for finding in own if finding.level != "info")
    marks = [(started[0], True)] if started else []
    if onset is not None and (not marks or abs(marks[0][0] - onset) > 1e-9):
        marks.append((onset, False))
    drawn = svg(curve, height=150 if big else 110, above=high, below=low, start=begin, onsets=marks, span=span)
    top = ranged(curve.values, also=[bound for bound in (low, high) if bound is not None])[1]
    unit = f" {curve.unit}" if curve.unit not in (None, "1") else ""
    words = "; ".join(dict.fromkeys(rules[finding.rule].title for finding in own if finding.rule in rules))
    labels = [
        f'<span class="ax" style="left:0">{span[0]:g}</span>',
        f'<span class="ax" style="right:0">{span[1]:g}</span>',
    ]
    width = (span[1] - span[0]) or 1
    for step, is_own in marks[:1]:
        at = 100 * (step - span[0]) / width
        text = f"onset {step:g}" if is_own else f"{step:g}"
        labels.append(f'<span class="ax on" style="left:{min(94.0, max(6.0, at)):.1f}%">{text}</span>')
    steps = json.dumps([whole(round(step, 2)) for step in curve.steps])
    values = json.dumps([float(f"{value:.5g}") for value in curve.values])
    return (
        f'<div class="c1{" big" if big else ""}" data-s="{steps}" data-y="{values}"><div class="hd"><code>{escape(curve.key)}</code>'
        f'<span class="w">{escape(curve.metric or "")}{escape(unit and f", {unit.strip()}")}{escape(f" · {words}" if words else "")}</span>'
        f'<span class="v">{curve.values[-1]:.3g}</span></div><div class="box">{drawn}<span class="ax top">{top:.3g}</span>'
        f'<span class="cur"></span>{"".join(labels)}</div></div>'
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
    yield '<h2>How it went</h2><ul class="chain">'
    for finding in strong[:14]:
        value = "" if finding.value is None or not math.isfinite(finding.value) else f" = {finding.value:.3g}"
        yield (
            f'<li><span class="st">step {finding.onset_step:g}</span><p><span class="t-{finding.level}"><b>{finding.level}</b></span> '
            f"<code>{escape(finding.key)}</code>{value}. {_text(finding.message)} "
            f'<span class="small">{escape(finding.rule)}, {escape(finding.basis)}{escape(f": {finding.source}" if finding.source else "")}</span></p></li>'
        )
    yield "</ul>"


def _other_causes(report: Report, first: Diagnosis | None) -> Iterator[str]:
    others = [item for item in report.diagnoses if item is not first]
    if not others:
        return
    yield f"<details{' open' if first is None else ''}><summary>{len(others)} further {'sign' if len(others) == 1 else 'signs'}</summary>"
    for item in others:
        checks = "".join(f"<li>{_text(check)}</li>" for check in item.checks)
        yield (
            f'<p><span class="t-{item.level}"><b>{item.level}</b></span> <b>{escape(item.title)}</b>, since step {item.onset_step:g}. '
            f"{_text(item.message)}</p><ol>{checks}</ol>"
        )
    yield "</details>"


def _left(report: Report, rules: dict[str, Rule]) -> Iterator[str]:
    if report.expected:
        yield "<h2>Looks sick and is not</h2><table class=rows><tr><th>key<th>what the release says"
        yield "".join(f"<tr><td><code>{escape(item.key)}</code><td>{_text(item.why)}" for item in report.expected)
        yield "</table>"
    shown = [item for item in report.not_judged if item.state != "not_applicable"]
    if shown:
        yield "<h2>Not judged, and why</h2><table class=rows><tr><th>question<th>state<th>why, and what turns it on"
        for item in shown:
            title = rules[item.rule].title if item.rule in rules else item.rule
            how = f" {_text(item.how[:1].upper() + item.how[1:])}." if item.how else ""
            yield f'<tr><td>{escape(title)}<td><span class="lab">{_STATES[item.state]}</span><td>{_text(item.why)}.{how}'
        yield "</table>"
    absent = len(report.not_judged) - len(shown)
    if absent:
        yield f'<p class="small">{absent} more rules are about what {escape(report.at or "this source")} does not log at all.</p>'
    if report.passed:
        yield f"<details><summary>{len(report.passed)} rules found nothing</summary><p>"
        yield ", ".join(f"{escape(rules[name].title)}" for name in report.passed if name in rules)
        yield ".</p></details>"


def _releases(report: Report) -> Iterator[str]:
    """Yield what other releases of the framework call the metrics of the curves."""
    rows = []
    for curve in report.curves[:_MOST_DRAWN]:
        for name in other_spellings(curve.metric, report.at, curve.key):
            rows.append(f"<tr><td><code>{escape(curve.key)}</code><td>{escape(name)}")
    if rows:
        yield "<details><summary>These curves in other releases</summary><table class=rows><tr><th>here<th>elsewhere"
        yield "".join(rows)
        yield "</table></details>"


def _footer(report: Report) -> Iterator[str]:
    yield "<details><summary>How this report was made</summary>"
    yield f"<pre><code>rlmetrics check {escape(report.run)} --at '{escape(report.at or 'auto')}' --html FILE</code></pre>"
    for note in report.notes:
        yield f"<p>{_text(note)}</p>"
    yield (
        "<p>Steps are those of the log. A rule speaks after its whole window, so that a live run would have heard of it later than at its "
        "onset. Curves are drawn in at most 128 stretches. Nothing is loaded from elsewhere.</p></details>"
    )


def _text(text: str) -> str:
    """Return plain text as HTML; what stands in backticks is code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if index % 2 else part for index, part in enumerate(parts))
