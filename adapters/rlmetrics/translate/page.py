"""The report of a translation as one page of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from .printable import printable
from .report import Report

__all__ = ["page"]

_STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8884; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
ul { padding-left: 1.2rem; } small { opacity: .75; } .bad { color: #c22; }
@media (prefers-color-scheme: dark) { .bad { color: #f88; } }
"""


def page(report: Report) -> str:
    """Return the page: what was renamed and how it differs, what was kept, set aside, lost and left out."""
    title = f"{report.source} → {report.target}"
    lost = f"<p><b class=bad>Lost: {escape(printable(report.loss()))}</b></p>" if report.loss() else ""
    parts = [
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{escape(title)}</title><style>{_STYLE}</style>",
        f"<h1>{escape(title)}</h1>",
        lost,
        f"<p>{escape(report.kind)}: {report.records} records{' (nothing was written)' if report.dry_run else ''}</p>",
    ]
    parts += _listed("Refused, left out", report.failed.values(), bad=True)
    parts += _table(
        "Collisions: different values for one name", ("new name", "old names"), _collisions(report), bad=True
    )
    if len(report.files) > 1:
        parts += _table("Files", ("file", "kind", "from", "records", "names", "lost"), map(_file, report.files))
    renamed = [row for old, how in report.translated.items() if (row := _key(old, how))[0] != row[1]]
    kept = [row for old, how in report.translated.items() if (row := _key(old, how))[0] == row[1]]
    parts += _table("Renamed", ("old name", "new name", "relation", "what differs"), renamed)
    parts += _table("Same name", ("name", "", "relation", "what differs"), [(row[0], "", *row[2:]) for row in kept])
    parts += _table("Set aside", ("old name", "written as"), map(_codes, report.set_aside.items()))
    parts += _table("Not written twice", ("old name", "same values as"), map(_codes, report.duplicates.items()))
    parts += _listed("Kept as they are: no counterpart", report.unchanged)
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


def _key(old: str, how: dict[str, Any]) -> tuple[str, str, str, str]:
    said = []
    if how["transform"]:
        said.append(f"values are converted: {how['transform']['scale']:g} × value + {how['transform']['offset']:g}")
    for difference in how["differs_by"]:
        vanishes = f"; vanishes when {difference['vanishes_when']}" if difference["vanishes_when"] else ""
        said.append(f"{difference['what']} ({difference['grade']}{vanishes})")
    small = "".join(f"<div><small>{escape(printable(text))}</small></div>" for text in said)
    return _code(old), _code(how["to"]), escape(how["relation"]), small


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
