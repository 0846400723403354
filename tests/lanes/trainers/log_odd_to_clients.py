"""Odd rows in clients of trackers by themselves: ``python log_odd_to_clients.py FOLDER JOBS``.

Each job names a client; those of ClearML and RL-Insight are verl's own loggers, in the file that the job names. What
was raised, and what the client has written, is in CLIENT.json. It runs in the environments of the clients.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import importlib.util
import json
import math
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

CLEARML: dict[str, dict[str, Any]] = {
    "none": {"a/x": None},
    "words": {"a/x": "words"},
    "numpy's bool": {"a/x": np.bool_(True)},
    "no slash": {"x": 0.5},
    "bool": {"a/x": True},
    "float32": {"a/x": np.float32(0.5)},
}
"""What one row each holds between two ordinary values."""
SWANLAB: dict[str, tuple[dict[str, Any], Any]] = {
    "once": ({"a": 0.25}, 1),
    "twice": ({"a": 0.75}, 1),
    "numpy's step": ({"numpy": 0.5}, np.int64(2)),
    "float step": ({"float": 0.5}, 2.0),
    "words": ({"words": "words"}, 3),
    "number": ({"number": "0.25"}, 3),
    "infinity": ({"infinity": "inf"}, 3),
}
"""Rows and their steps."""
VALUES: dict[str, Any] = {
    "none": None,
    "words": "words",
    "number": "0.25",
    "nan": math.nan,
    "inf": math.inf,
    "float32": np.float32(0.5),
    "float64": np.float64(0.5),
    "int64": np.int64(3),
    "bool": True,
    "numpy's bool": np.bool_(True),
    "large": 2**70,
    "huge": 10**400,
    "array": np.zeros(2),
    "one": np.zeros(1),
    "list": [0.5],
    "dict": {"a": 0.5},
}
"""One value each."""
NEPTUNE: list[dict[str, Any]] = [
    {"a": 1.0},
    {"a/b": 1.0, "behind": 1.0},
    {"c/d": 1.0},
    {"c": 1.0, "behind": 1.0},
    {"e//f": 1.0, "/g/": 1.0},
    {"huge": 10**400, "behind": 1.0},
]
"""Rows through transformers' callback."""


def main(folder: Path, jobs: list[dict[str, Any]]) -> None:
    """Log with the client, and say what arrived."""
    (job,) = jobs  # clients start threads and change the process: one each
    os.chdir(folder)
    clients = {"clearml": clearml, "rl_insight": rl_insight}
    others = {"swanlab": swanlab, "neptune": neptune, "azureml": azureml, "openrlhf": openrlhf}
    found = clients[job["client"]](job["file"], folder) if "file" in job else others[job["client"]](folder)
    (folder / f"{job['client']}.json").write_text(json.dumps(found))


def verl_trackers(file: str) -> Any:
    """Return verl's module of trackers without the package itself, which asks for all that verl needs."""
    return module("tracking", file)


def module(name: str, file: str | Path) -> Any:
    """Return a module by its file."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


def clearml(file: str, folder: Path) -> dict[str, Any]:
    """Log through verl's logger for ClearML; return what it raised, and the names and values of each step."""
    os.environ["CLEARML_CACHE_DIR"] = str(folder / "cache")
    from clearml import Task

    Task.set_offline(True)
    logger = verl_trackers(file).ClearMLLogger("names", "names", {})
    raised: dict[str, str] = {}
    for step, (name, odd) in enumerate(CLEARML.items()):
        try:
            logger.log({"a/first": 1.0, **odd, "a/last": 2.0}, step)
        except Exception as error:
            raised[name] = type(error).__name__
    task = logger._task
    task.get_logger().report_single_value("total", 3.0)
    task.get_logger().flush(wait=True)
    stored: dict[str, dict[str, float]] = {}
    for line in (Path(task.get_offline_mode_folder()) / "metrics.jsonl").read_text().splitlines():
        for point in json.loads(line):
            if "value" in point:
                stored.setdefault(str(point["iter"]), {})[f"{point['metric']}/{point['variant']}"] = point["value"]
    task.close()
    return {"raised": raised, "stored": stored}


def swanlab(folder: Path) -> dict[str, Any]:
    """Log rows; return what was raised, and the steps and values of each name."""
    import swanlab as client
    from swanlab.proto.swanlab.record.v1.record_pb2 import Record
    from swanlab.sdk.internal.core_python.store import DataStoreReader

    client.init(project="names", mode="offline", logdir=str(folder / "swanlog"))
    raised: dict[str, str] = {}
    for name, (row, step) in SWANLAB.items():
        try:
            client.log(row, step=step)
        except Exception as error:
            raised[name] = type(error).__name__
    client.finish()
    (path,) = (folder / "swanlog").glob("run-*/*.swanlab")
    reader, stored = DataStoreReader(), dict[str, list[Any]]()
    reader.open(path)
    for data in reader:
        record = Record()
        record.ParseFromString(data)
        if record.HasField("scalar"):
            scalar = record.scalar
            stored.setdefault(scalar.key, []).append([scalar.step, str(scalar.value.number)])
    return {"raised": raised, "stored": stored}


