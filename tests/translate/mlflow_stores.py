"""Recorded runs, logged to a store of MLflow by its own client."""

import json

from folders import RUNS
from mlflow.entities import Metric, Param, RunTag

FLIPPED = "val/contain_eos_token"


def recorded_rows(name):
    """Return the rows of a recorded run."""
    rows = [json.loads(line) for line in (RUNS / name).read_text(encoding="utf-8").splitlines()]
    return [row.get("data", row) for row in rows]


def log_run(client, experiment, name, rows):
    """Log a run with its metrics, a parameter and a tag."""
    run = client.create_run(experiment, run_name=name).info.run_id
    metrics = [
        Metric(key.replace("@", "_at_"), float(value), 1_700_000_000_000 + 1000 * step + place, step)
        for step, row in enumerate(rows)
        for place, (key, value) in enumerate(row.items())
        if isinstance(value, int | float)
    ]
    for start in range(0, len(metrics), 1000):
        client.log_batch(run, metrics=metrics[start : start + 1000])
    client.log_batch(run, params=[Param("lr", "1e-06")], tags=[RunTag("note", "ünï")])
    client.set_terminated(run)


def uri_of(place):
    """Return the address of a store: of a file of SQLite, or of a folder."""
    return place.as_uri() if place.suffix != ".db" else f"sqlite:///{place}"
