"""Trains the runs of the plan that the TRL, or the verl, of this Python makes, and writes their logs as JSON lines.

``python make.py FOLDER HALF [SCENARIO …]`` with the Python of an environment with one release of TRL; existing files
are left alone. Each run takes some ten to forty seconds on a core. No model and no data are fetched.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import gc
import json
import os
import sys
import time
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from plan import PARTS, STEPS

MODULES = {
    "GRPOTrainer": "online",
    "PPOTrainer": "critics",
    "DPOTrainer": "offline",
    "SFTTrainer": "offline",
    "verl": "verl_loop",
}
"""Where each trainer is run; TRL and verl are not in one environment."""

gc.collect = lambda *_: 0  # TRL's PPO collects after each step, which takes longer than the step here
torch.set_num_threads(1)


def main(folder: Path, half: str, only: list[str]) -> None:
    """Make the runs of a half."""
    folder.mkdir(parents=True, exist_ok=True)
    release = _release()
    for part in PARTS:
        if part.half != half or part.release != release:
            continue
        module = import_module(MODULES[part.trainer])
        for seed in part.seeds:
            for scenario in module.scenarios(part.trainer):
                path = folder / f"{half}-{part.trainer}-{part.release}-{scenario}-{seed}.jsonl"
                if path.exists() or (only and scenario not in only):
                    continue
                began = time.time()
                try:
                    rows = module.train(part, scenario, seed, STEPS, folder)
                except Exception as error:
                    print(f"FAILED {path.name}: {type(error).__name__}: {error}", flush=True)
                    continue
                if not rows:
                    print(f"FAILED {path.name}: nothing was logged", flush=True)
                    continue
                path.write_text("".join(json.dumps(row) + "\n" for row in rows))
                print(f"{path.name} {len(rows)} rows {time.time() - began:.0f} s", flush=True)


def _release() -> str:
    try:
        return version("trl")
    except PackageNotFoundError:
        return version("verl")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
