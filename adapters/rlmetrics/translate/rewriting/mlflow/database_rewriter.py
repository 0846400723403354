"""Writes MLflow's database with other keys in its tables of metrics."""

from __future__ import annotations

import hashlib
import math
import sqlite3
from functools import partial
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.databases import columns, define, rewriting
from rlmetrics.logs.decimals import convert_float
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.mlflow.database import MlflowDatabase, is_store, runs_in
from rlmetrics.names.tables.key_records import Transform

from ...report import Report
from ...translator import Translator
from ..log_rewriter import LogRewriter
from .routes import NOTE, SeriesRoute, note_of, routes_of

__all__ = ["MlflowDatabaseRewriter"]


@dataclass(frozen=True, slots=True)
class _MetricTable:
    """A table with metrics, and what its columns are called."""

    name: str
    run: str
    key: str
    value: str


_METRICS = _MetricTable("metrics", "run_uuid", "key", "value")
_TABLES = (
    _METRICS,
    _MetricTable("latest_metrics", "run_uuid", "key", "value"),
    _MetricTable("logged_model_metrics", "run_id", "metric_name", "metric_value"),
)
_LARGEST = 1.7976931348623157e308
"""What MLflow stores for infinity."""
_UPDATES_FROM = (3, 33)
"""The first SQLite that changes a table from what another one says."""
_SHARED_VIEW = "mlflow.sharedViewState"


class MlflowDatabaseRewriter(LogRewriter[MlflowDatabase]):
    """Writes a database with the runs of all experiments."""

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the keys of all runs translated, or of those that are meant; a tag of each says so.

        Values, times and steps stay; conversions apply to values. Parameters, tags, inputs and artifacts are copied.

        Raises:
            InputError: If the database is damaged or none of MLflow, or MLflow doesn't allow a new name.
        """
        with rewriting(self.log.path, output, ("tags", *(table.name for table in _TABLES))) as database:
            held = columns(database)
            if not is_store(held):
                msg = "there are no tables of metrics as MLflow keeps them; is this a store of MLflow?"
                raise InputError(msg, self.log.path)
            database.execute("CREATE TEMP TABLE gone (run TEXT, old TEXT, PRIMARY KEY (run, old)) WITHOUT ROWID")
            database.execute("CREATE TEMP TABLE route (run TEXT, old TEXT, new TEXT, scale REAL, offset REAL)")
            chosen = [(run, keys) for run, keys in runs_in(database) if self.only is None or run in self.only]
            for run, keys in chosen:
                try:
                    series = routes_of(keys, partial(_digest, database, run), translator)
                except InputError as error:
                    msg = f"run {run}: {error}"
                    raise InputError(msg, self.log.path) from None
                _plan(database, run, series)
                if "tags" in held and any(_changes(old, routes) for old, routes in series.items()):
                    database.execute(
                        "INSERT OR REPLACE INTO tags (key, value, run_uuid) VALUES (?, ?, ?)",
                        (NOTE, note_of(report, series), run),
                    )
            check = define(database, "converted", 3, _converted)
            database.execute("CREATE INDEX temp.route_of ON route (run, old, new)")
            for table in _TABLES:
                if {table.run, table.key, table.value} <= held.get(table.name, set()):
                    names = [row[1] for row in database.execute(f"PRAGMA table_info({table.name})")]
                    try:
                        _apply(database, table, names)
                    except sqlite3.OperationalError:
                        check()
                        raise
            count = "SELECT count(*) FROM metrics WHERE run_uuid = ?"
            report.records += sum(database.execute(count, (run,)).fetchone()[0] for run, _ in chosen)
            _report_views(database, held, report)


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


def _changes(old: str, routes: list[SeriesRoute]) -> bool:
    return routes != [SeriesRoute(old, None)]


def _plan(database: sqlite3.Connection, run: str, series: dict[str, list[SeriesRoute]]) -> None:
    for old, routes in series.items():
        if _changes(old, routes):
            database.execute("INSERT INTO gone VALUES (?, ?)", (run, old))
            for route in routes:
                how = (route.transform.scale, route.transform.offset) if route.transform else (None, None)
                database.execute("INSERT INTO route VALUES (?, ?, ?, ?, ?)", (run, old, route.name, *how))


def _apply(database: sqlite3.Connection, table: _MetricTable, held: list[str]) -> None:
    """Give the rows of all keys that change their new names, and the values that are converted new values."""
    value, is_nan = f"t.{table.value}", "t.is_nan" if "is_nan" in held else "0"
    chosen = {
        table.key: "r.new",
        table.value: (
            f"CASE WHEN r.scale IS NULL OR {is_nan} THEN {value} ELSE converted({value}, r.scale, r.offset) END"
        ),
    }
    if _stay_in_place(database, table):
        columns_set = {name: chosen[name] for name in (table.key, *([table.value] if _converts(database) else []))}
        database.execute(
            f"UPDATE main.{table.name} AS t SET {', '.join(f'{name} = {new}' for name, new in columns_set.items())} "
            f"FROM route r WHERE r.run = t.{table.run} AND r.old = t.{table.key}"
        )
        return
    listed = ", ".join(f'"{column}"' for column in held)
    wanted = ", ".join(f'{chosen.get(column, f"t.{column}")} AS "{column}"' for column in held)
    database.execute(
        f"CREATE TEMP TABLE moved AS SELECT {wanted} FROM main.{table.name} t "
        f"JOIN route r ON r.run = t.{table.run} AND r.old = t.{table.key} ORDER BY t.rowid"
    )
    database.execute(f"DELETE FROM main.{table.name} WHERE ({table.run}, {table.key}) IN (SELECT run, old FROM gone)")
    database.execute(f"INSERT INTO main.{table.name} ({listed}) SELECT {listed} FROM moved ORDER BY rowid")
    database.execute("DROP TABLE moved")


def _converts(database: sqlite3.Connection) -> bool:
    return bool(database.execute("SELECT count(scale) FROM route").fetchone()[0])


def _stay_in_place(database: sqlite3.Connection, table: _MetricTable) -> bool:
    """Tell whether rows can be changed where they are, which takes half as long as to take them out and back in.

    Each key that changes must have one new name, which is the old one of no other key of its run.
    """
    if sqlite3.sqlite_version_info < _UPDATES_FROM:
        return False
    several = "SELECT 1 FROM gone LEFT JOIN route USING (run, old) GROUP BY run, old HAVING count(new) != 1"
    shared = "SELECT 1 FROM route GROUP BY run, new HAVING count(*) != 1"
    taken = f"SELECT 1 FROM main.{table.name} WHERE ({table.run}, {table.key}) IN (SELECT run, new FROM route)"
    return not any(database.execute(f"{query} LIMIT 1").fetchone() for query in (several, shared, taken))


def _report_views(database: sqlite3.Connection, held: dict[str, set[str]], report: Report) -> None:
    """Report charts that people shared: MLflow keeps them as packed text in tags of the experiment."""
    if "experiment_tags" in held:
        query = "SELECT count(*) FROM experiment_tags WHERE key LIKE ?"
        count = database.execute(query, (f"{_SHARED_VIEW}%",)).fetchone()[0]
        if count:
            report.notes.append(f"{count} shared view(s) of charts are left as they are; share them again")
