"""Projects of Trackio: SQLite databases with each logged dict as JSON, text in early releases and bytes later."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from rlmetrics.logs.databases import columns, define, reading, rewriting, tables
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.jsonspans import JsonError, Members, members
from rlmetrics.logs.reading import Account, LoggedRow, RecordedRun, as_step
from rlmetrics.logs.run_settings import RunSettings, first_line, flattened

from ..json_rows import Rewriter
from ..logs import Kind, RowLog, arguments_among
from ..report import Report
from ..translator import Translator

__all__ = ["KIND"]

_SAMPLE_ROWS = 200
_NOTE = "translated_from"


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a database with a table of logged dicts."""
    return _is_project(tables(path))


class TrackioProject(RowLog):
    """A project: a database that may hold several runs."""

    def names(self) -> set[str]:
        """Return the names in the first rows of each run."""
        return set[str]().union(*self._runs().values())

    def runs(self) -> Mapping[str | None, Collection[str]]:
        """Return the names in the first rows of each run, by its name."""
        return self._runs() or super().runs()

    def _runs(self) -> dict[str | None, Collection[str]]:
        keys: dict[str | None, Collection[str]] = {}
        with reading(self.path) as database:
            for (run,) in database.execute("SELECT DISTINCT run_name FROM metrics ORDER BY run_name").fetchall():
                if not isinstance(run, str):
                    msg = f"a run is called {run!r}, which is no text; mend the table metrics"
                    raise InputError(msg, self.path)
                query = "SELECT id, metrics FROM metrics WHERE run_name = ? ORDER BY id LIMIT ?"
                keys[run] = {
                    member.key
                    for number, content in database.execute(query, (run, _SAMPLE_ROWS))
                    for member in _row(self.path, number, _text(self.path, number, content)).items
                }
        return keys

    def argument_names(self) -> dict[str | None, frozenset[str]]:
        """Return the names of the arguments in the configuration of each run."""
        names: dict[str | None, set[str]] = {}
        with reading(self.path) as database:
            for run, content in _configs(database):
                text = _loose_text(content)
                with suppress(JsonError):
                    names.setdefault(run, set()).update(member.key for member in members(text).items)
        return {run: arguments_among(keys) for run, keys in names.items()}

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the configuration of each run."""
        settings: dict[str | None, RunSettings] = {}
        with reading(self.path) as database:
            for run, content in _configs(database):
                try:
                    settings[run] = RunSettings(flattened(json.loads(content)), "Trackio")
                except ValueError as error:
                    problem = f"the configuration of run {run} is no JSON: {first_line(error)}"
                    settings[run] = RunSettings(problems=(problem,))
        return settings

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the rows with the names of their runs."""
        with reading(self.path) as database:
            for run, number, content in database.execute("SELECT run_name, id, metrics FROM metrics ORDER BY id"):
                text = _text(self.path, number, content)
                try:
                    yield run, _row(self.path, number, text).values(text)
                except InputError as error:
                    raise error if error.path else _error(self.path, number, str(error)) from None

    def read(self) -> Iterator[RecordedRun]:
        """Yield the runs."""
        with reading(self.path) as database:
            names = [name for (name,) in database.execute("SELECT DISTINCT run_name FROM metrics ORDER BY run_name")]
        for name in names:
            account = Account()
            yield self.run(self._logged(name, account), account, name)

    def _logged(self, name: str, account: Account) -> Iterator[LoggedRow]:
        with reading(self.path) as database:
            query = "SELECT step, metrics FROM metrics WHERE run_name = ? ORDER BY id"
            for step, content in database.execute(query, (name,)):
                try:
                    row = json.loads(content)
                except (ValueError, TypeError) as error:
                    account.skip(f"a row at step {step} is no JSON: {first_line(error)}")
                    continue
                if isinstance(row, dict):
                    yield LoggedRow(as_step(step), row)

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the names in the logged dicts translated; the configuration of each run says so.

        Everything else stays: steps, times, ids, system metrics, alerts, traces and artifacts, and runs that are not
        among those that are meant.

        Raises:
            InputError: If the database is damaged or no project, or a value can't be converted.
        """
        path, only = self.path, self.only
        rewriter = Rewriter(translator)

        def renamed(number: int, content: str | bytes) -> str | bytes:
            try:
                text = _text(path, number, content)
                new = rewriter.line(text)
                if new is None:
                    row = _row(path, number, text)
                    new = text[: row.start] + rewriter.members(text, row) + text[row.end :]
            except InputError as error:
                raise _error(path, number, str(error)) from None
            return new.encode() if isinstance(content, bytes) else new

        with rewriting(path, output, ("metrics", "configs")) as database:
            held = columns(database)
            if not _is_project(held):
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


def _configs(database: sqlite3.Connection) -> Iterable[tuple[str, str | bytes]]:
    """Return the configuration of each run, as it is kept."""
    return database.execute("SELECT run_name, config FROM configs") if "configs" in columns(database) else ()


def _is_project(held: dict[str, set[str]]) -> bool:
    return {"id", "run_name", "step", "metrics"} <= held.get("metrics", set())


def _text(path: Path, number: int, content: object) -> str:
    try:
        return content.decode() if isinstance(content, bytes) else str(content)
    except UnicodeDecodeError as error:
        raise _error(path, number, f"not UTF-8 text: {error.reason}") from None


def _loose_text(content: object) -> str:
    """Return a text so that bytes that are no UTF-8 survive."""
    return content.decode(errors="surrogateescape") if isinstance(content, bytes) else str(content)


def _row(path: Path, number: int, text: str) -> Members:
    """Return the members of a logged dict.

    Raises:
        InputError: If it is none.
    """
    try:
        return members(text)
    except JsonError as error:
        raise _error(path, number, f"not a JSON object: {error}") from None


def _error(path: Path, number: int, what: str) -> InputError:
    return InputError(f"row {number} of the table metrics: {what}", path)


def _chosen(only: Collection[str] | None) -> str:
    """Return the condition that a row belongs to one of some runs, or to any."""
    return "TRUE" if only is None else f"run_name IN ({', '.join('?' * len(only))})"


def _note(database: sqlite3.Connection, report: Report, only: Collection[str] | None) -> None:
    """Add to the configuration of each run what was translated; a configuration that is no object stays."""
    said = json.dumps(report.provenance(), separators=(",", ":"))
    query = f"SELECT id, config FROM configs WHERE {_chosen(only)}"
    for number, content in database.execute(query, tuple(only or ())).fetchall():
        text = _loose_text(content)
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


KIND = Kind("trackio", recognises, TrackioProject, is_database=True)
