"""Projects of Trackio: SQLite databases with each logged dict as JSON, text in early releases and bytes later."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..databases import columns, reading, tables
from ..input_errors import InputError
from ..jsonspans import JsonError, Members, members
from ..log import Kind, RowLog, arguments_among
from ..reading import Account, LoggedRow, RecordedRun, as_step
from ..run_settings import RunSettings, first_line, flattened
from ..trackio_exports import copies_of_project

if TYPE_CHECKING:
    import sqlite3

__all__ = ["KIND", "TrackioProject", "is_project", "logged_dict", "loose_text", "row_error", "strict_text"]

_SAMPLE_ROWS = 200


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a database with a table of logged dicts."""
    return is_project(tables(path))


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
                    for member in logged_dict(self.path, number, strict_text(self.path, number, content)).items
                }
        return keys

    def argument_names(self) -> dict[str | None, frozenset[str]]:
        """Return the names of the arguments in the configuration of each run."""
        names: dict[str | None, set[str]] = {}
        with reading(self.path) as database:
            for run, content in _configs(database):
                text = loose_text(content)
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
                text = strict_text(self.path, number, content)
                try:
                    yield run, logged_dict(self.path, number, text).values(text)
                except InputError as error:
                    raise error if error.path else row_error(self.path, number, str(error)) from None

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


def _configs(database: sqlite3.Connection) -> Iterable[tuple[str, str | bytes]]:
    """Return the configuration of each run, as it is kept."""
    return database.execute("SELECT run_name, config FROM configs") if "configs" in columns(database) else ()


def is_project(held: dict[str, set[str]]) -> bool:
    """Tell whether a database with these tables, each with its columns, is a project of Trackio."""
    return {"id", "run_name", "step", "metrics"} <= held.get("metrics", set())


def strict_text(path: Path, number: int, content: object) -> str:
    """Return what a row holds as text.

    Raises:
        InputError: If it is bytes that are no UTF-8.
    """
    try:
        return content.decode() if isinstance(content, bytes) else str(content)
    except UnicodeDecodeError as error:
        raise row_error(path, number, f"not UTF-8 text: {error.reason}") from None


def loose_text(content: object) -> str:
    """Return a text so that bytes that are no UTF-8 survive."""
    return content.decode(errors="surrogateescape") if isinstance(content, bytes) else str(content)


def logged_dict(path: Path, number: int, text: str) -> Members:
    """Return the members of a logged dict.

    Raises:
        InputError: If it is none.
    """
    try:
        return members(text)
    except JsonError as error:
        raise row_error(path, number, f"not a JSON object: {error}") from None


def row_error(path: Path, number: int, what: str) -> InputError:
    """Return an error about a row of the table with logged dicts."""
    return InputError(f"row {number} of the table metrics: {what}", path)


KIND = Kind("trackio", recognises, TrackioProject, is_database=True, copies=copies_of_project)
