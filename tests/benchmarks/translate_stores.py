"""What translating databases costs: ``python tests/benchmarks/translate_stores.py [RESULT.json]``.

A whole ``translate_file`` of a project of Trackio, the copy included, beside a copy and one UPDATE by SQLite's own JSON
functions, which renames the same keys; and of MLflow's database, beside a copy and one UPDATE of the keys.
"""

from __future__ import annotations

import random
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import orjson
from benchmarks.paired import compare, options, report
from rlmetrics.names import keys
from rlmetrics.translate import Translator, translate_file

SOURCE, TARGET = "verl==0.9.1", "canonical"
ROWS, KEYS = 10_000, 40
JSON_UPDATE = """
    UPDATE metrics SET metrics = CAST((
        SELECT json_group_object(coalesce(names.new, j.key), j.value)
        FROM json_each(CAST(metrics.metrics AS TEXT)) j LEFT JOIN names ON names.old = j.key
    ) AS BLOB)
"""
KEY_UPDATE = "UPDATE metrics SET key = coalesce((SELECT new FROM names WHERE old = key), key)"


def update(path: Path, output: Path, names: dict[str, str], statement: str) -> Callable[[], None]:
    """Return a job that copies a database and renames by one statement, without a journal."""

    def run() -> None:
        shutil.copyfile(path, output)
        with closing(sqlite3.connect(output)) as database, database:
            database.execute("PRAGMA journal_mode = OFF")
            database.execute("PRAGMA synchronous = OFF")
            database.execute("CREATE TEMP TABLE names (old TEXT PRIMARY KEY, new TEXT)")
            database.executemany("INSERT INTO names VALUES (?, ?)", names.items())
            database.execute(statement)

    return run


def main() -> int:
    """Measure, print, and write the result as JSON where asked for."""
    given = options(__doc__)
    names = [key.key for key in keys(SOURCE) if "{" not in key.key][:KEYS]
    translator = Translator(SOURCE, TARGET)
    new = {name: translator.key(name).output for name in names}
    draw = random.Random(7)
    result = {}
    jobs: dict[str, Callable[[], object]]
    with tempfile.TemporaryDirectory() as folder:
        trackio, mlflow, output = Path(folder, "p.db"), Path(folder, "m.db"), Path(folder, "out")
        with closing(sqlite3.connect(trackio)) as database, database:
            database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name TEXT, step INTEGER, metrics TEXT)")
            database.executemany(
                "INSERT INTO metrics (run_name, step, metrics) VALUES ('run', ?, ?)",
                ((step, orjson.dumps({name: draw.gauss(0, 1) for name in names})) for step in range(ROWS)),
            )
        with closing(sqlite3.connect(mlflow)) as database, database:
            database.execute("CREATE TABLE runs (run_uuid TEXT PRIMARY KEY)")
            database.execute(
                "CREATE TABLE metrics (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT, step BIGINT, "
                "is_nan BOOLEAN, PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan))"
            )
            database.execute("CREATE INDEX index_metrics_run_uuid ON metrics (run_uuid)")
            points = ((name, draw.gauss(0, 1), step, "run", step, 0) for step in range(ROWS) for name in names)
            database.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", points)
        for name, path, statement in (("Trackio", trackio, JSON_UPDATE), ("MLflow", mlflow, KEY_UPDATE)):
            jobs = {
                "translate_file": partial(
                    translate_file, path, source=SOURCE, target=TARGET, output=output, force=True
                ),
                "UPDATE": update(path, Path(folder, "peer"), new, statement),
            }
            result[name] = compare(jobs, ROWS * KEYS)
    return report(result, given.result)


if __name__ == "__main__":
    raise SystemExit(main())
