"""A folder of recorded runs of verl."""

import os
import shutil

from folders import RUNS


def make_verl_runs(tmp_path):
    """Runs of verl as JSON lines, console log, TensorBoard and W&B, with weights, a link and marks beside them."""
    folder = tmp_path / "runs"
    (folder / "a" / "checkpoint").mkdir(parents=True)
    shutil.copy(RUNS / "verl-0.9.1-tracking.jsonl", folder / "a" / "metrics.jsonl")
    shutil.copy(RUNS / "verl-0.9.1-ray.console.log", folder / "a" / "console.log")
    shutil.copytree(RUNS / "tensorboard" / "verl-0.9.1", folder / "a" / "tensorboard")
    shutil.copytree(RUNS / "wandb" / "0.16.6-verl", folder / "wandb" / "offline-run-1")
    (folder / "wandb" / "offline-run-1" / "run-verl01.wandb.synced").touch()
    (folder / "wandb" / "latest-run").symlink_to("offline-run-1")
    (folder / "a" / "checkpoint" / "model.safetensors").write_bytes(os.urandom(1000))
    (folder / "empty").mkdir()
    return folder
