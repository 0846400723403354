"""MLflow's database: one table with every logged value, one with the latest of each key, one for those of models."""

from __future__ import annotations

import hashlib
import math
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rlmetrics.names.records import Transform

from ...databases import columns, define, reading, rewriting, tables
from ...decimals import convert_float
from ...errors import InputError
from ...report import Report
from ...translator import Translator
from .routes import NOTE, Route, note_of, routes_of

__all__ = ["names", "recognises", "runs", "translate"]


@dataclass(frozen=True, slots=True)
class _Table:
    """A table with metrics, and what its columns are called."""

    name: str
    run: str
    key: str
    value: str


_METRICS = _Table("metrics", "run_uuid", "key", "value")
_TABLES = (
    _METRICS,
    _Table("latest_metrics", "run_uuid", "key", "value"),
    _Table("logged_model_metrics", "run_id", "metric_name", "metric_value"),
)
_LARGEST = 1.7976931348623157e308
"""What MLflow stores for infinity."""
_SHARED_VIEW = "mlflow.sharedViewState"


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a database of MLflow."""
    return _is_store(tables(path))


def names(path: Path) -> set[str]:
    """Return the keys of all runs."""
    with reading(path) as database:
        return set().union(*(keys for _, keys in _runs(database)))


def runs(path: Path) -> dict[str, set[str]]:
    """Return the keys of each run, by its id."""
    with reading(path) as database:
        return {run: set(keys) for run, keys in _runs(database)}


def translate(
    path: Path, output: Path, translator: Translator, report: Report, only: Collection[str] | None = None
) -> None:
    """Write a copy of a store with the keys of all runs translated, or of those that are named; a tag of each says so.

    Raises:
        InputError: If the database is damaged or none of MLflow, or MLflow doesn't allow a new name.
    """
    with rewriting(path, output, ("tags", *(table.name for table in _TABLES))) as database:
        held = columns(database)
        if not _is_store(held):
            msg = "there are no tables of metrics as MLflow keeps them; is this a store of MLflow?"
            raise InputError(msg, path)
        database.execute("CREATE TEMP TABLE gone (run TEXT, old TEXT, PRIMARY KEY (run, old)) WITHOUT ROWID")
        database.execute("CREATE TEMP TABLE route (run TEXT, old TEXT, new TEXT, scale REAL, offset REAL)")
        chosen = [(run, keys) for run, keys in _runs(database) if only is None or run in only]
        for run, keys in chosen:
            try:
                routes = routes_of(keys, partial(_digest, database, run), translator)
            except InputError as error:
                msg = f"run {run}: {error}"
                raise InputError(msg, path) from None
            _plan(database, run, routes)
            if "tags" in held and any(_changes(old, found) for old, found in routes.items()):
                database.execute(
                    "INSERT OR REPLACE INTO tags (key, value, run_uuid) VALUES (?, ?, ?)",
                    (NOTE, note_of(report, routes), run),
                )
        check = define(database, "converted", 3, _converted)
        database.execute("CREATE INDEX temp.route_of ON route (run, old)")
        for table in _TABLES:
            if {table.run, table.key, table.value} <= held.get(table.name, set()):
                try:
                    _apply(database, table, [row[1] for row in database.execute(f"PRAGMA table_info({table.name})")])
                except sqlite3.OperationalError:
                    check()
                    raise
        count = "SELECT count(*) FROM metrics WHERE run_uuid = ?"
        report.records += sum(database.execute(count, (run,)).fetchone()[0] for run, _ in chosen)
        _report_views(database, held, report)


def _is_store(held: dict[str, set[str]]) -> bool:
    return {"key", "value", "timestamp", "run_uuid"} <= held.get("metrics", set()) and "runs" in held


def _runs(database: sqlite3.Connection) -> Iterator[tuple[str, list[str]]]:
    """Yield each run with its keys."""
    query = "SELECT DISTINCT key FROM metrics WHERE run_uuid = ?"
    for (run,) in database.execute("SELECT DISTINCT run_uuid FROM metrics").fetchall():
        keys = [key for (key,) in database.execute(query, (run,))]
        if not all(isinstance(name, str) for name in (run, *keys)):
            msg = f"run {run!r} has a name or a key that is no text; mend the table metrics"
            raise sqlite3.DataError(msg)
        yield run, keys


def _digest(database: sqlite3.Connection, run: str, key: str, transform: Transform | None) -> str:
    digest = hashlib.blake2b(digest_size=16)
    query = "SELECT step, is_nan, value FROM metrics WHERE run_uuid = ? AND key = ? ORDER BY step, timestamp, value"
    for step, is_nan, value in database.execute(query, (run, key)):
        new = value if transform is None or is_nan else _converted(value, transform.scale, transform.offset)
        digest.update(repr((step, bool(is_nan), new)).encode())
    return digest.hexdigest()


def _converted(value: float, scale: float, offset: float) -> float:
    if not isinstance(value, int | float):
        msg = f"{value!r} is no number and can't be converted; mend the table metrics, or translate with --strict"
        raise InputError(msg)
    if abs(value) >= _LARGEST:
        return math.copysign(value, scale * value)
    return convert_float(value, scale, offset)


def _changes(old: str, found: list[Route]) -> bool:
    return found != [Route(old, None)]


def _plan(database: sqlite3.Connection, run: str, routes: dict[str, list[Route]]) -> None:
    for old, found in routes.items():
        if _changes(old, found):
            database.execute("INSERT INTO gone VALUES (?, ?)", (run, old))
            for route in found:
                how = (route.transform.scale, route.transform.offset) if route.transform else (None, None)
                database.execute("INSERT INTO route VALUES (?, ?, ?, ?, ?)", (run, old, route.name, *how))


def _apply(database: sqlite3.Connection, table: _Table, held: list[str]) -> None:
    """Move the rows of all keys that change out of a table and back under their new names.

    One name may be the old one of a series and the new one of another, so no row can be changed in place.
    """
    is_nan = "t.is_nan" if "is_nan" in held else "0"
    value = f"t.{table.value}"
    chosen = {
        table.key: "r.new",
        table.value: (
            f"CASE WHEN r.scale IS NULL OR {is_nan} THEN {value} ELSE converted({value}, r.scale, r.offset) END"
        ),
    }
    listed = ", ".join(f'"{column}"' for column in held)
    wanted = ", ".join(f'{chosen.get(column, f"t.{column}")} AS "{column}"' for column in held)
    database.execute(
        f"CREATE TEMP TABLE moved AS SELECT {wanted} FROM main.{table.name} t "
        f"JOIN route r ON r.run = t.{table.run} AND r.old = t.{table.key} ORDER BY t.rowid"
    )
    database.execute(f"DELETE FROM main.{table.name} WHERE ({table.run}, {table.key}) IN (SELECT run, old FROM gone)")
    database.execute(f"INSERT INTO main.{table.name} ({listed}) SELECT {listed} FROM moved ORDER BY rowid")
    database.execute("DROP TABLE moved")


def _report_views(database: sqlite3.Connection, held: dict[str, set[str]], report: Report) -> None:
    """Report charts that people shared: MLflow keeps them as packed text in tags of the experiment."""
    if "experiment_tags" in held:
        query = "SELECT count(*) FROM experiment_tags WHERE key LIKE ?"
        count = database.execute(query, (f"{_SHARED_VIEW}%",)).fetchone()[0]
        if count:
            report.notes.append(f"{count} shared view(s) of charts are left as they are; share them again")