def neptune(folder: Path) -> dict[str, Any]:
    """Log each value with the client and rows with transformers' callback; return what was raised, and what is kept."""
    import neptune as client
    from log_by_callbacks import kept_by_neptune
    from transformers.integrations import NeptuneCallback

    class State:
        is_world_process_zero = True
        global_step = 3

    run = client.init_run(mode="offline", capture_hardware_metrics=False, git_ref=False)
    raised: dict[str, str] = {}

    def tried(name: str, log: Any) -> None:
        try:
            log()
        except Exception as error:
            raised[name] = type(error).__name__

    for name, value in VALUES.items():
        tried(name, lambda name=name, value=value: run[f"alone/{name}"].log(value, step=1))
    tried("a step of NumPy", lambda: run["step"].log(0.5, step=np.int64(1)))
    callback = NeptuneCallback(log_parameters=False)
    callback._run = run  # or it would ask the server for the id of the run
    for number, row in enumerate(NEPTUNE):
        tried(f"row {number}", lambda row=row: callback.on_log(None, State, None, row))
    run.stop()
    return {"raised": raised, "stored": kept_by_neptune(folder)}


def azureml(_: Path) -> dict[str, Any]:
    """Return of each value what Azure's client makes of it, and its type there."""
    from log_by_callbacks import azure_metrics

    scalar = azure_metrics().ScalarMetric
    stored: dict[str, list[Any]] = {}
    for name, value in VALUES.items():
        sent = scalar(name, value, step=1).create_v2_dto()
        stored[name] = [sent.columns[name], str(sent.value[0].data[name])]
    return stored


def rl_insight(file: str, _: Path) -> dict[str, Any]:
    """Log through verl's logger for RL-Insight; return what it raised, and the gauges of RL-Insight's own registry.

    What passes events on between processes is left out.
    """
    os.environ["VERL_RL_INSIGHT_ENABLE"] = "1"
    from prometheus_client import REGISTRY
    from rl_insight.client.base import MonitorClient, register_monitor_client
    from rl_insight.utils import MetricRegistry

    class Direct(MonitorClient):
        def __init__(self, conf: Any) -> None:
            self.registry = MetricRegistry(namespace=str(conf.server.namespace))

        def apply_event(self, event: dict[str, Any]) -> None:
            self.registry.value(event["name"], event["documentation"], float(event["value"]), {}, event["labels"])

    register_monitor_client("direct", Direct)
    chosen = {"trainer": {"rl_insight": {"server": {"backend": "direct", "url": "http://localhost"}}}}
    logger = verl_trackers(file).RLInsightLogger("names", "names", chosen)
    raised: dict[str, str] = {}
    rows: list[dict[str, Any]] = [{f"v/{name}": value} for name, value in VALUES.items()]
    rows += [{"a/b_c": 0.25, "a_b/c": 0.75}, {"val-core/gsm8k/acc/mean@4": 0.5}, {"late": 10**400, "behind": 1.0}]
    for step, row in enumerate(rows):
        try:
            logger.log(row, step)
        except Exception as error:
            raised[next(iter(row))] = type(error).__name__
    gauges = (sample for metric in REGISTRY.collect() for sample in metric.samples)
    return {"raised": raised, "stored": {gauge.name: str(gauge.value) for gauge in gauges if "insight" in gauge.name}}


def openrlhf(folder: Path) -> dict[str, Any]:
    """Log through OpenRLHF's own loggers; return the names, steps and values of W&B and TensorBoard."""
    import sysconfig
    from types import SimpleNamespace

    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    os.environ |= {"WANDB_MODE": "offline", "WANDB_API_KEY": "0" * 40, "WANDB_SILENT": "true"}
    loggers = module("loggers", Path(sysconfig.get_path("purelib")) / "openrlhf" / "utils" / "logging_utils.py")
    wandb = SimpleNamespace(key=None, org=None, project="names", group=None, run_name="run")
    arguments = SimpleNamespace(logger=SimpleNamespace(wandb=wandb, tensorboard_dir=str(folder / "events")))
    odd = {"none": None, "nan": math.nan, "inf": math.inf, "float32": np.float32(0.5), "a b(1e-3)/mean@1": 0.5}
    raised: dict[str, str] = {}
    for kind in (loggers.WandbLogger, loggers.TensorboardLogger):
        logger = kind(arguments)
        logger.log_train(3, {"reward": 0.5, **odd, "generated_samples": ["words", 0.5]})
        logger.log_eval(3, {"eval_gsm8k_pass1": 0.25, **odd})
        for name, value in {"words": "words", "dict": {"a": 0.5}}.items():
            try:
                logger.log_train(4, {"before": 1.0, name: value, "behind": 1.0})
            except Exception as error:
                raised[f"{kind.__name__} {name}"] = type(error).__name__
        logger.close()
    events = EventAccumulator(str(folder / "events" / "run"))
    events.Reload()
    curves = {
        name: [[item.step, str(item.value)] for item in events.Scalars(name)] for name in events.Tags()["scalars"]
    }
    return {"raised": raised, "tensorboard": curves, "wandb": rows_of_wandb(folder)}


def rows_of_wandb(folder: Path) -> list[dict[str, str]]:
    """Return the rows of a run of W&B that was not sent: JSON by name, without the columns of its own."""
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    from wandb.proto.wandb_internal_pb2 import Record  # pyright: ignore[reportAttributeAccessIssue]
    from wandb_frames import payloads

    (path,) = folder.glob("wandb/offline-run-*/*.wandb")
    records = map(Record.FromString, payloads(path.read_bytes()))
    rows = [record.history.item for record in records if record.HasField("history")]
    named = [{"/".join(item.nested_key) or item.key: item.value_json for item in row} for row in rows]
    return [{name: value for name, value in row.items() if not name.startswith("_")} for row in named]


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
