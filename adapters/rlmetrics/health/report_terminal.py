"""A report as a person reads it in a terminal: the answer first, and not more than a screen."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from rlmetrics.logs.reading import NOT_IN_ORDER
from rlmetrics.names.inference.wording import source_line, spelling_lines
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.wording.place_words import place_words, span_words
from rlmetrics.wording.terminal import extent, padded, wrapped
from rlmetrics.wording.voice import later, phrase, spoken

from .report_records import Beyond, Curve, Diagnosis, Finding, NotJudged, Report, counted, whole
from .report_times import is_over, place_in, when
from .rules import rules_of

__all__ = ["report_text"]

_WIDTH = 80
_LABEL, _BELOW = 10, 24
"""Columns of labels, above and below."""
_COUNTED = {
    "row": (later("{count} row"), later("{count} rows")),
    "rule": (later("{count} rule"), later("{count} rules")),
    "rules": (later("{count} rules"), later("{count} rules")),
    "weaker sign": (later("{count} weaker sign"), later("{count} weaker signs")),
}
_MORE_SIGNS = (
    later("and {count} more sign that this explains"),
    later("and {count} more signs that this explains"),
)
_OF_START, _OF_HIGHEST = re.compile(r"\b(?:start|first|rise)\(x\)"), re.compile(r"\bhigh\(x\)")
_OF_LOWEST = re.compile(r"\blow\(x\)")
"""With what conditions compare a curve."""
_LARGE = 1e7
_FEW = 4
"""Points of a curve of which nothing is told but the value."""
_FURTHER = 0.1
"""By what share of its value, or of how far it had moved, a curve has gone on since something was found in it."""
_MOST_CAUSES, _MOST_CHECKS, _MOST_EVIDENCE, _MOST_REMARKS, _MOST_PLACES = 3, 4, 3, 3, 4
_SOURCE = re.compile(r"(?P<framework>[\w.-]+?)(?:\[(?P<component>[^\]]+)\])?==(?P<release>.+)")


def report_text(report: Report, *, full: bool = False) -> str:
    """Return a report in lines of 80 columns; a screen, unless all of it is asked for."""
    lines = [*_answer(report), "", *_about(report), ""]
    strong = [item for item in report.diagnoses if item.level != "info"]
    shown = list(report.diagnoses) if full else (strong or list(report.diagnoses))[:_MOST_CAUSES]
    for diagnosis in shown:
        lines += _cause(report, diagnosis, full=full)
    told = {rule for diagnosis in report.diagnoses for rule in diagnosis.explains}
    for finding in [item for item in report.findings if item.rule not in told][: None if full else _MOST_REMARKS]:
        remark = f"{_evidence(report, finding)}: {spoken(finding.message)}"
        lines += _beside(finding.level, remark, _LABEL)
    if len(report.diagnoses) > len(shown):
        lines.append(_labelled("more", f"{_counted(len(report.diagnoses) - len(shown), 'weaker sign')} · --full"))
    if full or not strong:
        lines += _beyond(report, full=full)
    lines += _cost(report)
    first = shown[0] if shown and shown[0].level != "info" else None
    if first is not None:
        lines += ["", phrase("Do this, in this order")]
        for number, check in enumerate(first.checks if full else first.checks[:_MOST_CHECKS], start=1):
            lines += wrapped(f"{number}. {spoken(check)}", indent=2, hanging=5, columns=_WIDTH - 2)
    lines += [""] if lines[-1] else []
    lines += _rest(report, full=full)
    if first is not None:
        lines += _beside("Rests on", f"{spoken(first.level)}: {spoken(first.why)}")
    lines += _evidence_of_source(report) if full else ()
    return "\n".join(lines).rstrip()


def _answer(report: Report) -> list[str]:
    first = next(iter(report.diagnoses), None)
    if first is None or first.level == "info":
        if report.verdict == "not_judged":
            return _wrapped(phrase("Not judged: {why}.", why=spoken(_why_not_judged(report))))
        few = _too_few(report)
        remark = f" {few}" if few else ""
        remark += f" {phrase('Weak signs are below.')}" if report.findings else ""
        brief, far = any(item.rule for item in report.beyond), any(not item.rule for item in report.beyond)
        remark += f" {phrase('What lies beyond a bound, too briefly to call, is below.')}" if brief else ""
        remark += f" {phrase('A setting far from its default is below.')}" if far else ""
        rules, rows = _counted(report.judged, "rule"), _counted(report.rows, "row")
        text = phrase("Nothing is wrong as far as can be judged: {rules} judged on {rows}.", rules=rules, rows=rows)
        return _wrapped(f"{text}{remark}")
    told = (
        when(report, first)
        if first.cause != "non_finite"
        else phrase("at {place}", place=place_in(report, first.onset_step))
    )
    title = phrase("{what}, {when}.", what=spoken(first.title), when=told)
    return _wrapped(f"{title} {spoken(first.message)}")


def _too_few(report: Report) -> str:
    """Return of how many points of a curve the rules can find something that could not yet; empty text if all could.

    A curve need not have a point in every row, and one that is logged at evaluation has few in a log of many rows.
    """
    needs = sorted(item.points for item in report.not_judged if item.state == "not_ready" and item.points)
    if not needs:
        return ""
    least = f"{needs[0]}" if needs[0] == needs[-1] else f"{needs[0]} to {needs[-1]}"
    verb = "needs" if len(needs) == 1 else "need"
    return f"Too few points for more: {counted(len(needs), 'further rule')} {verb} {least}."


def _why_not_judged(report: Report) -> str:
    """Return why nothing can be said about a run."""
    if report.mixed:
        return report.mixed
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
        source = report.at or report.undescribed or phrase("unknown source")
    else:
        names = [report.framework or match["framework"], match["component"], _releases(report) or match["release"]]
        source = " ".join(name for name in names if name)
    first, last = report.steps
    steps = span_words(f"{first:g}", f"{last:g}", by_row=report.by_row)
    about = f"{source} · {_counted(report.rows, 'row')}{phrase(', ')}{steps}"
    whole_line = f"{about} · {report.run}"
    yield from [whole_line] if extent(whole_line) <= _WIDTH else [about, f"  {report.run}"]
    if report.inferred_from and report.answer is not None and report.answer.is_known:
        yield from _wrapped(source_line(report.answer))
    for note in _of_reading(report):
        yield from _wrapped(note)


def _of_reading(report: Report) -> list[str]:
    """Return what is to be known of how a log was read, before anything that was found in it."""
    respelled = [] if report.answer is None else spelling_lines(report.answer)
    return [note for note in report.notes if note.startswith(NOT_IN_ORDER) or note in respelled]


def _releases(report: Report) -> str | None:
    """Return the releases that may have logged a run of which nobody said it; None where there is one."""
    if not report.inferred_from or report.answer is None or not report.answer.candidates:
        return None
    releases = report.answer.candidates[0].releases
    return f"{releases[0]}–{releases[-1]}" if len(releases) > 1 else None


def _evidence_of_source(report: Report) -> Iterator[str]:
    """Yield each piece of evidence for the source."""
    if report.answer is None or report.answer.is_given or not report.answer.evidence:
        return
    yield phrase("Source")
    for one in report.answer.evidence:
        text = f"{one.kind}: {one.says} ({one.weight:+.1f})"
        yield from wrapped(text, indent=2, hanging=4, columns=_WIDTH - 2)


def _labelled(label: str, text: str) -> str:
    return f"{padded(spoken(label), _LABEL)}{text}"


def _wrapped(text: str) -> list[str]:
    return wrapped(text, columns=_WIDTH)


def _beside(label: str, text: str, start: int = _BELOW) -> list[str]:
    """Return a label and the text beside it, from a column on."""
    first, *others = wrapped(text, indent=start, columns=_WIDTH)
    return [f"{padded(spoken(label), start)}{first[start:]}", *others]


def _counted(count: int, noun: str) -> str:
    return phrase(_COUNTED[noun][count != 1], count=count)


def _cause(report: Report, diagnosis: Diagnosis, *, full: bool) -> Iterator[str]:
    since = when(report, diagnosis)
    room = _WIDTH - _LABEL - extent(since) - 2
    title = f"{diagnosis.cause.replace('_', ' ')}: {spoken(diagnosis.title)}"
    if extent(title) > room:
        title = spoken(diagnosis.title)
    *before, head = _beside(diagnosis.level, title, _LABEL)
    yield from before
    if extent(head) + 2 + extent(since) > _WIDTH:
        yield head
        head = ""
    yield f"{head}{' ' * (_WIDTH - extent(head) - extent(since))}{since}"
    evidence = [finding for rule in diagnosis.explains for finding in report.findings if finding.rule == rule]
    curves: dict[str, Finding] = {}
    for finding in evidence:
        curves.setdefault(finding.key or finding.rule, finding)
    # Rules that look at one curve together say the same of it.
    signs = dict.fromkeys(_evidence(report, finding) for finding in evidence)
    shown = dict.fromkeys(
        [*signs] if full else (_evidence(report, finding) for finding in [*curves.values()][:_MOST_EVIDENCE])
    )
    for sign in shown:
        yield from wrapped(sign, indent=_LABEL, hanging=_LABEL + 2, columns=_WIDTH)
    if len(signs) > len(shown):
        yield " " * _LABEL + phrase(_MORE_SIGNS[len(signs) - len(shown) != 1], count=len(signs) - len(shown))


def _evidence(report: Report, finding: Finding) -> str:
    """Return key and value of a finding: from what it was before to where it was found, and where it is at the end."""
    curve = next((item for item in report.curves if item.key == finding.key), None)
    if finding.value is None:
        return f"{finding.key or finding.rule} {spoken(finding.message.split('. ')[-1].rstrip('.'))}"
    found, since = _number(finding.value), when(report, finding)
    if curve is None or len(curve.values) <= _FEW:
        return f"{finding.key} = {found} {since}"
    before = _before(curve, finding)
    moved = f"= {found}" if _number(before) == found else f"{_number(before)} -> {found}"
    end = curve.values[-1]
    goes_on = finding.first_step < curve.steps[-1] and not is_over(report, finding)
    further = goes_on and abs(end - finding.value) > _FURTHER * max(abs(finding.value - before), abs(finding.value))
    last = phrase(", {value} at the end", value=_number(end)) if further else ""
    return f"{finding.key} {moved} {since}{last}"


def _before(curve: Curve, finding: Finding) -> float:
    """Return what a curve was before: what the rule compares it with, such as its start, or its level at the onset.

    The last stretch before the onset may reach into what began, so the one before that is taken.
    """
    rule = rules_of(load_tables()).by_id.get(finding.rule)
    asked = next((condition.text for level, condition in rule.tiers if level == finding.level), "") if rule else ""
    if _OF_START.search(asked):
        return curve.values[0]
    at = bisect_left(curve.steps, finding.onset_step)
    if _OF_HIGHEST.search(asked):
        return max(curve.values[: max(1, at)])
    if _OF_LOWEST.search(asked):
        return min(curve.values[: at + 1])
    return curve.values[max(0, at - 2)]


def _number(value: float) -> str:
    text = f"{value:.3g}"
    return f"{float(text):.0f}" if "e+" in text and abs(value) < _LARGE else text


def _beyond(report: Report, *, full: bool) -> Iterator[str]:
    """Yield what lies beyond a bound in too few rows to call it a finding, and what setting is far from its default."""
    shown = report.beyond if full else report.beyond[:_MOST_EVIDENCE]
    for label, some in (
        ("Too brief to call", [item for item in shown if item.rule]),
        ("Far from default", [item for item in shown if not item.rule]),
    ):
        for index, item in enumerate(some):
            text = f"{item.key} {_number(item.value)} {_places(item, by_row=report.by_row)}: {spoken(item.what)}"
            yield from _beside("" if index else label, text)
    if len(report.beyond) > len(shown):
        yield from _beside("", phrase("and {count} more · --full", count=len(report.beyond) - len(shown)))


def _places(item: Beyond, *, by_row: bool) -> str:
    """Return at which points of a curve something is, the first of many."""
    if len(item.steps) == item.of:
        return phrase("at all {count} points", count=item.of)
    places = ", ".join(f"{step:g}" for step in item.steps[:_MOST_PLACES])
    places += " …" if len(item.steps) > _MOST_PLACES else ""
    if len(item.steps) == 1:
        return phrase("at {place}", place=place_words(places, by_row=by_row))
    return phrase("at rows {places}", places=places) if by_row else phrase("at steps {places}", places=places)


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
    for impossible in report.impossible if full else report.impossible[:2]:
        yield from _beside("Cannot be", f"{impossible.key}: {spoken(impossible.why)}")
    for index, expected in enumerate(report.expected if full else report.expected[:2]):
        yield from _beside("" if index else "Expected, not counted", f"{expected.key}: {spoken(expected.why)}")
    if report.not_judged:
        if full:
            yield from _beside("Not judged", _counted(len(report.not_judged), "rules"))
            for item in report.not_judged:
                how = f"; {item.how}" if item.how else ""
                text = f"{item.rule} ({item.state.replace('_', ' ')}): {item.why}{how}"
                yield from wrapped(text, indent=2, hanging=4, columns=_WIDTH - 2)
        else:
            rules = _counted(len(report.not_judged), "rules")
            yield from _beside("Not judged", f"{rules}: {_reasons(report.not_judged)} · --full")
    told = _of_reading(report)
    notes = [note for note in report.notes if note not in told]
    for note in notes if full else notes[:2]:
        yield from _beside("Note", note)


def _reasons(left: Sequence[NotJudged]) -> str:
    """Return why rules were not judged, most frequent reasons first."""
    counts: dict[str, int] = {}
    for item in left:
        counts[item.why if item.state == "not_logged" else item.state.replace("_", " ")] = (
            counts.get(item.why if item.state == "not_logged" else item.state.replace("_", " "), 0) + 1
        )
    best = sorted(counts, key=lambda why: -counts[why])[:3]
    return phrase(", ").join(map(spoken, best))
