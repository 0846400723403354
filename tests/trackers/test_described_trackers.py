"""What the spec says of trackers, held against their real packages, on this machine and offline."""

from __future__ import annotations

import itertools
import json
import math
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import mlflow
import numpy as np
import pytest
import torch
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.trackers import wrap
from rlmetrics.trainers.verl import TrackingAdapter
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from torch.utils.tensorboard import SummaryWriter

ODD = {"none": None, "words": "not a number", "array": np.zeros(2), "a/": 0.5, "..a": 0.5, "...": 0.5, "x" * 251: 0.5}
"""What costs the row in MLflow."""
TAKEN = {"actor/pg_loss": 0.5, "text": "0.25", "bool": True, "numpy": np.bool_(True), "x" * 250: 1.0}
"""What does not."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """Return a database of MLflow, with a run that is open."""
    path = tmp_path / "mlruns.db"
    mlflow.set_tracking_uri(f"sqlite:///{path}")
    mlflow.set_experiment("tiny")
    mlflow.start_run()
    yield path
    mlflow.end_run()


def stored(path: Path) -> dict[str, list[tuple[float, Any]]]:
    """Return the values and steps of each metric in a database of MLflow."""
    found: dict[str, list[tuple[float, Any]]] = {}
    with closing(sqlite3.connect(path)) as database:
        for key, value, step in database.execute("SELECT key, value, step FROM metrics ORDER BY timestamp"):
            found.setdefault(key, []).append((value, step))
    return found


def test_names_that_mlflow_refuses_are_those_that_the_table_refuses() -> None:
    """Every name of up to five of its special characters and a letter, and the longest that is allowed."""
    from mlflow.utils.validation import _validate_metric  # type: ignore[attr-defined]

    rules = load_tables().trackers["mlflow"]
    names = ["".join(name) for length in range(1, 6) for name in itertools.product("a./- @", repeat=length)]

    def takes(name: str) -> bool:
        try:
            _validate_metric(name, 0.5, 0, 0)
        except mlflow.MlflowException:
            return False
        return True

    def allowed(name: str) -> bool:
        return re.fullmatch(rules["allowed"], name) is not None and len(name) <= rules["max_length"]

    names += ["x" * 250, "x" * 251]
    assert [name for name in names if takes(name) != allowed(name)] == []


@pytest.mark.parametrize("name", ["none", "words", "a/", "..a", "...", "x" * 251])
def test_mlflow_loses_the_row_for_one_value_or_name(store: Path, name: str) -> None:
    """What stands beside it is not written, whatever comes first."""
    with pytest.raises(mlflow.MlflowException):
        mlflow.log_metrics({"loss": 0.5, name: ODD[name]}, step=1)  # type: ignore[dict-item]

    assert stored(store) == {}


class Tracking:
    """As verl's own: a tracker for each name, each of which is given every row."""

    def __init__(self, **trackers: Any) -> None:
        self.logger = trackers

    def log(self, data: dict[str, Any], step: int) -> None:
        """Log a row with each tracker."""
        for tracker in self.logger.values():
            tracker.log(data=data, step=step)


class Mlflow:
    """Logs to MLflow as verl does, which goes on when a row is refused."""

    def log(self, data: dict[str, Any], step: int) -> None:
        """Log a row."""
        mlflow.log_metrics(data, step=step)


class TensorBoard:
    """Logs to TensorBoard as verl does."""

    def __init__(self, folder: Path) -> None:
        self.writer = SummaryWriter(folder)

    def log(self, data: dict[str, Any], step: int) -> None:
        """Log each value of a row."""
        for name, value in data.items():
            self.writer.add_scalar(name, value, step)


class Kept:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def log(self, data: dict[str, Any], step: int) -> None:
        """Keep a row."""
        self.rows.append(dict(data))


def test_no_value_of_a_row_costs_verl_the_row(store: Path, tmp_path: Path) -> None:
    """MLflow and TensorBoard get what they take, others all; what is left out is said once."""
    tracking = Tracking(mlflow=Mlflow(), tensorboard=TensorBoard(tmp_path / "events"), console=Kept())
    adapter = TrackingAdapter(tracking, at="verl==0.9.1")
    for step in (1, 2):
        adapter.log(data={**ODD, **TAKEN}, step=np.int64(step))

    found = stored(store)
    assert set(found) == set(TAKEN)
    assert found["actor/pg_loss"] == [(0.5, 1), (0.5, 2)]
    assert found["text"] == [(0.25, 1), (0.25, 2)]
    assert tracking.logger["console"].rows == [{**ODD, **TAKEN}] * 2
    assert adapter.faults.count == len(ODD) + 3  # and three values in TensorBoard
    tracking.logger["tensorboard"].writer.close()
    events = scalars(tmp_path / "events")
    assert events["actor/pg_loss"] == [0.5, 0.5]
    assert "none" not in events


