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
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
from plan import PARTS, STEPS

try:
    import critics
    import offline
    import online
    from trl import __version__ as release
except ImportError:
    import verl_loop
    from verl import __version__ as release

gc.collect = lambda *_: 0  # TRL's PPO collects after each step, which takes longer than the step here
torch.set_num_threads(1)


def main(folder: Path, half: str, only: list[str]) -> None:
    """Make the runs of a half."""
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        if part.half != half or part.release != release:
            continue
        for seed in part.seeds:
            for scenario in _scenarios(part.trainer):
                path = folder / f"{half}-{part.trainer}-{part.release}-{scenario}-{seed}.jsonl"
                if path.exists() or (only and scenario not in only):
                    continue
                began = time.time()
                try:
                    rows = _train(part.trainer, part.release, scenario, seed, folder)
                except Exception as error:
                    print(f"FAILED {path.name}: {type(error).__name__}: {error}", flush=True)
                    continue
                path.write_text("".join(json.dumps(row) + "\n" for row in rows))
                print(f"{path.name} {len(rows)} rows {time.time() - began:.0f} s", flush=True)


def _scenarios(trainer: str) -> list[str]:
    if trainer == "verl":
        return list(verl_loop.SCENARIOS)
    if trainer in ("GRPOTrainer", "RLOOTrainer"):
        return [name for name in online.SCENARIOS if trainer == "GRPOTrainer" or name not in NOT_RLOO]
    if trainer == "PPOTrainer":
        return list(critics.SCENARIOS)
    return list(offline.DPO if trainer == "DPOTrainer" else offline.SFT)


NOT_RLOO = ("healthy_beta_zero", "healthy_curriculum", "stale_old_policy", "empty_mask")


def _train(trainer: str, release: str, scenario: str, seed: int, cache: Path) -> list[dict]:
    if trainer == "verl":
        return verl_loop.train(scenario, seed, STEPS, cache)
    if trainer in ("GRPOTrainer", "RLOOTrainer"):
        return online.train(trainer, scenario, seed, STEPS, cache)
    if trainer == "PPOTrainer":
        return critics.train(release, scenario, seed, STEPS, cache)
    return offline.train(trainer, scenario, seed, STEPS, cache)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
