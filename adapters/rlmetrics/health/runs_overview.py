"""Many runs at a glance, the sickest first: a table in the terminal, and the index of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from os.path import commonpath
from pathlib import Path

from rlmetrics.charts.chart_page import size_of
from rlmetrics.names import load_tables
from rlmetrics.wording.terminal import extent, padded, wrapped
from rlmetrics.wording.voice import begun, later, phrase, spoken

from .report_records import Report
from .report_times import when

__all__ = ["cause_of", "count_of", "index", "overview_text", "ranked", "short_source"]

_WIDTH = 80
_GAP = "  "
_NARROWEST = 26
"""Columns that names of runs have, if they are as long, however long their sources are."""
_VERDICTS = {
    "error": later("error"),
    "warning": later("warning"),
    "nothing_found": later("no finding"),
    "not_judged": later("not judged"),
}
"""Verdicts in words, the worst first."""
_COUNTED = {
    "error": later("{count} with an error"),
    "warning": later("{count} with a warning"),
    "nothing_found": later("{count} without a finding"),
    "not_judged": later("{count} not judged"),
}
_FEW, _MOST_CAUSES = 10, 8
"""Up to how many runs the table alone is a glance, and how many causes are told of more."""
_LONGEST = 1_500_000
"""Bytes of the rows in the index of a page."""
_HEADER = (later("verdict"), later("run, and its first cause"), later("source"), later("rows"))


def ranked(reports: Sequence[Report]) -> list[Report]:
    """Return runs, the sickest first."""
    order = list(_VERDICTS)
    return sorted(reports, key=lambda report: (order.index(report.verdict), report.run))


def count_of(reports: Sequence[Report], left_out: int = 0) -> str:
    """Return how many runs have which verdict, and how many files were left out."""
    counts = Counter(report.verdict for report in reports)
    told = [phrase(words, count=counts[verdict]) for verdict, words in _COUNTED.items() if counts[verdict]]
    left = later("1 file left out") if left_out == 1 else later("{count} files left out")
    files = f"{phrase('; ')}{phrase(left, count=left_out)}" if left_out else ""
    runs = later("1 run:") if len(reports) == 1 else later("{count} runs:")
    return f"{begun(runs, count=len(reports))}{phrase(', ').join(told)}{files}"


def overview_text(reports: Sequence[Report], left_out: int = 0) -> str:
    """Return a table of runs in lines of 80 columns, the cause below each, and a count of their verdicts.

    Of more than a few runs, causes that several of them have come before it, the most frequent first.
    """
    root, runs = _root(reports), ranked(reports)
    lines = list(_causes(reports)) if len(reports) > _FEW else []
    rows = [(phrase(_VERDICTS[one.verdict]), _below(one.run, root), _source_of(one), str(one.rows)) for one in runs]
    header = tuple(map(phrase, _HEADER))
    widths = [max(map(extent, column)) for column in zip(header, *rows, strict=True)]
    room = _WIDTH - widths[0] - widths[3] - 3 * len(_GAP)
    widths[2] = min(widths[2], room - min(widths[1], _NARROWEST))
    widths[1] = min(widths[1], room - widths[2])
    lines.append(_line(header, widths))
    for row, one in zip(rows, runs, strict=True):
        lines.append(_line(row, widths))
        if cause := cause_of(one):
            lines += wrapped(cause, indent=widths[0] + 2 * len(_GAP), columns=_WIDTH)
    where = phrase("all below {place}", place=root) if root else ""
    return "\n".join([*lines, "", *wrapped(count_of(reports, left_out), columns=_WIDTH), *filter(None, [where])])


def _causes(reports: Sequence[Report]) -> Iterator[str]:
    """Yield how many runs have which first cause, those of more than one run; then an empty line."""
    shared = _shared(reports)
    if not shared:
        return
    yield f"{padded(phrase('runs'), 6)}{phrase('first cause')}"
    for title, count in shared[:_MOST_CAUSES]:
        first, *others = wrapped(title, indent=6, columns=_WIDTH)
        yield from (f"{count:4}  {first[6:]}", *others)
    if len(shared) > _MOST_CAUSES:
        yield f"      {phrase('and {count} more', count=len(shared) - _MOST_CAUSES)}"
    yield ""


def _shared(reports: Sequence[Report]) -> list[tuple[str, int]]:
    """Return first causes that several runs have, with how many, the most frequent first."""
    titles = Counter(spoken(one.diagnoses[0].title) for one in reports if cause_of(one))
    return [(title, count) for title, count in titles.most_common() if count > 1]


def index(reports: Sequence[Report], left_out: Sequence[str], told: int) -> Iterator[str]:
    """Yield the index of a page with several runs: causes that several have, and a table whose rows lead to them.

    Args:
        reports: The runs.
        left_out: Why what could not be judged was left out.
        told: Of how many, the sickest, the page tells more.
    """
    root, runs = _root(reports), ranked(reports)
    yield f"<article><h1>{escape(count_of(reports))}</h1>"
    yield f'<p class="mute">{escape(phrase("below"))} <code>{escape(root or ".")}</code></p>'
    shared = _shared(reports) if len(reports) > _FEW else []
    if shared:
        heads = f"<th>{escape(phrase('runs'))}<th>{escape(phrase('first cause'))}"
        yield f'<div class="wide"><table class="rows"><tr>{heads}'
        yield from (f"<tr><td>{count}<td>{escape(title)}" for title, count in shared)
        yield "</table></div>"
    yield '<div class="wide"><table class="rows index"><tr>'
    titles = (later("verdict"), later("run"), later("source"), later("rows"), later("steps"), later("first cause"))
    yield "".join(f"<th>{escape(phrase(title))}" for title in titles)
    size = 0
    for number, one in enumerate(runs, start=1):
        steps = f"{one.steps[0]:g}&ndash;{one.steps[1]:g}"
        tone = one.verdict if one.verdict in ("error", "warning") else "ok"
        verdict, name = escape(phrase(_VERDICTS[one.verdict])), escape(_below(one.run, root))
        row = (
            f'<tr><td class="t-{tone}"><b>{verdict}</b><td><a href="#run-{number}">{name}</a>'
            f'<td>{escape(_source_of(one))}<td data-l="{escape(phrase("rows"))}">{one.rows}'
            f'<td data-l="{escape(phrase("steps"))}">{steps}'
            if number <= told
            else f"<tr><td>{verdict}<td>{name}<td>{escape(_source_of(one))}<td>{one.rows}<td>{steps}"
        )
        row += f"<td>{escape(cause_of(one))}"
        size += size_of(row)
        if size > _LONGEST:
            more = phrase("and {count} more, which --json and --findings have", count=len(runs) - number + 1)
            yield f"<tr><td><td>{escape(more)}"
            break
        yield row
    yield "</table></div>"
    if left_out:
        yield (
            f"<h2>{escape(phrase('Left out'))}</h2><ul>"
            + "".join(f"<li>{escape(reason)}" for reason in left_out)
            + "</ul>"
        )
    yield "</article>"


def cause_of(report: Report) -> str:
    """Return what the first diagnosis of a run says, and since when; nothing if no rule complains."""
    first = next(iter(report.diagnoses), None)
    return "" if first is None or first.level == "info" else f"{spoken(first.title)}{phrase(', ')}{when(report, first)}"


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
    """Return what logged a run, with all that its log leaves open: releases, and whether other trainers may have."""
    answer = report.answer
    if answer is None or answer.is_given or not answer.candidates or report.at is None:
        return short_source(report.at or report.undescribed)
    likeliest, *others = answer.candidates
    # Beside others, the release that it ran on takes more room than it tells.
    first, last = (likeliest.releases[place].partition("+")[0] for place in (0, -1))
    said = short_source(f"{likeliest.name}=={first}" if first == last else f"{likeliest.name}=={first}–{last}")
    return phrase("{source} or other", source=said) if others else said


def short_source(at: str | None) -> str:
    """Return a source without what stands to reason: ``GRPO 1.16.0`` for ``trl[GRPOTrainer]==1.16.0``."""
    if at is None:
        return phrase("unknown")
    framework, _, release = at.partition("==")
    program, _, component = framework.rstrip("]").partition("[")
    # What the first framework calls a trainer people know without its name.
    is_known = bool(component) and program == next(iter(load_tables().frameworks))
    name = component.removesuffix("Trainer") if is_known else f"{program} {component}".rstrip()
    return f"{name} {release}".rstrip()


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    """Return a line of the table; names of files that are too long lose their beginning, sources their end."""
    verdict, run, source, rows = cells
    source = source if extent(source) <= widths[2] else f"{source[: widths[2] - 1]}…"
    run = run if len(run) <= widths[1] else f"…{run[len(run) - widths[1] + 1 :]}"
    parts = (
        padded(verdict, widths[0]),
        padded(run, widths[1]),
        padded(source, widths[2]),
        f"{'':{widths[3] - extent(rows)}}{rows}",
    )
    return _GAP.join(parts).rstrip()
