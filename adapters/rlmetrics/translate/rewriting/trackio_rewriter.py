"""Writes projects of Trackio with other names, whole or some of their runs."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from pathlib import Path

from rlmetrics.logs.databases import columns, define, rewriting
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsonspans import JsonError, members
from rlmetrics.logs.kinds.trackio import TrackioProject, is_project, logged_dict, loose_text, row_error, strict_text

from ..json_rows import Rewriter
from ..report import Report
from ..translator import Translator
from .log_rewriter import RowRewriter

__all__ = ["TrackioRewriter"]

_NOTE = "translated_from"


class TrackioRewriter(RowRewriter[TrackioProject]):
    """Writes a project."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in the logged dicts translated; the configuration of each run says so.

        Everything else stays: steps, times, ids, system metrics, alerts, traces and artifacts, and runs that are not
        among those that are meant.

        Raises:
            InputError: If the database is damaged or no project, or a value can't be converted.
        """
        path, only = self.log.path, self.only
        rewriter = Rewriter(translator)

        def renamed(number: int, content: str | bytes) -> str | bytes:
            try:
                text = strict_text(path, number, content)
                new = rewriter.line(text)
                if new is None:
                    row = logged_dict(path, number, text)
                    new = text[: row.start] + rewriter.members(text, row) + text[row.end :]
            except InputError as error:
                raise error if error.path else row_error(path, number, str(error)) from None
            return new.encode() if isinstance(content, bytes) else new

        with rewriting(path, output, ("metrics", "configs")) as database:
            held = columns(database)
            if not is_project(held):
                msg = "there is no table of metrics as Trackio keeps them; is this a project of Trackio?"
                raise InputError(msg, path)
            check = define(database, "renamed", 2, renamed)
            chosen = _chosen(only)
            try:
                query = f"UPDATE metrics SET metrics = renamed(id, metrics) WHERE {chosen}"
                report.records += database.execute(query, tuple(only or ())).rowcount
            except sqlite3.OperationalError:
                check()
                raise
            if "configs" in held:
                _note(database, report, only)
            if "alerts" in held:
                _report_alerts(database, report, only)


def _chosen(only: Collection[str] | None) -> str:
    """Return the condition that a row belongs to one of some runs, or to any."""
    return "TRUE" if only is None else f"run_name IN ({', '.join('?' * len(only))})"


def _note(database: sqlite3.Connection, report: Report, only: Collection[str] | None) -> None:
    """Add to the configuration of each run what was translated; a configuration that is no object stays."""
    said = json.dumps(report.provenance(), separators=(",", ":"))
    query = f"SELECT id, config FROM configs WHERE {_chosen(only)}"
    for number, content in database.execute(query, tuple(only or ())).fetchall():
        text = loose_text(content)
        try:
            row = members(text)
        except JsonError:
            continue
        before = next((member for member in row.items if member.key == _NOTE), None)
        if before:
            new = text[: before.value_start] + said + text[before.value_end :]
        else:
            comma = "," if row.items else ""
            new = f'{text[: row.end - 1]}{comma}"{_NOTE}":{said}{text[row.end - 1 :]}'
        changed = new.encode(errors="surrogateescape") if isinstance(content, bytes) else new
        database.execute("UPDATE configs SET config = ? WHERE id = ?", (changed, number))


def _report_alerts(database: sqlite3.Connection, report: Report, only: Collection[str] | None) -> None:
    """Report alerts whose words name a metric that has another name now; what people wrote stays."""
    renamed = {old for old, how in report.translated.items() if how["to"] != old and "/" in old}
    query = f"SELECT run_name, step, title, text FROM alerts WHERE {_chosen(only)}"
    for run, step, title, text in database.execute(query, tuple(only or ())):
        named = sorted(name for name in renamed if name in f"{title} {text}")
        if named:
            report.notes.append(f"alert {title!r} of {run} at step {step} names {', '.join(named)}: left as it is")
