"""Trains as told: ``python train.py FOLDER JOBS``, where JOBS is a JSON list of runs that a process makes one by one.

Each has a ``kind`` of trainer, a ``name`` for its folder, the ``trackers`` that it reports to, and ``attach``: the
arguments of `attach`, or nothing for a run without rlmetrics. ``as_callback`` passes them to a `MetricsCallback`,
``args`` are settings of the trainer, among them ``measured`` for one that logs the numbers of its suite, ``findings``
is a file for what health finds. What came out is in ``result.json`` of each folder, and in the files of the trackers.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import logging
import os
import shutil
import sys
import traceback
import warnings
from pathlib import Path
from typing import Any


class Heard(logging.Handler):
    """Keeps what rlmetrics logs."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message."""
        self.said.append(f"{record.levelname}: {record.getMessage()}")


def reading(callbacks: list[Any]) -> list[Any]:
    """Add a callback that looks up what it knows by TRL's names, and return where it puts that."""
    from transformers import TrainerCallback

    found: list[Any] = []

    class Reader(TrainerCallback):  # type: ignore[misc]
        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            found.append([logs[name] if name in logs else logs.get(name) for name in ("loss", "lr", "eval_loss")])

    callbacks.append(Reader())
    return found


def run(folder: Path, job: dict[str, Any]) -> dict[str, Any]:
    """Make one run, and return what it found."""
    import tiny  # type: ignore[import-not-found]

    folder.mkdir(parents=True)
    os.chdir(folder)
    os.environ |= {
        "MLFLOW_TRACKING_URI": f"sqlite:///{folder}/mlflow.db",
        "TENSORBOARD_LOGGING_DIR": str(folder / "tensorboard"),
    }
    heard = Heard()
    logger = logging.getLogger("rlmetrics")
    logger.handlers = [heard]
    logger.setLevel(logging.INFO)
    if "wandb" in job["trackers"]:
        import wandb

        # The reporter takes the run that there is; its own would go into the folder of the first run of the process.
        wandb.init(project="tiny", name=job["name"], dir=str(folder), mode="offline")
    kind, trackers, options = job["kind"], job["trackers"], dict(job.get("attach") or {})
    tiny.seeded()
    if "findings" in job:
        from rlmetrics.trackers import FindingsFile

        options["health"] = FindingsFile(job["findings"])
    callbacks = []
    if job.get("as_callback"):
        from rlmetrics.trainers.transformers import MetricsCallback

        callbacks = [MetricsCallback(**options)]
    reader = reading(callbacks) if kind != "STEP" else []
    if kind == "STEP":
        loop = tiny.StepPPO(folder / "tensorboard", trackers[0])
        trainer = loop.trainer
    else:
        trainer = loop = tiny.make(kind, folder, trackers, callbacks, run_name=job["name"], **job.get("args", {}))
    if job.get("subclass"):
        mine = type("MyTrainer", (type(trainer),), {"__module__": "my.trainers"})
        trainer.__class__ = mine
    attached = None
    if job.get("attach") is not None and not job.get("as_callback"):
        from rlmetrics.trainers.transformers import attach

        attached = attach(trainer, **options)
    loop.train()
    # TRL's profiling logs into Trackio's run, which the end of the training has closed.
    again = job.get("again", kind in ("GRPO", "DPO", "SFT") and "trackio" not in trackers)
    evaluated = trainer.evaluate() if again else None
    attached = callbacks[0].attached if job.get("as_callback") else attached
    restored = None
    if attached is not None:
        # A second one takes the place of the first, and leaves nothing behind.
        from rlmetrics.trainers.transformers import attach

        owner, name = (trainer.accelerator, "log") if kind == "STEP" else (trainer.callback_handler, "on_log")
        held = vars(owner).get(name)
        other = attach(trainer, **options)
        replaced = vars(owner).get(name) is not held
        other.detach()
        restored = replaced and name not in vars(owner)
    return {
        "restored": restored,
        "weights": tiny.weights(trainer.model),
        "random": tiny.torch.rand(1).item(),
        "history": [] if kind == "STEP" else trainer.state.log_history,
        "evaluated": evaluated,
        "said": heard.said,
        "read": reader,
        "at": None if attached is None else attached.at,
        "faults": None if attached is None else [attached.faults.count, attached.faults.last],
    }


def main() -> int:
    """Make all runs; return how many of them failed."""
    base, jobs = Path(sys.argv[1]).resolve(), json.loads(sys.argv[2])
    os.environ |= {
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "WANDB_MODE": "offline",
        "WANDB_SILENT": "true",
        "TRACKIO_DIR": str(base / "trackio"),
        "CUDA_VISIBLE_DEVICES": "",
    }
    warnings.simplefilter("ignore")
    failed = 0
    for job in jobs:
        folder = base / job["name"]
        shutil.rmtree(folder, ignore_errors=True)
        try:
            found = run(folder, job)
        except Exception:
            failed += 1
            traceback.print_exc()
            found = {"failed": traceback.format_exc()}
        (folder / "result.json").write_text(json.dumps(found, default=str), encoding="utf-8")
        if "wandb" in sys.modules:
            sys.modules["wandb"].finish()
        if "mlflow" in sys.modules:
            sys.modules["mlflow"].end_run()
    return failed


if __name__ == "__main__":
    sys.exit(main())