def test_clearml_gets_a_title_for_each_name_and_only_numbers_and_tables() -> None:
    """Its names are cut at the first slash, and fails where there is none."""
    tracker = Kept()
    adapter = TrackingAdapter(Tracking(clearml=tracker), at="verl==0.9.1")
    adapter.log(data={"loss": 0.5, "a/none": None, "a/text": "words", "a/bool": np.bool_(True), "a/b": 1}, step=1)

    assert tracker.rows == [{"loss/loss": 0.5, "a/bool": 1.0, "a/b": 1}]
    assert adapter.faults.count == 2


def test_a_step_of_numpy_is_bytes_in_mlflow_and_a_number_through_wrap(store: Path) -> None:
    """A step of NumPy or torch goes on as one of Python, by name or by place."""
    bare: Callable[..., Any] = mlflow.log_metrics
    bare({"bare": 0.5}, step=np.int64(3))
    log: Callable[..., Any] = wrap(bare, "verl==0.9.1")
    log({"named": 0.5}, step=np.int64(3))
    log({"placed": 0.5}, torch.tensor(3))

    found = stored(store)
    assert found["bare"] == [(0.5, (3).to_bytes(8, "little"))]
    assert found["named"] == found["placed"] == [(0.5, 3)]


TRACKIO = """
import json, sys
import numpy as np, torch, trackio
from rlmetrics.trainers.verl import TrackingAdapter

class Tracker:
    def log(self, data, step):
        trackio.log(data, step=step)

class Tracking:
    logger = {"trackio": Tracker()}
    def log(self, data, step):
        self.logger["trackio"].log(data=data, step=step)

odd = {"tensor": torch.tensor(0.5), "array": np.array([0.25]), "large": 2**64, "inf": float("inf"), "text": "words"}
own = {"step": 1, "time": 2, "metrics": 3, "timestamp": 4, "__mine": 5}
trackio.init(project="tiny", name="run", embed=False)
trackio.log({**odd, **own, "many": np.zeros(2)}, step=1)
TrackingAdapter(Tracking(), at="verl==0.9.1").log(data=odd, step=2)
trackio.finish()
"""


def test_trackio_drops_arrays_and_renames_its_own_names(tmp_path: Path) -> None:
    """Those of one element too, and integers of 2^64; through the adapter of verl they arrive."""
    there = {**os.environ, "TRACKIO_DIR": str(tmp_path), "PYTHONWARNINGS": "ignore"}
    subprocess.run([sys.executable, "-c", TRACKIO], env=there, check=True, capture_output=True)
    (path,) = tmp_path.rglob("tiny.db")
    with closing(sqlite3.connect(path)) as database:
        bare, kept = (json.loads(row) for (row,) in database.execute("SELECT metrics FROM metrics ORDER BY step"))

    renamed = {"__step": 1, "__time": 2, "__metrics": 3, "__timestamp": 4, "____mine": 5}
    assert bare == {"inf": "Infinity", "text": "words", **renamed}
    assert kept == {"tensor": 0.5, "array": 0.25, "large": 2.0**64, "inf": "Infinity", "text": "words"}


def scalars(folder: Path) -> dict[str, list[float]]:
    """Return the curves in event files."""
    events = EventAccumulator(str(folder))
    events.Reload()
    return {name: [item.value for item in events.Scalars(name)] for name in events.Tags()["scalars"]}


def test_tensorboard_makes_bfloat16_float16(tmp_path: Path) -> None:
    """Above 65504 infinite, small numbers 0, a bool 1; through the adapter of verl they arrive."""
    values = [torch.tensor(value, dtype=torch.bfloat16) for value in (1e5, 1e-9)]
    tracking = Tracking(tensorboard=TensorBoard(tmp_path))
    for step, value in enumerate(values):
        tracking.log({"bare": value, "bool": True}, step)
    adapter = TrackingAdapter(tracking, at="verl==0.9.1")
    for step, value in enumerate(values):
        adapter.log(data={"kept": value}, step=step)
    adapter.logger["tensorboard"].writer.close()

    found = scalars(tmp_path)
    assert found["bare"] == [math.inf, 0.0]
    assert found["bool"] == [1.0, 1.0]
    assert found["kept"] == pytest.approx([1e5, 1e-9], rel=0.01)
