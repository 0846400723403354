"""Runs that tests compare and draw, written as their trainers log them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from health_simulator import simulate, spelled

NEW, OLD, VERL = "trl[GRPOTrainer]==1.16.0", "trl[GRPOTrainer]==0.18.2", "verl==0.9.1"


def simulated(path: Path, scenario: str = "healthy", source: str = NEW, seed: int = 0, steps: int = 240) -> Path:
    """Write a simulated run as JSON lines."""
    return written(path, spelled(simulate("grpo", scenario, seed, steps).rows, source))


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def rewarded(path: Path, level: float, noise: float = 0.0, steps: int = 40, seed: int = 1, **others: float) -> Path:
    """Write a run of TRL's GRPOTrainer whose reward has a level and a noise."""
    numbers = random.Random(seed)
    rows = [
        {"step": step, "reward": level + noise * numbers.gauss(0, 1), "reward_std": 0.1, "kl": 0.01, **others}
        for step in range(1, steps + 1)
    ]
    return written(path, rows)
