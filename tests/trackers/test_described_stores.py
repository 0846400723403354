"""What the spec says of how stores of trackers keep names, held against their real packages, offline."""

from __future__ import annotations

import csv
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import mlflow
import pytest
from rlmetrics.names.tables.loading import load_tables


def test_the_file_store_of_mlflow_takes_no_name_below_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name is a file, so that ``a/b`` is refused after ``a``; a database takes both."""
    assert load_tables().trackers["mlflow"]["path_prefix_conflict"]
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    for uri, refused in ((f"file://{tmp_path}/mlruns", True), (f"sqlite:///{tmp_path}/mlruns.db", False)):
        mlflow.set_tracking_uri(uri)
        mlflow.set_experiment("tiny")
        with mlflow.start_run():
            mlflow.log_metric("a", 0.5, step=1)
            raised = False
            try:
                mlflow.log_metric("a/b", 0.5, step=1)
            except OSError:
                raised = True
        assert raised == refused


TRACKIO = """
import trackio
trackio.import_csv("history.csv", project="tiny", name="run")
"""


def test_a_table_that_trackio_imports_loses_its_names(tmp_path: Path) -> None:
    """They are shortened, and where that makes two of them the same, numbered."""
    names = ["train/reward", "train/rewards/accuracy/mean", "train/rewards/format/mean", "clip_ratio/low_mean"]
    with (tmp_path / "history.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["step", *names], [0, 0.5, 0.25, 0.125, 0.0], [1, 0.5, 0.25, 0.125, 0.0]])
    there = {**os.environ, "TRACKIO_DIR": str(tmp_path / "trackio"), "HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}
    subprocess.run([sys.executable, "-c", TRACKIO], cwd=tmp_path, env=there, check=True, capture_output=True)

    with closing(sqlite3.connect(tmp_path / "trackio" / "tiny.db")) as database:
        (row,) = database.execute("SELECT metrics FROM metrics WHERE step = 0").fetchall()
    assert list(json.loads(row[0])) == ["train/rewa", "train/rewa_1", "train/rewa_2", "clipratio/"]
