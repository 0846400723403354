"""MLflow's database: one table with every logged value, one with the latest of each key, one for those of models."""

from __future__ import annotations

import hashlib
import math
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.databases import columns, define, reading, rewriting, tables
from rlmetrics.logs.decimals import convert_float
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.reading import Account, Follower, LoggedRow, RecordedRun, Whole
from rlmetrics.logs.run_settings import RunSettings, setting
from rlmetrics.names.tables.key_records import Transform

from ...logs import Log
from ...report import Report
from ...translator import Translator
from .routes import NOTE, SeriesRoute, note_of, routes_of, together

__all__ = ["MlflowDatabase", "recognises"]


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
_ALMOST_LARGEST = 1.797e308
"""What is larger is read as infinity."""
_SHARED_VIEW = "mlflow.sharedViewState"


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a database of MLflow."""
    return _is_store(tables(path))


class MlflowDatabase(Log):
    """A database with the runs of all experiments."""

    def names(self) -> set[str]:
        """Return the keys of all runs."""
        with reading(self.path) as database:
            return set().union(*(keys for _, keys in _runs(database)))

    def runs(self) -> Mapping[str | None, Collection[str]]:
        """Return the keys of each run, by its id."""
        with reading(self.path) as database:
            return dict(_runs(database)) or super().runs()

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the parameters of each run."""
        settings: dict[str | None, RunSettings] = {}
        with reading(self.path) as database:
            if "params" in columns(database):
                for run, _ in list(_runs(database)):
                    rows = database.execute("SELECT key, value FROM params WHERE run_uuid = ?", (run,))
                    values = {key: setting(value) for key, value in rows}
                    settings[run] = RunSettings(values, "MLflow" if values else "")
        return settings

    def read(self) -> Iterator[RecordedRun]:
        """Yield the runs."""
        with reading(self.path) as database:
            names = [name for name, _ in _runs(database)]
        for name in names:
            account = Account()
            yield self.run(self._logged(name, account), account, name)

    def _logged(self, name: str, account: Account) -> Iterator[LoggedRow]:
        with reading(self.path) as database:
            has_nan = "is_nan" in columns(database)["metrics"]
            define(database, "step_of", 1, _step_of)
            packed = "SELECT 1 FROM metrics WHERE run_uuid = ? AND typeof(step) = 'blob' LIMIT 1"
            step = "step_of(step)" if database.execute(packed, (name,)).fetchone() else "step"
            query = (
                f"SELECT {step} AS at, key, value, {'is_nan' if has_nan else '0'} FROM metrics WHERE run_uuid = ? "
                "ORDER BY at, timestamp"
            )
            yield from together(_numbers(database.execute(query, (name,)), account))

    def follow(self) -> Follower:
        """Return what reads on while the run grows; a step is written value by value."""
        return Whole(self.path, self.reread, by_value=True)

    def rewrite(self, output: Path, translator: Translator, report: Report) -> None:
        """Write a copy with the keys of all runs translated, or of those that are meant; a tag of each says so.

        Values, times and steps stay; conversions apply to values. Parameters, tags, inputs and artifacts are copied.

        Raises:
            InputError: If the database is damaged or none of MLflow, or MLflow doesn't allow a new name.
        """
        with rewriting(self.path, output, ("tags", *(table.name for table in _TABLES))) as database:
            held = columns(database)
            if not _is_store(held):
                msg = "there are no tables of metrics as MLflow keeps them; is this a store of MLflow?"
                raise InputError(msg, self.path)
            database.execute("CREATE TEMP TABLE gone (run TEXT, old TEXT, PRIMARY KEY (run, old)) WITHOUT ROWID")
            database.execute("CREATE TEMP TABLE route (run TEXT, old TEXT, new TEXT, scale REAL, offset REAL)")
            chosen = [(run, keys) for run, keys in _runs(database) if self.only is None or run in self.only]
            for run, keys in chosen:
                try:
                    series = routes_of(keys, partial(_digest, database, run), translator)
                except InputError as error:
                    msg = f"run {run}: {error}"
                    raise InputError(msg, self.path) from None
                _plan(database, run, series)
                if "tags" in held and any(_changes(old, routes) for old, routes in series.items()):
                    database.execute(
                        "INSERT OR REPLACE INTO tags (key, value, run_uuid) VALUES (?, ?, ?)",
                        (NOTE, note_of(report, series), run),
                    )
            check = define(database, "converted", 3, _converted)
            database.execute("CREATE INDEX temp.route_of ON route (run, old)")
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


def _step_of(step: object) -> object:
    """Return a step as a number: SQLite keeps a NumPy integer as its bytes."""
    return int.from_bytes(step, "little", signed=True) if isinstance(step, bytes) and len(step) <= 8 else step


def _numbers(rows: Iterable[tuple[Any, ...]], account: Account) -> Iterator[tuple[float, str, float]]:
    """Yield step, key and value of rows; MLflow stores some number for NaN, and the largest one for infinity."""
    for step, key, value, is_nan in rows:
        if not isinstance(step, int | float):
            account.skip(f"the step {step!r} of {key} is no number")
        elif is_nan:
            yield float(step), key, math.nan
        elif not isinstance(value, int | float):
            account.skip(f"the value {value!r} of {key} at step {step:g} is no number")
        else:
            yield float(step), key, math.copysign(math.inf, value) if abs(value) > _ALMOST_LARGEST else float(value)


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
