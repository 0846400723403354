"""MLflow's database: one table with every logged value, one with the latest of each key, one for those of models."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...databases import columns, define, reading, tables
from ...log import Log
from ...reading import Account, Follower, LoggedRow, RecordedRun, Whole, together
from ...run_settings import RunSettings, setting

if TYPE_CHECKING:
    import sqlite3

__all__ = ["MlflowDatabase", "is_store", "recognises", "runs_in"]


_ALMOST_LARGEST = 1.797e308
"""What is larger is read as infinity."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a database of MLflow."""
    return is_store(tables(path))


class MlflowDatabase(Log):
    """A database with the runs of all experiments."""

    def names(self) -> set[str]:
        """Return the keys of all runs."""
        with reading(self.path) as database:
            return set().union(*(keys for _, keys in runs_in(database)))

    def runs(self) -> Mapping[str | None, Collection[str]]:
        """Return the keys of each run, by its id."""
        with reading(self.path) as database:
            return dict(runs_in(database)) or super().runs()

    def read_configuration(self) -> dict[str | None, RunSettings]:
        """Return the parameters of each run."""
        settings: dict[str | None, RunSettings] = {}
        with reading(self.path) as database:
            if "params" in columns(database):
                for run, _ in list(runs_in(database)):
                    rows = database.execute("SELECT key, value FROM params WHERE run_uuid = ?", (run,))
                    values = {key: setting(value) for key, value in rows}
                    settings[run] = RunSettings(values, "MLflow" if values else "")
        return settings

    def read(self) -> Iterator[RecordedRun]:
        """Yield the runs."""
        with reading(self.path) as database:
            names = [name for name, _ in runs_in(database)]
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


def is_store(held: dict[str, set[str]]) -> bool:
    """Tell whether a database with these tables, each with its columns, is one of MLflow."""
    return {"key", "value", "timestamp", "run_uuid"} <= held.get("metrics", set()) and "runs" in held


def runs_in(database: sqlite3.Connection) -> Iterator[tuple[str, list[str]]]:
    """Yield each run with its keys."""
    import sqlite3

    query = "SELECT DISTINCT key FROM metrics WHERE run_uuid = ?"
    for (run,) in database.execute("SELECT DISTINCT run_uuid FROM metrics").fetchall():
        keys = [key for (key,) in database.execute(query, (run,))]
        if not all(isinstance(name, str) for name in (run, *keys)):
            msg = f"run {run!r} has a name or a key that is no text; mend the table metrics"
            raise sqlite3.DataError(msg)
        yield run, keys
