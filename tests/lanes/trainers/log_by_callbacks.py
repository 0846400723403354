"""A real trainer of transformers with the callback of a tracker; prints which names and values the tracker has stored.

Runs in an environment of its own, where neither pytest nor the other modules of the tests are: FOLDER JOBS, where each
job names a tracker. What is stored is read from the files that the tracker's own client writes when it is offline.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import csv
import json
import math
import os
import sys
import zipfile
from pathlib import Path
from typing import Any

ODD = {"nan": math.nan, "inf": math.inf, "text": "words", "a b(1e-3)/mean@1": 0.5}
"""What is logged beside the trainer's own numbers."""


def main(folder: Path, jobs: list[dict[str, Any]]) -> None:
    """Log with each tracker, and write what it has stored to TRACKER.json."""
    (job,) = jobs  # clients start threads and change the process: one each
    clients = {"swanlab": swanlab, "comet": comet, "clearml": clearml, "dvclive": dvclive}
    clients |= {"neptune": neptune, "azureml": azureml}
    stored = clients[job["tracker"]](folder)
    (folder / f"{job['tracker']}.json").write_text(json.dumps(stored))


def train(callback: Any) -> None:
    """Train two steps, evaluate once, and log odd values."""
    import torch
    from transformers import PrinterCallback, Trainer, TrainingArguments

    class Line(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = torch.nn.Linear(1, 1)
            self.config = None

        def forward(self, x: Any, labels: Any = None) -> Any:
            said = self.inner(x)
            return {"loss": (said - labels).square().mean(), "logits": said}

    data = [{"x": torch.tensor([float(n)]), "labels": torch.tensor([2.0 * n])} for n in range(4)]
    arguments = TrainingArguments(
        "out",
        max_steps=2,
        logging_steps=1,
        eval_strategy="steps",
        eval_steps=2,
        per_device_train_batch_size=2,
        report_to="none",
        use_cpu=True,
        save_strategy="no",
        disable_tqdm=True,
    )
    trainer = Trainer(Line(), arguments, train_dataset=data, eval_dataset=data, callbacks=[callback])
    trainer.remove_callback(PrinterCallback)
    logged = trainer.log

    def log(row: dict[str, Any], *more: Any, **named: Any) -> None:
        logged({**row, **ODD} if "learning_rate" in row else row, *more, **named)

    trainer.log = log
    trainer.train()


def swanlab(folder: Path) -> dict[str, list[Any]]:
    """Return what SwanLab has stored, by name."""
    import swanlab as client
    from swanlab.proto.swanlab.record.v1.record_pb2 import Record
    from swanlab.sdk.internal.core_python.store import DataStoreReader
    from transformers.integrations import SwanLabCallback

    # The callback asks for the run, which this release of the client answers with an error before there is one.
    client.init(project="names", mode="offline", logdir=str(folder / "swanlog"))
    train(SwanLabCallback())
    client.finish()
    (path,) = (folder / "swanlog").glob("run-*/*.swanlab")
    reader, stored = DataStoreReader(), dict[str, list[Any]]()
    reader.open(path)
    for data in reader:
        record = Record()
        record.ParseFromString(data)
        if record.HasField("scalar"):
            stored.setdefault(record.scalar.key, []).append(record.scalar.value.number)
    return stored


def comet(folder: Path) -> dict[str, list[Any]]:
    """Return what Comet's client would send, by name."""
    os.environ.update(COMET_START_ONLINE="0", COMET_OFFLINE_DIRECTORY=str(folder), COMET_LOGGING_CONSOLE="ERROR")
    import comet_ml
    from transformers.integrations import CometCallback

    train(CometCallback())
    experiment = comet_ml.get_running_experiment()
    if experiment is not None:
        experiment.end()
    (path,) = folder.glob("*.zip")
    stored: dict[str, list[Any]] = {}
    for line in zipfile.ZipFile(path).read("messages.json").decode().splitlines():
        message = json.loads(line)
        if message["type"] == "metric_msg":
            metric = message["payload"]["metric"]
            stored.setdefault(metric["metricName"], []).append(metric["metricValue"])
    return stored


def clearml(folder: Path) -> dict[str, list[Any]]:
    """Return what ClearML has stored, by title and series, and its single values by name."""
    os.environ["CLEARML_CACHE_DIR"] = str(folder / "cache")
    from clearml import Task
    from transformers.integrations import ClearMLCallback

    Task.set_offline(True)
    off = {"auto_connect_frameworks": False, "auto_connect_arg_parser": False, "auto_resource_monitoring": False}
    task = Task.init("names", "names", **off)
    train(ClearMLCallback())
    task.get_logger().flush(wait=True)
    stored: dict[str, list[Any]] = {}
    for line in (Path(task.get_offline_mode_folder()) / "metrics.jsonl").read_text().splitlines():
        for point in json.loads(line):
            if "value" in point:
                stored.setdefault(f"{point['metric']}/{point['variant']}", []).append(point["value"])
    task.close()
    return stored


def dvclive(folder: Path) -> dict[str, list[Any]]:
    """Return what DVCLive has stored, by name, and the steps of the loss as ``sys.steps``."""
    from dvclive import Live
    from transformers.integrations import DVCLiveCallback

    train(DVCLiveCallback(Live(str(folder / "live"), save_dvc_exp=False, dvcyaml=None)))
    tables = folder / "live" / "plots" / "metrics"
    stored: dict[str, list[Any]] = {}
    for path in tables.rglob("*.tsv"):
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        name = path.relative_to(tables).as_posix().removesuffix(".tsv")
        stored[name] = [row[name.rpartition("/")[2]] for row in rows]
        if name in ("loss", "eval/loss", "train/loss"):
            stored[f"sys.steps of {name}"] = [int(row["step"]) for row in rows]
    return stored


def neptune(folder: Path) -> dict[str, list[Any]]:
    """Return what Neptune's client has kept for later, by name; of a series its values, else the value."""
    import neptune as client
    from transformers.integrations import NeptuneCallback

    os.chdir(folder)
    callback = NeptuneCallback(log_parameters=False)
    callback._run = run = client.init_run(mode="offline", capture_hardware_metrics=False, git_ref=False)
    callback._is_monitoring_run = True  # or it would ask the server for the id of the run
    train(callback)
    run.stop()
    return {name.removeprefix("finetuning/"): values for name, values in kept_by_neptune(folder).items()}


def kept_by_neptune(folder: Path) -> dict[str, list[Any]]:
    """Return the numbers and texts in a run of Neptune's that was not sent, without what it says of itself."""
    stored: dict[str, list[Any]] = {}
    for path in sorted((folder / ".neptune").rglob("*.log")):
        for line in path.read_text().splitlines():
            operation = json.loads(line)["obj"]
            name = "/".join(operation["path"])
            values = [point["value"] for point in operation.get("values", ())] or [operation.get("value")]
            if operation["path"][0] not in {"sys", "source_code", "monitoring"}:
                stored.setdefault(name, []).extend(values)
    return stored


def azureml(_: Path) -> dict[str, list[Any]]:
    """Return what Azure's client would send, by name; what sends it is left out."""
    metrics = azure_metrics()
    from transformers.integrations import AzureMLCallback

    stored: dict[str, list[Any]] = {}

    class Run:
        def log(self, name: str, value: Any, description: str = "", step: Any = None) -> None:
            sent = metrics.ScalarMetric(name, value, description=description, step=step).create_v2_dto().serialize()
            stored.setdefault(sent["name"], []).extend(point["data"][name] for point in sent["value"])

    train(AzureMLCallback(Run()))
    return stored


def azure_metrics() -> Any:
    """Return Azure's module of metrics, without the rest of its package, which asks for thirty others."""
    from importlib import import_module
    from importlib.machinery import ModuleSpec
    from importlib.util import module_from_spec

    places = [str(path) for path in import_module("azureml").__path__]
    for name in ("azureml.core", "azureml.core.run"):
        found = ModuleSpec(name, None, is_package=True)
        found.submodule_search_locations = places
        sys.modules[name] = module_from_spec(found)
    core, run = sys.modules["azureml.core"], sys.modules["azureml.core.run"]
    core.__path__ = [f"{path}/core" for path in places]
    run.Run = None  # type: ignore[attr-defined]
    return import_module("azureml.core._metrics")


if __name__ == "__main__":
    main(Path(sys.argv[1]), json.loads(sys.argv[2]))
