"""Writes a run as its owner has it: checkpoints, consoles, tables, and stores of trackers made by their own clients."""

from __future__ import annotations

import csv
import json
import math
import os
import pprint
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from programs.corpus.trainers import Row, Run

__all__ = ["KINDS", "write"]

CARD = """---
base_model: Qwen/Qwen2.5-0.5B-Instruct
library_name: transformers
model_name: {name}
tags:
- generated_from_trainer
- trl
- {tag}
licence: license
---

# Model Card for {name}

This model is a fine-tuned version of [Qwen/Qwen2.5-0.5B-Instruct](https://huggingface.co/Qwen/Qwen2.5-0.5B-Instruct).
It has been trained using [TRL](https://github.com/huggingface/trl).

## Training procedure

This model was trained with {method}.

### Framework versions

- TRL: {release}
- Transformers: {transformers}
- Pytorch: 2.6.0
- Datasets: 3.6.0
- Tokenizers: 0.21.4
"""
METHODS = {"grpo": "GRPO", "rloo": "RLOO", "dpo": "DPO", "orpo": "ORPO", "cpo": "CPO", "kto": "KTO", "sft": "SFT"}
METHODS |= {"reward": "Reward", "ppo": "PPO", "online_dpo": "Online DPO", "gkd": "GKD", "prm": "PRM", "rloo_v1": "RLOO"}


def write(kind: str, run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """Write ``rows`` into ``folder``, with the settings of the run where ``recorded``; return what to open."""
    folder.mkdir(parents=True, exist_ok=True)
    path = KINDS[kind](run, rows, folder, recorded)
    if run.set.get("torn") and path.is_file():
        # Copied while it was written: the last line stops somewhere.
        path.write_bytes(path.read_bytes()[: -int(run.set["torn"])])
    return path


def _history(run: Run, rows: list[Row]) -> list[dict[str, Any]]:
    """Return the log history as the trainer keeps it: with epochs and steps, without what went to trackers alone."""
    if run.trainer in BARE:
        return [row.values if "step" in run.set else {"step": row.step} | row.values for row in rows]
    return [row.values | {"epoch": row.epoch, "step": row.step} for row in rows if row.kind != "extra"]


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, sort_keys=True) + "\n"


BARE = ("ppo_v1", "verl", "foreign")
"""Trainers whose trackers get the names as they are."""


def _card(run: Run, folder: Path, recorded: bool) -> None:
    """Write the model card that trainers of TRL write since 0.12, which names the method and the releases."""
    if not recorded:
        return
    method = METHODS[run.trainer]
    tag = method.lower().replace(" ", "-")
    versions = "5.1.0" if run.transformers >= 5 else "4.52.3"
    card = CARD.format(name=f"qwen-{tag}", tag=tag, method=method, release=run.release, transformers=versions)
    (folder / "README.md").write_text(card, encoding="utf-8")


