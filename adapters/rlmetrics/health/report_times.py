"""When what a report tells of was so: since a step, or from one to another if it is over."""

from __future__ import annotations

from collections.abc import Collection

from rlmetrics.wording.place_words import place_words, span_words
from rlmetrics.wording.voice import phrase

from .report_records import Diagnosis, Finding, Report

__all__ = ["is_over", "place_in", "when"]

_OVER = 0.1
"""Share of a curve's steps, at its end, in which nothing is found any more of what is over: rules look at long curves
more rarely than at each point."""


def place_in(report: Report, step: float) -> str:
    """Return a step of a run, or a row of one that tells none."""
    return place_words(f"{step:g}", by_row=report.by_row)


def is_over(report: Report, item: Diagnosis | Finding) -> bool:
    """Tell whether something was so, and is not any more."""
    return _ended(report, item) is not None


def when(report: Report, item: Diagnosis | Finding) -> str:
    """Return since when something is so, or from when to when it was."""
    last = _ended(report, item)
    if last is None:
        return phrase("since {place}", place=place_in(report, item.onset_step))
    if last == item.onset_step:
        return phrase("at {place}", place=place_in(report, last))
    return span_words(f"{item.onset_step:g}", f"{last:g}", by_row=report.by_row)


def _ended(report: Report, item: Diagnosis | Finding) -> float | None:
    """Return the last step at which something held; None if that is about the end of its curves."""
    rules: Collection[str] = item.explains if isinstance(item, Diagnosis) else (item.rule,)
    found = [item] if isinstance(item, Finding) else [one for one in report.findings if one.rule in rules]
    ends = {curve.key: curve.steps[-1] for curve in report.curves if curve.steps}
    first, last = report.steps
    left = [ends.get(one.key or "", last) - one.last_step for one in found]
    if not found or min(left) <= _OVER * (last - first):
        return None
    return max(one.last_step for one in found)
