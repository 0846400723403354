"""The report of a translation as one page of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from rlmetrics.logs.printable import printable

from .report import Report

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; }
tr[data-severity] td:nth-child(2), tr[data-severity] td:nth-child(3) { min-width: 9rem; width: 22%; }
tr[data-severity] td:first-child { white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; } small { opacity: .75; } .bad { color: #c22; }
@media (prefers-color-scheme: dark) { .bad { color: #f88; } }
@media (max-width: 40rem) {
  .keys, .keys tbody, .keys tr, .keys td { display: block; } .keys thead { display: none; }
  .keys tr { border-bottom: 1px solid #8884; padding: .4rem 0; }
  tr[data-severity] td { border: 0; padding: 0; min-width: 0 !important; width: auto !important; }
}
"""

_ORDER = ("biased", "unreviewed", "close", "same", "look-alike", "none")
_MARKS = {"same": "=", "close": "≈", "unreviewed": "≈", "biased": "!", "look-alike": "≠", "none": "·"}
_SCRIPT = """<script>
const search = document.querySelector(".filter input[type=search]");
const boxes = [...document.querySelectorAll(".filter input[type=checkbox]")];
function filter() {
  const shown = new Set(boxes.filter(box => box.checked).map(box => box.value));
  const text = search.value.toLowerCase();
  for (const row of document.querySelectorAll("table.keys tbody tr"))
    row.hidden = !shown.has(row.dataset.severity) || !row.textContent.toLowerCase().includes(text);
}
for (const input of [search, ...boxes]) input.addEventListener("input", filter);
</script>"""


def page(report: Report) -> str:
    """Return the page: each key with its severity and how it differs, what was kept, set aside, lost and left out."""
    title = f"{report.source} → {report.target}"
    lost = f"<p><b class=bad>Lost: {escape(printable(report.loss()))}</b></p>" if report.loss() else ""
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1>",
        lost,
        f"<p>{escape(report.kind)}: {report.records} records{' (nothing was written)' if report.dry_run else ''}</p>",
    ]
    if len(report.files) > 1:
        parts += _table("Files", ("file", "kind", "from", "records", "names", "lost"), map(_file, report.files))
    parts += _listed("Refused, left out", report.failed.values(), bad=True)
    alone = (f"{path}: {why}" for path, why in report.left_alone.items())
    parts += _listed("Of another source, left alone", alone, bad=True)
    parts += _table(
        "Collisions: different values for one name", ("new name", "old names"), _collisions(report), bad=True
    )
    parts += _keys(report)
    parts += _table("Set aside", ("old name", "written as"), map(_codes, report.set_aside.items()))
    parts += _table("Not written twice", ("old name", "same values as"), map(_codes, report.duplicates.items()))
    parts += _listed("Unknown", report.unknown)
    parts += _listed("Notes", report.notes)
    parts += _listed("Files without names, copied", report.copied)
    parts += _listed("Files left out", report.skipped)
    parts += _listed("Written", report.outputs)
    return "\n".join(filter(None, parts)) + "\n"


def _code(text: str) -> str:
    return f"<code>{escape(printable(text))}</code>"


def _codes(texts: Iterable[str]) -> list[str]:
    return [_code(text) for text in texts]


def _keys(report: Report) -> list[str]:
    """Return the table of all keys with their severity, the worst that was carried over first, and what filters it."""
    rows = [(how["severity"], _code(old), _code(how["to"]), _differing(how)) for old, how in report.translated.items()]
    for old, how in report.kept.items():
        place = "set aside" if old in report.set_aside else "kept"
        nearest = f"not <code>{escape(printable(how['nearest']))}</code>: " if how["nearest"] else ""
        why = f"<div><small>{nearest}{escape(printable(how['why'] or 'nothing like it'))}</small></div>"
        rows.append((how["severity"], _code(old), f"<small>{place}</small>", why))
    if not rows:
        return []
    rows.sort(key=lambda row: _ORDER.index(row[0]))
    lines = [
        f"<tr data-severity={severity}><td>{_MARKS[severity]} {severity}</td>"
        f"{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>\n"
        for severity, *cells in rows
    ]
    severities = [severity for severity in _ORDER if any(row[0] == severity for row in rows)]
    boxes = "".join(
        f"<label><input type=checkbox checked value={severity}> {_MARKS[severity]} {severity} "
        f"({sum(row[0] == severity for row in rows)})</label> "
        for severity in severities
    )
    head = "".join(f"<th>{cell}</th>" for cell in ("severity", "old name", "new name", "what differs"))
    judged = "".join(f"<p><small>Judged by {escape(_judged_by(one))}</small></p>" for one in report.configuration)
    return [
        _heading("Keys", len(rows), bad=False),
        judged,
        f"<p class=filter><input type=search placeholder='filter by name'> {boxes}</p>",
        f"<table class=keys><thead><tr>{head}</tr></thead>\n<tbody>{''.join(lines)}</tbody></table>",
        _SCRIPT,
    ]


def _judged_by(configuration: dict[str, Any]) -> str:
    values = ", ".join(f"{name}={value}" for name, value in configuration["values"].items())
    return printable(f"the run's configuration ({configuration['where']}): {values}")


def _differing(how: dict[str, Any]) -> str:
    said = []
    if how["transform"]:
        said.append(f"values are converted: {how['transform']['scale']:g} × value + {how['transform']['offset']:g}")
    for difference in how["differs_by"]:
        vanishes = f"; same if {difference['vanishes_when']}" if difference["vanishes_when"] else ""
        applies = {True: "; applies here", False: "; does not apply here", None: ""}[difference["applies"]]
        said.append(f"{difference['what']} ({difference['grade']}{applies}{vanishes})")
    return "".join(f"<div><small>{escape(printable(text))}</small></div>" for text in said)


def _file(report: Report) -> tuple[str, ...]:
    lost = f"<span class=bad>{report.lost.bytes} bytes</span>" if report.lost.bytes else ""
    renamed = sum(old != how["to"] for old, how in report.translated.items())
    return _code(report.path), escape(report.kind), escape(report.source), f"{report.records}", f"{renamed}", lost


def _collisions(report: Report) -> list[tuple[str, str]]:
    return [(_code(new), ", ".join(_codes(olds))) for new, olds in report.collisions.items()]


def _table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, bad: bool = False) -> list[str]:
    lines = ["".join(f"<td{' class=number' if cell.isdigit() else ''}>{cell}</td>" for cell in row) for row in rows]
    if not lines:
        return []
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(f"<tr>{line}</tr>\n" for line in lines)
    return [
        _heading(title, len(lines), bad=bad),
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>",
    ]


def _listed(title: str, entries: Iterable[str], *, bad: bool = False) -> list[str]:
    lines = [f"<li>{_code(entry)}</li>" for entry in entries]
    return [_heading(title, len(lines), bad=bad), f"<ul>{''.join(lines)}</ul>"] if lines else []


def _heading(title: str, count: int, *, bad: bool) -> str:
    return f"<h2{' class=bad' if bad else ''}>{escape(title)} ({count})</h2>"
