"""Many runs at a glance, the sickest first: a table in the terminal, and the index of a page."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from os.path import commonpath
from pathlib import Path

from .report_records import Report, counted

__all__ = ["cause_of", "count_of", "index", "overview_text", "ranked", "short_source"]

_WIDTH = 80
_GAP = "  "
_VERDICTS = {"error": "error", "warning": "warning", "nothing_found": "no finding", "not_judged": "not judged"}
"""Verdicts in words, the worst first."""
_COUNTED = {
    "error": "with an error",
    "warning": "with a warning",
    "nothing_found": "without a finding",
    "not_judged": "not judged",
}
_HEADER = ("verdict", "run, and its first cause", "source", "rows")


def ranked(reports: Sequence[Report]) -> list[Report]:
    """Return runs, the sickest first."""
    order = list(_VERDICTS)
    return sorted(reports, key=lambda report: (order.index(report.verdict), report.run))


def count_of(reports: Sequence[Report], left_out: int = 0) -> str:
    """Return how many runs have which verdict, and how many files were left out."""
    counts = Counter(report.verdict for report in reports)
    said = ", ".join(f"{counts[verdict]} {words}" for verdict, words in _COUNTED.items() if counts[verdict])
    files = f"; {counted(left_out, 'file')} left out" if left_out else ""
    return f"{counted(len(reports), 'run')}: {said}{files}"


def overview_text(reports: Sequence[Report], left_out: int = 0) -> str:
    """Return a table of runs in lines of 80 columns, the cause below each, and a count of their verdicts."""
    root, runs = _root(reports), ranked(reports)
    rows = [(_VERDICTS[one.verdict], _below(one.run, root), _source_of(one), str(one.rows)) for one in runs]
    widths = [max(map(len, column)) for column in zip(_HEADER, *rows, strict=True)]
    widths[1] = min(widths[1], _WIDTH - widths[0] - widths[2] - widths[3] - 3 * len(_GAP))
    lines = [_line(_HEADER, widths)]
    for row, one in zip(rows, runs, strict=True):
        lines.append(_line(row, widths))
        indent = " " * (widths[0] + 2 * len(_GAP))
        lines += textwrap.wrap(cause_of(one), _WIDTH, initial_indent=indent, subsequent_indent=indent)
    where = f"all below {root}" if root else ""
    return "\n".join([*lines, "", *textwrap.wrap(count_of(reports, left_out), _WIDTH), *filter(None, [where])])


def index(reports: Sequence[Report], left_out: Sequence[str]) -> Iterator[str]:
    """Yield the index of a page with several runs: a table whose rows lead to them."""
    root = _root(reports)
    yield f'<article><h1>{escape(count_of(reports))}</h1><p class="mute">below <code>{escape(root or ".")}</code></p>'
    yield '<div class="wide"><table class="rows index"><tr>'
    yield "".join(f"<th>{title}" for title in ("verdict", "run", "source", "rows", "steps", "first cause"))
    for number, one in enumerate(ranked(reports), start=1):
        verdict = one.verdict
        steps = f"{one.steps[0]:g}&ndash;{one.steps[1]:g}"
        tone = verdict if verdict in ("error", "warning") else "ok"
        yield (
            f'<tr><td class="t-{tone}"><b>{_VERDICTS[verdict]}</b>'
            f'<td><a href="#run-{number}">{escape(_below(one.run, root))}</a><td>{escape(_source_of(one))}'
            f'<td data-l="rows">{one.rows}<td data-l="steps">{steps}<td>{escape(cause_of(one))}'
        )
    yield "</table></div>"
    if left_out:
        yield "<h2>Left out</h2><ul>" + "".join(f"<li>{escape(reason)}" for reason in left_out) + "</ul>"
    yield "</article>"


def cause_of(report: Report) -> str:
    """Return what the first diagnosis of a run says, and since when; nothing if no rule complains."""
    first = next(iter(report.diagnoses), None)
    return "" if first is None or first.level == "info" else f"{first.title}, since step {first.onset_step:g}"


def _root(reports: Sequence[Report]) -> str:
    """Return the folder that all runs lie in; empty if that says nothing."""
    folders = {str(Path(report.run).parent) for report in reports}
    if len(folders) < 1 or len({Path(folder).is_absolute() for folder in folders}) > 1:
        return ""
    root = commonpath(folders)
    return "" if root in ("", ".", "/") else root


def _below(run: str, root: str) -> str:
    return run[len(root) :].lstrip("/") if root and run.startswith(root) else run


def _source_of(report: Report) -> str:
    return short_source(report.at or report.undescribed)


def short_source(at: str | None) -> str:
    """Return a source without what stands to reason: ``GRPO 1.16.0`` for ``trl[GRPOTrainer]==1.16.0``."""
    if at is None:
        return "unknown"
    framework, _, release = at.partition("==")
    program, _, component = framework.rstrip("]").partition("[")
    name = component.removesuffix("Trainer") if program == "trl" and component else f"{program} {component}".rstrip()
    return f"{name} {release}".rstrip()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line of the table; names of files that are too long lose their beginning."""
    verdict, run, source, rows = cells
    run = run if len(run) <= widths[1] else f"…{run[len(run) - widths[1] + 1 :]}"
    parts = (verdict.ljust(widths[0]), run.ljust(widths[1]), source.ljust(widths[2]), rows.rjust(widths[3]))
    return _GAP.join(parts).rstrip()