def _trainer_state(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """The state that a trainer saves with its model, or with a checkpoint below the model card."""
    place = folder / f"checkpoint-{rows[-1].step}" if run.set.get("checkpoint") else folder
    _card(run, folder, recorded)
    return _saved(run, rows, place)


def _checkpoints(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """What a trainer leaves behind: checkpoints, each with the history up to it, and the card."""
    for part in (0.4, 0.8, 1.0):
        step = round(part * run.course.steps)
        _saved(run, [row for row in rows if row.step <= step and row.kind != "final"], folder / f"checkpoint-{step}")
    _card(run, folder, recorded)
    return folder


def _saved(run: Run, rows: list[Row], folder: Path) -> Path:
    history = _history(run, rows)
    state: dict[str, Any] = {"best_metric": None, "best_model_checkpoint": None, "epoch": rows[-1].epoch}
    state |= {"eval_steps": run.eval_every or 500, "global_step": rows[-1].step, "is_hyper_param_search": False}
    state |= {"is_local_process_zero": True, "is_world_process_zero": True, "log_history": history}
    state |= {"logging_steps": run.every, "max_steps": run.course.steps, "num_input_tokens_seen": 0}
    state |= {"num_train_epochs": math.ceil(run.epochs), "save_steps": 500, "total_flos": 0.0, "train_batch_size": 8}
    state |= {"trial_name": None, "trial_params": None}
    if run.transformers >= 5 or run.version >= (0, 18):
        state["best_global_step"] = None
    folder.mkdir(exist_ok=True)
    path = folder / "trainer_state.json"
    path.write_text(_json(state), encoding="utf-8")
    return path


def _rows_as_json(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """A callback's file: one dict a line, as ``on_log`` got it, behind the step."""
    path = folder / "metrics.jsonl"
    found = [{"step": row["step"]} | row if "step" in row else row for row in _history(run, rows)]
    lines = [json.dumps(row) for row in found]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _card(run, folder, recorded)
    return path


def _dump(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """``json.dump(trainer.state.log_history)``."""
    path = folder / "log_history.json"
    path.write_text(json.dumps(_history(run, rows), indent=2), encoding="utf-8")
    _card(run, folder, recorded)
    return path


def _swift(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """``logging.jsonl`` of ms-swift: eight decimals, the step within a text, evaluation rows among the others."""
    path = folder / "logging.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            if row.kind == "extra":
                continue
            found = row.values | {"epoch": row.epoch}
            found = {key: round(value, 8) if isinstance(value, float) else value for key, value in found.items()}
            done = row.step / run.course.steps
            found |= {"global_step/max_steps": f"{row.step}/{run.course.steps}", "percentage": f"{100 * done:.2f}%"}
            found |= {"elapsed_time": f"{row.step}m 7s", "remaining_time": "2h 3m 4s"}
            found |= {"memory(GiB)": 56.31, "train_speed(iter/s)": 0.016512}
            file.write(json.dumps(found) + "\n")
    return path


def _llama_factory(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """``trainer_log.jsonl`` of LLaMA-Factory: a few values under names of its own."""
    path = folder / "trainer_log.jsonl"
    names = {"loss": "loss", "eval_loss": "eval_loss", "rewards/accuracies": "accuracy", "learning_rate": "lr"}
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            found: dict[str, Any] = {"current_steps": row.step, "total_steps": run.course.steps}
            found |= {new: row.values[old] for old, new in names.items() if old in row.values}
            found |= {"epoch": row.epoch, "percentage": round(100 * row.step / run.course.steps, 2)}
            file.write(json.dumps(found | {"elapsed_time": "0:01:03", "remaining_time": "3:17:51"}) + "\n")
    return path


def _table(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """The log history as pandas writes it."""
    history = _history(run, rows)
    names = list(dict.fromkeys(key for row in history for key in row))
    path = folder / "log_history.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        for row in history:
            writer.writerow({k: "" if v is None or v != v else v for k, v in row.items()})
    _card(run, folder, recorded)
    return path


def _exported(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """``run.history().to_csv()`` of W&B's API: a row for each call of log, its own columns before the others."""
    shown = [
        {"_step": place, "_runtime": 11.3 * place, "_timestamp": 1.75e9 + 11.3 * place}
        | _shown(run, row)
        | ({} if run.trainer in BARE or row.kind == "extra" else {"train/global_step": row.step})
        for place, row in enumerate(rows)
    ]
    names = sorted({key for row in shown for key in row})
    path = folder / "history.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["", *names])
        writer.writeheader()
        writer.writerows(
            {"": place} | {k: "" if v != v else v for k, v in row.items()} for place, row in enumerate(shown)
        )
    return path


def _console(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """A console of transformers: dicts among progress bars; texts of four digits since 5.0, full numbers before."""
    lead = str(run.set.get("lead", ""))
    path = folder / "train.log"
    lines, steps = ["Loading checkpoint shards: 100%|##########| 2/2 [00:01<00:00,  1.41it/s]"], run.course.steps
    for row in rows:
        if row.kind == "extra":
            continue
        epoch = row.epoch if run.transformers >= 5 else round(row.epoch, 2)
        found: dict[str, Any] = row.values | {"epoch": epoch}
        if run.transformers >= 5:
            found = {key: f"{value:.4g}" if isinstance(value, float) else value for key, value in found.items()}
        text, width = lead + str(found), run.set.get("width") or sys.maxsize
        done = f"{100 * row.step // steps:3d}%|{'#' * (10 * row.step // steps):10}|"
        bar = f"{done} {row.step}/{steps} [03:44<2:26:29, 22.2s/it]"
        lines += [bar, " " * 50, *(text[first : first + width] for first in range(0, len(text), width)), "", bar]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    _card(run, folder, recorded)
    return path


def _number(value: Any, run: Run) -> str:
    if run.version < (0, 5):
        return f"{value:.3f}"
    return f"np.float64({value!r})" if run.set.get("numpy") and isinstance(value, float) else repr(value)


def _verl_console(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """A console of verl: three decimals up to 0.4.1, all digits since; with what Ray and terminals do to lines."""
    path = folder / "verl_demo.log"
    lead, width = str(run.set.get("lead", "")), run.set.get("width")
    with path.open("w", encoding="utf-8") as file:
        if recorded:
            file.write("".join(f"{lead}{line}\n" for line in pprint.pformat(_settings(run)).splitlines()))
        file.write("Training Progress:   0%|          | 0/435 [00:00<?, ?it/s]\n")
        for row in rows:
            parts = [f"{key}:{_number(value, run)}" for key, value in row.values.items() if value is not None]
            text = lead + " - ".join([f"step:{row.step}", *parts])
            if width:
                text = "\n".join(text[first : first + width] for first in range(0, len(text), width))
            file.write(text + "\n")
    return path


def _verl_file(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    path = folder / "metrics.jsonl"
    path.write_text("".join(json.dumps({"step": r.step, "data": r.values}) + "\n" for r in rows), encoding="utf-8")
    return path


def _shown(run: Run, row: Row) -> dict[str, Any]:
    """Return ``row`` as trackers get it: the trainers of transformers prefix what they report."""
    values = {key: value for key, value in row.values.items() if value is not None}
    if run.trainer in BARE:
        return values
    if row.kind == "extra":
        return values
    found = {}
    for key, value in (values | {"epoch": row.epoch}).items():
        if key.startswith("eval_"):
            found[f"eval/{key[5:]}"] = value
        elif row.kind != "final" or not key.startswith(("train_", "total_flos")):
            found[f"train/{key}"] = value
    return found


def _settings(run: Run) -> dict[str, Any]:
    """Return the settings that a trainer reports to its tracker."""
    if run.trainer == "verl":
        actor = {"use_kl_loss": bool(run.beta), "kl_loss_coef": run.beta, "optim": {"lr": run.rate}, "clip_ratio": 0.2}
        rollout = {"n": run.generations, "name": "vllm"}
        return {
            "actor_rollout_ref": {"actor": actor, "rollout": rollout},
            "algorithm": {"adv_estimator": "gae" if run.set.get("critic") else "grpo"},
            "data": {"max_response_length": run.limit, "train_batch_size": run.groups},
        }
    found: dict[str, Any] = {"learning_rate": run.rate, "logging_steps": run.every, "max_steps": run.course.steps}
    found |= {"per_device_train_batch_size": 8, "transformers_version": "4.52.3", "model_type": "qwen2"}
    if run.trainer in ("grpo", "rloo"):
        found |= {"beta": run.beta, "num_generations": run.generations, "max_completion_length": run.limit}
        found |= {"num_iterations": 1, "scale_rewards": True}
    elif run.trainer in ("dpo", "orpo", "cpo", "kto"):
        found |= {"beta": run.set.get("strength", 0.1), "max_length": 1024}
    return found


def _wandb(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """An offline run of the real client, steps as transformers counts them: one a call of log."""
    import wandb

    settings = wandb.Settings(
        x_disable_stats=True, x_disable_meta=True, console="off", silent=True, disable_git=True, disable_code=True
    )
    config = _settings(run) if recorded else {}
    found = wandb.init(project="corpus", mode="offline", dir=str(folder), config=config, settings=settings)
    framed = run.trainer not in BARE
    if framed:
        found.define_metric("train/global_step")
        found.define_metric("*", step_metric="train/global_step", step_sync=True)
    for row in rows:
        values = _shown(run, row)
        if not values:
            continue
        if run.trainer == "verl":
            found.log(values, step=row.step)
        elif row.kind == "extra" or not framed:
            found.log(values)
        else:
            found.log(values | {"train/global_step": row.step})
    found.finish()
    path = next(folder.glob("wandb/offline-run-*/run-*.wandb"))
    # The client's service writes the last block of a short run after finish() has come back.
    for _ in range(100):
        if path.stat().st_size > 1024:
            break
        time.sleep(0.05)
    return path


def _wandb_files(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """The ``files`` of an online run: console, summary, settings and packages."""
    files = folder / "wandb" / "run-20250611_091500-k3v9q1xz" / "files"
    files.mkdir(parents=True)
    _console(run, rows, files, False).rename(files / "output.log")
    summary = {key: value for row in rows for key, value in _shown(run, row).items()}
    (files / "wandb-summary.json").write_text(json.dumps(summary | {"_step": len(rows)}), encoding="utf-8")
    if recorded:
        (files / "requirements.txt").write_text(f"torch==2.6.0\ntransformers==4.52.3\ntrl=={run.release}\n")
        lines = [f"{key}:\n    value: {json.dumps(value)}\n" for key, value in _settings(run).items()]
        (files / "config.yaml").write_text("".join(lines), encoding="utf-8")
    return files.parent


def _tensorboard(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(str(folder / "runs")) as writer:
        if recorded:
            writer.add_text("args", json.dumps(_settings(run), indent=2))
        for row in rows:
            if row.kind == "extra":
                continue
            for key, value in _shown(run, row).items():
                writer.add_scalar(key, value, row.step)
    return folder / "runs"


_WITH_TRACKIO = """
import json, sys, trackio
job = json.load(sys.stdin)
trackio.init(project="corpus", name="run", config=job["config"], embed=False)
for row in job["rows"]:
    trackio.log(row)
trackio.finish()
"""


def _trackio(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    """A project of the real client, which knows one folder a process."""
    shown = [(row, _shown(run, row)) for row in rows]
    framed = run.trainer not in BARE
    found = [v | {"train/global_step": r.step} if framed and r.kind != "extra" else v for r, v in shown if v]
    job = json.dumps({"config": _settings(run) if recorded else {}, "rows": found})
    environment = os.environ | {"TRACKIO_DIR": str(folder)}
    subprocess.run(
        [sys.executable, "-c", _WITH_TRACKIO], input=job, text=True, check=True, capture_output=True, env=environment
    )
    return folder / "corpus.db"


def _mlflow(run: Run, rows: list[Row], folder: Path, recorded: bool) -> Path:
    os.environ |= {"MLFLOW_ALLOW_FILE_STORE": "true", "MLFLOW_DISABLE_TELEMETRY": "true", "GIT_PYTHON_REFRESH": "quiet"}
    import mlflow
    from mlflow.entities import Metric, Param

    client = mlflow.MlflowClient(tracking_uri=(folder / "mlruns").as_uri())
    found = client.create_run(client.create_experiment("corpus"))
    settings = _settings(run) if recorded and run.trainer != "verl" else {}
    client.log_batch(found.info.run_id, params=[Param(key, str(value)) for key, value in settings.items()])
    for row in rows:
        values = {key.replace("@", "_at_"): value for key, value in row.values.items() if value is not None}
        metrics = [
            Metric(key, float(value), 1_750_000_000_000 + 1000 * row.step, row.step) for key, value in values.items()
        ]
        client.log_batch(found.info.run_id, metrics=metrics)
    return folder / "mlruns"


KINDS: dict[str, Callable[[Run, list[Row], Path, bool], Path]] = {
    "state": _trainer_state,
    "checkpoints": _checkpoints,
    "jsonl": _rows_as_json,
    "json": _dump,
    "swift": _swift,
    "llama_factory": _llama_factory,
    "csv": _table,
    "exported": _exported,
    "console": _console,
    "verl": _verl_console,
    "verl_file": _verl_file,
    "wandb": _wandb,
    "wandb_files": _wandb_files,
    "tensorboard": _tensorboard,
    "trackio": _trackio,
    "mlflow": _mlflow,
}
"""Each kind, and what writes it."""
