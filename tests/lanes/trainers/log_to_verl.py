"""Logs through verl's ``Tracking`` as told: ``python log_to_verl.py FOLDER JOBS``, where JOBS is a JSON list of runs.

Each run logs what verl's own functions make of four recorded batches, or ``rows`` of its own. ``how`` says what stands
in the way: ``plain`` nothing, ``adapter`` a `TrackingAdapter`, ``attach``, ``backend`` a `BackendAdapter` for
TensorBoard only, ``name`` the name in the list of trackers, ``code`` a block of the documentation. ``measured`` gives
the adapter the batches too, ``program`` is the module of verl that runs, ``forks`` is how many processes log meanwhile.
What came out is in ``result.json`` of each folder and in the files of the trackers. verl 0.9 finds the plugin by its
entry point, 0.7 by a variable, 0.5 is told to import it.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import io
import json
import logging
import os
import signal
import sys
import threading
import traceback
import warnings
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
BATCHES = ("mixed", "garbage_pad", "multiturn", "aborted")
PLUGIN = "rlmetrics.trainers.verl_plugin"


class Heard(logging.Handler):
    """Keeps what rlmetrics logs."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.said.append(record.getMessage())


def batches() -> list[Any]:
    """Return four batches of verl's driver."""
    import torch
    from verl import DataProto

    sys.path.append(str(ROOT / "tests"))
    from parity.recorded_arrays import recorded_arrays

    found: list[Any] = []
    for name in BATCHES:
        held = recorded_arrays(f"verl-inputs/{name}")
        tensors = {
            key: torch.from_numpy(held[key]) for key in held if held[key].dtype.kind in "fi" and key != "num_turns"
        }
        others = {"__num_turns__": held["num_turns"], "tool_call_counts": held["tool_call_counts"]}
        tensors.pop("tool_call_counts")
        batch = DataProto.from_dict(tensors=tensors, non_tensors=others)
        batch.meta_info["global_token_num"] = batch.batch["attention_mask"].sum(-1).tolist()
        batch.non_tensor_batch["uid"] = held["uid"].astype(object)
        found.append(batch)
    return found


def rows(held: list[Any]) -> list[dict[str, Any]]:
    """Return what verl's driver logs of some batches, computed by the release's own functions."""
    import numpy as np
    from verl.trainer.ppo import metric_utils
    from verl.utils.metric import reduce_metrics

    found: list[dict[str, Any]] = []
    for step, batch in enumerate(held, 1):
        timing = {"gen": 12.5, "ref": 1.5, "adv": 0.05, "update_actor": 4.5, "step": 24.0}
        row: dict[str, Any] = {"training/global_step": step, "training/epoch": 0}
        row |= reduce_metrics({"actor/pg_loss": [0.1 * step, 0.2], "actor/entropy": [1.5, np.float64(1.0)]})
        row |= metric_utils.compute_data_metrics(batch=batch, use_critic=True)
        row |= metric_utils.compute_timing_metrics(batch=batch, timing_raw=timing)
        row |= metric_utils.compute_throughout_metrics(batch=batch, timing_raw=timing, n_gpus=2)
        found.append(row)
    return found


def forked(log: Any, row: dict[str, Any], count: int) -> list[int]:
    """Log a row in new processes while a thread of this one logs too; return how each of them has ended."""
    stop = threading.Event()

    def logging_on() -> None:
        while not stop.is_set():
            log(data=row, step=1)

    thread = threading.Thread(target=logging_on)
    thread.start()
    children = []
    for _ in range(count):
        child = os.fork()
        if child == 0:
            signal.alarm(60)
            with open("children.txt", "a", encoding="utf-8") as said, redirect_stdout(said):
                log(data=row, step=2)
            os._exit(0)
        children.append(child)
    ended = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    stop.set()
    thread.join()
    return ended


