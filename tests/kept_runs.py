"""One run, kept by each tracker that people use, as transformers' reporters and TRL's timers hand it over.

The trackers are the real ones. W&B numbers calls of ``log`` and repeats the latest step, Trackio counts on from the
highest number, TensorBoard rounds to 32 bits; TRL's timers write rows of their own between the steps.
"""

from __future__ import annotations

import csv
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet
from wandb_frames import parsed

Row = dict[str, Any]
TIMERS = ("transformers.generate", "_prepare_inputs", "compute_loss")


def shown(row: Row) -> Row:
    """Return a row as W&B, TensorBoard and Trackio are given it."""
    names = {key: f"eval/{key[5:]}" if key.startswith("eval_") else f"train/{key}" for key in row if key != "step"}
    return {name: row[key] for key, name in names.items()}


def timed(row: Row) -> Iterator[Row]:
    """Yield what the timers of a step write before it is logged."""
    for number, name in enumerate(TIMERS):
        yield {f"profiling/Time taken: GRPOTrainer.{name}": 0.25 + number + row["step"] / 1000}


def wandb_run(rows: list[Row], folder: Path) -> Path:
    """Keep a run with W&B, offline."""
    import wandb

    settings = wandb.Settings(x_disable_stats=True, console="off", silent=True)
    run = wandb.init(project="kept", dir=str(folder), mode="offline", settings=settings)
    run.define_metric("train/global_step")
    run.define_metric("*", step_metric="train/global_step", step_sync=True)
    for row in rows:
        for timer in timed(row):
            run.log(timer)
        run.log({**shown(row), "train/global_step": row["step"]})
    run.finish()
    place = next((folder / "wandb").glob("offline-run-*"))
    (path,) = place.glob("*.wandb")
    # The service of W&B writes the end of the file on its own time.
    end = time.monotonic() + 60
    while not any(item.HasField("exit") for item in parsed(path)):
        assert time.monotonic() < end
        time.sleep(0.05)
    return place


def tensorboard_run(rows: list[Row], folder: Path) -> Path:
    """Keep a run with TensorBoard."""
    from torch.utils.tensorboard import SummaryWriter

    place = folder / "tensorboard"
    with SummaryWriter(str(place)) as writer:
        for row in rows:
            for name, value in shown(row).items():
                writer.add_scalar(name, value, row["step"])
    return place


def trackio_run(rows: list[Row], folder: Path) -> Path:
    """Keep a run with Trackio, which looks up its folder when it is imported."""
    import trackio
    from trackio import sqlite_storage, utils

    for module in (utils, sqlite_storage):
        vars(module)["TRACKIO_DIR"] = folder / "trackio"
    trackio.init(project="kept", name=folder.name, embed=False, auto_log_gpu=False)
    for row in rows:
        for timer in timed(row):
            trackio.log(timer, step=row["step"] - 1)
        trackio.log({**shown(row), "train/global_step": row["step"]})
        trackio.log({"completions": {"_type": "trackio.table", "_value": [{"prompt": "a", "completion": "b"}]}})
    trackio.finish()
    return folder / "trackio"


def mlflow_run(rows: list[Row], folder: Path) -> Path:
    """Keep a run with MLflow, in its database."""
    from mlflow import MlflowClient
    from mlflow.entities import Metric

    client = MlflowClient(f"sqlite:///{folder}/mlflow.db")
    run = client.create_run(client.create_experiment("kept")).info.run_id
    metrics: list[Any] = []
    for row in rows:
        logged = [(row["step"] - 1, key, value) for timer in timed(row) for key, value in timer.items()]
        logged += [(row["step"], key, value) for key, value in row.items() if key != "step"]
        metrics += [Metric(key.replace(":", "_"), value, 1, step) for step, key, value in logged]
    for start in range(0, len(metrics), 1000):
        client.log_batch(run, metrics[start : start + 1000])
    return folder / "mlflow.db"


def trainer_state(rows: list[Row], folder: Path) -> Path:
    """Keep a run as transformers does beside its checkpoints."""
    place = folder / "trainer_state.json"
    place.write_text(json.dumps({"global_step": rows[-1]["step"], "log_history": rows}, indent=2))
    return place


def json_lines(rows: list[Row], folder: Path) -> Path:
    """Keep a run as JSON lines."""
    place = folder / "run.jsonl"
    place.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return place


def table(rows: list[Row], folder: Path) -> Path:
    """Keep a run as the table of W&B's history, with a number for each call of ``log`` and gaps for what it lacks."""
    place = folder / "history.csv"
    names = list(dict.fromkeys(["_step", "train/global_step", *(name for row in rows for name in shown(row))]))
    with place.open("w", newline="") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for number, row in enumerate(rows):
            writer.writerow({"_step": 5 * number, "train/global_step": row["step"], **shown(row)})
    return place


def console(rows: list[Row], folder: Path) -> Path:
    """Keep what transformers prints, with a progress bar around it, and one for each evaluation."""
    place = folder / "console.log"
    total = math.ceil(rows[-1]["step"] / 100) * 100
    parts = [f"  0%|          | 0/{total} [00:00<?, ?it/s]"]
    for row in rows:
        if any(key.startswith("eval_") for key in row):
            parts.append(
                "\r  0%|          | 0/4 [00:00<?, ?it/s]\x1b[A\r100%|####| 4/4 [00:01<00:00, 4.00it/s]\x1b[A\n"
            )
        bar = f"\r {100 * row['step'] // total:2}%|##        | {row['step']}/{total} [00:10<01:40, 1.20it/s]"
        printed = {key: value for key, value in row.items() if key != "step"}
        parts.append(f"{bar}\r{' ' * 40}\r{printed}\n{bar}")
    place.write_text("".join(parts))
    return place


def wide_parquet(rows: list[Row], folder: Path) -> Path:
    """Keep a column for each key."""
    place = folder / "history.parquet"
    names = dict.fromkeys(name for row in rows for name in row)
    parquet.write_table(pyarrow.table({name: [row.get(name) for row in rows] for name in names}), place)
    return place


def long_parquet(rows: list[Row], folder: Path) -> Path:
    """Keep a row for each number, those of one key together."""
    place = folder / "points.parquet"
    points = [(row["step"], key, float(value)) for row in rows for key, value in row.items() if key != "step"]
    points.sort(key=lambda point: point[1])
    columns = dict(zip(("step", "metric", "value"), zip(*points, strict=True), strict=True))
    parquet.write_table(pyarrow.table({name: list(values) for name, values in columns.items()}), place)
    return place


KINDS: dict[str, Callable[[list[Row], Path], Path]] = {
    "trainer-state": trainer_state,
    "jsonl": json_lines,
    "csv": table,
    "parquet": wide_parquet,
    "parquet of points": long_parquet,
    "hf-console": console,
    "tensorboard": tensorboard_run,
    "wandb": wandb_run,
    "trackio": trackio_run,
    "mlflow": mlflow_run,
}
"""What keeps a run, by the kind that it is read as."""
