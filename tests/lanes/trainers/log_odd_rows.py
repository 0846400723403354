"""Logs odd values through verl's ``Tracking``, bare and adapted: ``python log_odd_rows.py FOLDER JOBS``.

Each job names the trackers, and whether they are ``adapted``. What MLflow has stored of each row, and whether all rows
could be logged, is in NAME.json. It runs in an environment with a release of verl.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

ROWS: dict[str, dict[str, Any]] = {
    "none": {"a/x": None},
    "words": {"a/x": "words"},
    "bool": {"a/x": np.bool_(True)},
    "slash": {"a/": 0.5},
    "dots": {"..a": 0.5},
    "long": {"x" * 251: 0.5},
    "bare": {"loss": 0.5},
}
"""What one row each holds between two ordinary values."""


def main(folder: Path, jobs: list[dict[str, Any]]) -> None:
    """Log with each job, and say what arrived."""
    from rlmetrics.trainers.verl import TrackingAdapter
    from verl.utils.tracking import Tracking

    os.chdir(folder)
    os.environ |= {"MLFLOW_TRACKING_URI": f"sqlite:///{folder}/mlruns.db", "TENSORBOARD_DIR": str(folder / "events")}
    for job in jobs:
        tracking: Any = Tracking(job["name"], "run", default_backend=job["trackers"], config={"trainer": {}})
        if job["adapted"]:
            tracking = TrackingAdapter(tracking, config={"trainer": {}})
        raised = []
        for step, (name, odd) in enumerate(ROWS.items(), 1):
            try:
                tracking.log(data={"a/first": 1.0, **odd, "a/last": 2.0}, step=step)
            except Exception as error:
                raised.append([name, type(error).__name__])
        tracking.finish()
        kept: dict[str, list[str]] = {}
        if "mlflow" in job["trackers"]:
            with closing(sqlite3.connect("mlruns.db")) as database:
                for key, step in database.execute(
                    "SELECT key, step FROM metrics JOIN runs USING (run_uuid) JOIN experiments USING (experiment_id)"
                    " WHERE experiments.name = ? ORDER BY step, key",
                    (job["name"],),
                ):
                    kept.setdefault(list(ROWS)[step - 1], []).append(key)
        (folder / f"{job['name']}.json").write_text(json.dumps({"raised": raised, "kept": kept}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