def run(folder: Path, job: dict[str, Any], logged: list[dict[str, Any]], held_batches: list[Any]) -> dict[str, Any]:
    """Make one run, and return what it found."""
    from rlmetrics.trackers.live import Live
    from verl.utils.tracking import Tracking

    folder.mkdir()
    os.chdir(folder)
    os.environ |= {"TENSORBOARD_DIR": str(folder / "tensorboard"), "VERL_FILE_LOGGER_PATH": str(folder / "rows.jsonl")}
    os.environ["WANDB_DIR"] = str(folder)
    heard = Heard()
    logger = logging.getLogger("rlmetrics")
    logger.handlers, logger.propagate = [heard], False
    logger.setLevel(logging.INFO)
    how, options, config = job["how"], dict(job.get("options", {})), job.get("config", {"trainer": {}})
    faults: Any = None
    ended: list[int] = []
    driver: Any = None
    if "measured" in job:
        from rlmetrics.trainers.verl_suites import DriverSuite

        driver = options["metrics"] = DriverSuite(eos=1)
    if "program" in job:
        sys.modules["__main__"].__spec__ = find_spec(job["program"])
    logged = job.get("rows", logged)
    if how == "code":
        names: dict[str, Any] = {"config": config, "metrics": logged[0]}
        exec(compile(job["code"], job["name"], "exec"), names)
        held = names.pop("tracking")
        names.clear()
    else:
        tracking = Tracking("project", "run", default_backend=job["backends"], config=config)
        held = tracking
        if how == "adapter":
            from rlmetrics.trainers.verl import TrackingAdapter

            held = TrackingAdapter(tracking, config=config, **options)
            faults = held.faults
        elif how == "attach":
            from rlmetrics.trainers.verl import attach

            attach(tracking, to="trl[GRPOTrainer]==1.16.0")
            live: Live = attach(tracking, config=config, **options)
            faults = live.faults
        elif how == "backend":
            from rlmetrics.trainers.verl import BackendAdapter

            backend = BackendAdapter(tracking.logger["tensorboard"], config=config, **options)
            tracking.logger["tensorboard"] = backend
            faults = backend.faults
        del tracking
        for step, row in enumerate(logged, 1):
            given = dict(row)
            if step == job.get("broken_at"):
                given["actor/pg_loss"] = float("nan")
            for name in job.get("unreadable", ()):
                given[name] = {"a": "table"}
            before = list(given.items())
            if driver is not None:
                driver.update(held_batches[step - 1])
            held.log(data=given, step=step)
            assert before == list(given.items()) or step == job.get("broken_at"), "the row of the trainer has changed"
        if "forks" in job:
            ended = forked(held.log, logged[0], job["forks"])
        for name in job.get("evaluations", ()):
            held.log(data={name: 0.5}, step=len(logged))
    sys.modules["__main__"].__spec__ = None
    own = "log" in vars(held)
    writers = [held.logger[name] for name in ("tensorboard",) if name in held.logger]
    del held
    files = [writer.writer.file_writer is None or not writer.writer.all_writers for writer in writers]
    return {
        "said": heard.said,
        "own": own,
        "closed": all(files),
        "ended": ended,
        "faults": None if faults is None else [faults.count, faults.last],
    }


def main() -> int:
    """Make all runs; return how many of them failed."""
    base, jobs = Path(sys.argv[1]).resolve(), json.loads(sys.argv[2])
    os.environ |= {"HF_HUB_OFFLINE": "1", "WANDB_MODE": "offline", "WANDB_SILENT": "true", "CUDA_VISIBLE_DEVICES": ""}
    warnings.simplefilter("ignore")
    sys.path.insert(0, str(base / "site"))
    from importlib.metadata import version

    if not version("verl").startswith("0.9"):
        os.environ["VERL_USE_EXTERNAL_MODULES"] = PLUGIN
    import verl  # type: ignore[import-not-found]

    loaded = sorted(name for name in sys.modules if name.startswith("rlmetrics."))
    if verl.__version__.startswith("0.5"):
        import_module(PLUGIN)
    held = batches()
    logged = rows(held)
    failed = 0
    for job in jobs:
        said = io.StringIO()
        try:
            with redirect_stdout(said):
                found = run(base / job["name"], job, logged, held)
        except Exception:
            failed += 1
            traceback.print_exc()
            found = {"failed": traceback.format_exc()}
        found |= {"console": said.getvalue().splitlines(), "loaded": loaded, "keys": list(logged[0])}
        (base / job["name"] / "result.json").write_text(json.dumps(found), encoding="utf-8")
        if "wandb" in sys.modules:
            # The next run has a folder of its own, which W&B reads from the environment when it starts.
            sys.modules["wandb"].teardown()
    return failed


if __name__ == "__main__":
    sys.exit(main())
