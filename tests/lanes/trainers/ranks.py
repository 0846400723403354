"""Trains over two ranks: ``python ranks.py FOLDER JOBS``; what each rank found is in ``NAME-RANK.json`` of the folder.

A job has a ``name`` and the arguments of `attach`. Beside them goes a suite that counts how often it is computed, over
both ranks.
"""

# pyright: reportMissingImports=false
from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

RANKS = 2


class Counting:
    """Counts its computations, and adds them up over the ranks: a rank that is left out would stop all others."""

    def __init__(self) -> None:
        self.times = 0

    def compute(self) -> dict[str, float]:
        """Return how often all ranks together have asked."""
        import torch

        self.times += 1
        total = torch.tensor(float(self.times))
        torch.distributed.all_reduce(total)
        return {"computed": total.item()}

    def reset(self) -> None:
        """Keep counting."""


def rank(base: Path, jobs: list[dict[str, Any]]) -> None:
    """Train as one of the ranks."""
    import tiny  # type: ignore[import-not-found]
    from rlmetrics.trainers.transformers import attach

    number = int(os.environ["RANK"])
    for job in jobs:
        folder = base / f"{job['name']}-{number}"
        folder.mkdir()
        os.chdir(folder)
        (folder / "model").symlink_to(base / "model")
        tiny.seeded()
        trainer = tiny.make("SFT", folder, [], [], eval_strategy="no", save_strategy="no")
        attached = attach(trainer, metrics=Counting(), **job["attach"])
        trainer.train()
        found = {
            "history": trainer.state.log_history,
            "faults": [attached.faults.count, attached.faults.last],
            "judged": attached.monitor.rows,
        }
        (base / f"{job['name']}-{number}.json").write_text(json.dumps(found), encoding="utf-8")


def main() -> int:
    """Start the ranks, or be one."""
    base, jobs = Path(sys.argv[1]).resolve(), json.loads(sys.argv[2])
    warnings.simplefilter("ignore")
    if "RANK" in os.environ:
        rank(base, jobs)
        return 0
    import tiny  # type: ignore[import-not-found]

    # Where there are ranks, only the first of them saves a model.
    os.chdir(base)
    tiny.policy()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    shared = {"WORLD_SIZE": str(RANKS), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "HF_HUB_OFFLINE": "1"}
    started = [
        subprocess.Popen(
            [sys.executable, __file__, *sys.argv[1:]],
            env={**os.environ, **shared, "RANK": str(number), "LOCAL_RANK": str(number), "CUDA_VISIBLE_DEVICES": ""},
        )
        for number in range(RANKS)
    ]
    try:
        return max(process.wait(400) for process in started)
    finally:
        for process in started:
            process.kill()


if __name__ == "__main__":
    sys.exit(main())
