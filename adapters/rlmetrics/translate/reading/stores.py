"""Stores of trackers: W&B's offline runs, TensorBoard's event files, databases of Trackio and MLflow."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..databases import columns, reading
from ..kinds import mlflow, tensorboard, wandb
from ..kinds.mlflow import files as mlflow_files
from ..kinds.tensorboard import tags, tfrecord
from ..kinds.wandb import run as wandb_run
from .runs import Account, LoggedRow, Recorded

__all__ = ["read_mlflow", "read_tensorboard", "read_trackio", "read_wandb", "wandb_row"]

_LARGEST = 1.797e308


def read_wandb(path: Path) -> Iterator[Recorded]:
    """Yield the run of a ``.wandb`` file, or of the folder that it lies in."""
    files = [file for file in wandb.members(path) if file.suffix == ".wandb"] if path.is_dir() else [path]
    for file in files:
        account = Account()
        yield Recorded("" if len(files) == 1 else file.name, _wandb_rows(file, account), account=account)


def _wandb_rows(path: Path, account: Account) -> Iterator[LoggedRow]:
    for row in wandb_run.history_rows(path, lambda torn: setattr(account, "torn", torn)):
        yield wandb_row(row)


def wandb_row(row: dict[str, Any]) -> LoggedRow:
    """Return a row of W&B without what W&B itself adds."""
    step = row.pop("_step", None)
    for name in ("_timestamp", "_runtime", "_wandb"):
        row.pop(name, None)
    return LoggedRow(float(step) if isinstance(step, int | float) else None, row)


def read_tensorboard(path: Path) -> Iterator[Recorded]:
    """Yield the run of a folder of event files, or of one of them."""
    account = Account()
    yield Recorded("", _events(path, account), account=account)


def _events(path: Path, account: Account) -> Iterator[LoggedRow]:
    """Yield the numbers of each step together: an event holds only one."""
    step, row = None, dict[str, Any]()
    for file in tensorboard.files_of(path):
        extent = tfrecord.Extent()
        for at, tag, number in tags.numbers_of(file, extent):
            if at != step or tag in row:
                if row and step is not None:
                    yield LoggedRow(step, row)
                step, row = at, {}
            row[tag] = number
        account.torn += extent.torn
    if row and step is not None:
        yield LoggedRow(step, row)


def read_trackio(path: Path) -> Iterator[Recorded]:
    """Yield the runs of a project."""
    with reading(path) as database:
        names = [name for (name,) in database.execute("SELECT DISTINCT run_name FROM metrics ORDER BY run_name")]
    for name in names:
        account = Account()
        yield Recorded(name, _trackio_rows(path, name, account), account=account)


def _trackio_rows(path: Path, name: str, account: Account) -> Iterator[LoggedRow]:
    with reading(path) as database:
        query = "SELECT step, metrics FROM metrics WHERE run_name = ? ORDER BY id"
        for step, content in database.execute(query, (name,)):
            try:
                row = json.loads(content)
            except ValueError:
                account.skipped += 1
                continue
            if isinstance(row, dict):
                yield LoggedRow(float(step) if isinstance(step, int | float) else None, row)


def read_mlflow(path: Path) -> Iterator[Recorded]:
    """Yield the runs of a database, or the run of a folder of the file store."""
    if path.is_dir():
        account = Account()
        yield Recorded("", _folder_rows(path, account), account=account)
        return
    for name in mlflow.runs(path):
        yield Recorded(name, _database_rows(path, name))


def _database_rows(path: Path, name: str) -> Iterator[LoggedRow]:
    with reading(path) as database:
        has_nan = "is_nan" in columns(database)["metrics"]
        query = (
            f"SELECT step, key, value, {'is_nan' if has_nan else '0'} FROM metrics WHERE run_uuid = ? "
            "ORDER BY step, timestamp"
        )
        found = ((float(step), key, _number(value, nan)) for step, key, value, nan in database.execute(query, (name,)))
        yield from _together(found)


def _number(value: float, is_nan: object) -> float:
    if is_nan:
        return float("nan")
    return float("inf") if abs(value) > _LARGEST else value


def _folder_rows(path: Path, account: Account) -> Iterator[LoggedRow]:
    series = [_lines(file, key, account) for key, file in mlflow_files.series(path).items()]
    yield from _together(heapq.merge(*series, key=lambda item: item[0]))


def _lines(path: Path, key: str, account: Account) -> Iterator[tuple[float, str, float]]:
    with path.open("rb") as file:
        for number, line in enumerate(file):
            parts = line.split()
            try:
                yield float(parts[2]) if len(parts) > 2 else float(number), key, float(parts[1])
            except (IndexError, ValueError):
                account.skipped += 1


def _together(found: Iterator[tuple[float, str, float]] | Any) -> Iterator[LoggedRow]:
    step, row = None, dict[str, Any]()
    for at, key, value in found:
        if at != step and row:
            yield LoggedRow(step, row)
            row = {}
        step = at
        row[key] = value
    if row:
        yield LoggedRow(step, row)
