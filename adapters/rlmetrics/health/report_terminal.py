"""A report as a person reads it in a terminal: the answer first, and not more than a screen."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence

from rlmetrics.names.inference.wording import source_line

from .report_records import Diagnosis, Finding, NotJudged, Report, counted, whole

__all__ = ["report_text"]

_WIDTH = 80
_LABEL = 10
_MOST_CAUSES, _MOST_CHECKS, _MOST_EVIDENCE, _MOST_REMARKS = 3, 4, 3, 3
_TITLES = {"trl": "TRL", "verl": "verl"}
_SOURCE = re.compile(r"(?P<framework>\w+)(?:\[(?P<component>[^\]]+)\])?==(?P<release>.+)")


def report_text(report: Report, *, full: bool = False) -> str:
    """Return a report in lines of 80 columns; a screen, unless all of it is asked for."""
    lines = [*_answer(report), "", *_about(report), ""]
    strong = [item for item in report.diagnoses if item.level != "info"]
    shown = list(report.diagnoses) if full else (strong or list(report.diagnoses))[:_MOST_CAUSES]
    for diagnosis in shown:
        lines += _cause(report, diagnosis, full=full)
    told = {rule for diagnosis in report.diagnoses for rule in diagnosis.explains}
    for finding in [item for item in report.findings if item.rule not in told][: None if full else _MOST_REMARKS]:
        lines += textwrap.wrap(
            _labelled(finding.level, f"{_evidence(report, finding)}: {finding.message}"),
            _WIDTH,
            subsequent_indent=" " * _LABEL,
        )
    if len(report.diagnoses) > len(shown):
        lines.append(_labelled("more", f"{counted(len(report.diagnoses) - len(shown), 'weaker sign')} · --full"))
    lines += _cost(report)
    first = shown[0] if shown and shown[0].level != "info" else None
    if first is not None:
        lines += ["", "Do this, in this order"]
        for number, check in enumerate(first.checks if full else first.checks[:_MOST_CHECKS], start=1):
            lines += textwrap.wrap(check, _WIDTH - 2, initial_indent=f"  {number}. ", subsequent_indent="     ")
    lines += [""] if lines[-1] else []
    lines += _rest(report, full=full)
    if first is not None:
        lines += textwrap.wrap(
            f"Certainty               {first.level}: {first.why} ({first.confidence:.0%})",
            _WIDTH,
            subsequent_indent=" " * 24,
        )
    lines += _evidence_of_source(report) if full else ()
    return "\n".join(lines).rstrip()


def _answer(report: Report) -> list[str]:
    first = next(iter(report.diagnoses), None)
    if first is None or first.level == "info":
        if report.verdict == "not_judged":
            return textwrap.wrap(f"Not judged: {_why_not_judged(report)}.", _WIDTH)
        few = _too_few(report)
        remark = f" {few}" if few else ""
        remark += " Weak signs are below." if report.findings else ""
        rules, rows = counted(report.judged, "rule"), counted(report.rows, "row")
        text = f"Nothing is wrong as far as can be judged: {rules} judged on {rows}.{remark}"
        return textwrap.wrap(text, _WIDTH)
    since = f"since step {first.onset_step:g}" if first.cause != "non_finite" else f"at step {first.onset_step:g}"
    return textwrap.wrap(f"{first.title}, {since}. {first.message}", _WIDTH)


def _too_few(report: Report) -> str:
    """Return how many rows most of the rules need that had too few; empty text if none did.

    Rules on what is logged more rarely, as at evaluation, may lack points in a log of many rows.
    """
    needs = sorted(item.points for item in report.not_judged if item.points > report.rows)
    if not needs:
        return ""
    least = f"{needs[0]}" if needs[0] == needs[-1] else f"{needs[0]} to {needs[-1]}"
    verb = "needs" if len(needs) == 1 else "need"
    return f"Too few rows for more: {report.rows} of the {least} that {counted(len(needs), 'further rule')} {verb}."


def _why_not_judged(report: Report) -> str:
    """Return why nothing can be said about a run."""
    if report.answer is not None and not report.answer.is_known:
        return source_line(report.answer)
    if not report.keys:
        return f"no rule looks at anything that these {counted(report.rows, 'row')} hold"
    every = len(report.passed) + len(report.not_judged) + len({finding.rule for finding in report.findings})
    return f"{report.judged} of {every} rules could be judged on {counted(report.rows, 'row')}"


def _about(report: Report) -> Iterator[str]:
    """Yield what logged the run, how that is known where it was not said, and what there is of it."""
    match = _SOURCE.fullmatch(report.at or "")
    if match is None:
        source = report.at or report.undescribed or "unknown source"
    else:
        names = [_TITLES.get(match["framework"], match["framework"]), match["component"], match["release"]]
        source = " ".join(name for name in names if name)
    first, last = report.steps
    yield f"{source} · {counted(report.rows, 'row')}, steps {first:g} to {last:g} · {report.run}"
    if report.inferred_from and report.answer is not None and report.answer.is_known:
        yield from textwrap.wrap(source_line(report.answer), _WIDTH)


def _evidence_of_source(report: Report) -> Iterator[str]:
    """Yield each piece of evidence for the source."""
    if report.answer is None or report.answer.is_given or not report.answer.evidence:
        return
    yield "Source"
    for one in report.answer.evidence:
        text = f"{one.kind}: {one.says} ({one.weight:+.1f})"
        yield from textwrap.wrap(text, _WIDTH - 2, initial_indent="  ", subsequent_indent="    ")


def _labelled(label: str, text: str) -> str:
    return f"{label:<{_LABEL}}{text}"


def _cause(report: Report, diagnosis: Diagnosis, *, full: bool) -> Iterator[str]:
    since = f"since step {diagnosis.onset_step:g}"
    title = f"{diagnosis.cause.replace('_', ' ')}: {diagnosis.title}"
    if len(title) > _WIDTH - _LABEL - len(since) - 2:
        title = diagnosis.title[: _WIDTH - _LABEL - len(since) - 2]
    head = _labelled(diagnosis.level, title)
    yield head + since.rjust(max(_WIDTH - len(head), len(since) + 2))
    evidence = [finding for rule in diagnosis.explains for finding in report.findings if finding.rule == rule]
    for finding in evidence if full else evidence[:_MOST_EVIDENCE]:
        yield " " * _LABEL + _evidence(report, finding)
    if len(evidence) > _MOST_EVIDENCE and not full:
        yield " " * _LABEL + f"and {len(evidence) - _MOST_EVIDENCE} more signs that this explains"


def _evidence(report: Report, finding: Finding) -> str:
    """Return key and value of a finding: how it moved, where its curve is known."""
    curve = next((item for item in report.curves if item.key == finding.key), None)
    if finding.value is None:
        return f"{finding.key or finding.rule} {finding.message.split('. ')[-1].rstrip('.')}"
    if curve is not None and len(curve.values) > 4:
        moved = f"{_number(curve.values[0])} -> {_number(finding.value)}"
        if _number(curve.values[0]) == _number(finding.value):
            moved = f"= {_number(finding.value)}"
    else:
        moved = f"= {_number(finding.value)}"
    return f"{finding.key} {moved} at step {finding.first_step:g}"


def _number(value: float) -> str:
    return f"{value:.3g}"


def _cost(report: Report) -> list[str]:
    cost = report.cost
    if not cost.get("steps"):
        return []
    parts = [f"{whole(cost['steps'])} steps"]
    parts += [f"{cost['completions']:,.0f} responses"] if "completions" in cost else []
    parts += [f"{cost['gpu_hours']:.1f} GPU-hours"] if "gpu_hours" in cost else []
    parts += [f"{cost['hours']:.1f} hours"] if "hours" in cost and "gpu_hours" not in cost else []
    return [_labelled("cost", f"{', '.join(parts)} without signal so far")]


def _rest(report: Report, *, full: bool) -> Iterator[str]:
    for index, expected in enumerate(report.expected if full else report.expected[:2]):
        label = " " * 24 if index else "Expected, not counted   "
        yield from textwrap.wrap(f"{label}{expected.key}: {expected.why}", _WIDTH, subsequent_indent=" " * 24)
    if report.not_judged:
        if full:
            yield f"Not judged              {len(report.not_judged)} rules"
            for item in report.not_judged:
                how = f"; {item.how}" if item.how else ""
                yield from textwrap.wrap(
                    f"{item.rule} ({item.state.replace('_', ' ')}): {item.why}{how}",
                    _WIDTH - 2,
                    initial_indent="  ",
                    subsequent_indent="    ",
                )
        else:
            yield from textwrap.wrap(
                f"Not judged              {len(report.not_judged)} rules: {_reasons(report.not_judged)} · --full",
                _WIDTH,
                subsequent_indent=" " * 24,
            )
    for note in report.notes if full else report.notes[:2]:
        yield from textwrap.wrap(f"Note                    {note}", _WIDTH, subsequent_indent=" " * 24)


def _reasons(left: Sequence[NotJudged]) -> str:
    """Return why rules were not judged, most frequent reasons first."""
    counts: dict[str, int] = {}
    for item in left:
        counts[item.why if item.state == "not_logged" else item.state.replace("_", " ")] = (
            counts.get(item.why if item.state == "not_logged" else item.state.replace("_", " "), 0) + 1
        )
    best = sorted(counts, key=lambda why: -counts[why])[:3]
    return ", ".join(best)
