"""A run of a tracking server as a database in MLflow's own form, which what reads and writes those then takes."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.kinds import KINDS

from .mlflow_server import MlflowServer

__all__ = ["logged_in", "spooled"]

_TABLES = """
CREATE TABLE runs (run_uuid TEXT PRIMARY KEY);
CREATE TABLE metrics (key TEXT, value REAL, timestamp INTEGER, run_uuid TEXT, step INTEGER, is_nan INTEGER);
CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);
CREATE TABLE tags (key TEXT, value TEXT, run_uuid TEXT, PRIMARY KEY (key, run_uuid));
"""


@contextmanager
def spooled(server: MlflowServer, run: Mapping[str, Any]) -> Iterator[Unit]:
    """Give a run as a log in a folder of its own, which is gone afterwards.

    Args:
        server: Where it lies.
        run: As the server tells it.
    """
    with tempfile.TemporaryDirectory(prefix="rlmetrics-") as folder:
        path = Path(folder, "run.db")
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("PRAGMA synchronous = OFF")
            database.executescript(_TABLES)
            database.execute("BEGIN")
            _fill(database, server, run)
            database.execute("COMMIT")
        yield Unit(path, KINDS["mlflow"], (path,))


def _fill(database: sqlite3.Connection, server: MlflowServer, run: Mapping[str, Any]) -> None:
    name, data = run["info"]["run_id"], run.get("data", {})
    database.execute("INSERT INTO runs VALUES (?)", (name,))
    for table in ("params", "tags"):
        rows = ((entry["key"], entry.get("value", ""), name) for entry in data.get(table, ()))
        database.executemany(f"INSERT INTO {table} VALUES (?, ?, ?)", rows)
    for key in [entry["key"] for entry in data.get("metrics", ())]:
        database.executemany(
            "INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)",
            (
                (key, 0.0 if value != value else value, when, name, step, value != value)
                for when, value, step in server.history(name, key)
            ),
        )


def logged_in(path: Path) -> Iterator[dict[str, Any]]:
    """Yield what a database logs, as the interface of a server takes it."""
    with closing(sqlite3.connect(path)) as database:
        for key, value, when, step, is_nan in database.execute(
            "SELECT key, value, timestamp, step, is_nan FROM metrics ORDER BY rowid"
        ):
            # JSON has no such number; the interface takes it as text.
            yield {"key": key, "value": "NaN" if is_nan else value, "timestamp": when, "step": step}
