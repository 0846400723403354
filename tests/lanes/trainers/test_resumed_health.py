"""The health of a training that is resumed, in a real trainer of transformers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lanes.trainers.environments import clients_python, ran

BEST = {"save_strategy": "best", "metric_for_best_model": "loss"}
JOBS: list[dict[str, Any]] = [
    {"name": "whole", "from": 0, "arguments": {}},
    {"name": "resumed", "from": 4, "arguments": {}},
    {"name": "best", "from": 8, "arguments": BEST},
]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return what the monitors of all jobs knew at the end."""
    folder = tmp_path_factory.mktemp("resumed")
    ran(clients_python(), "resume.py", folder, JOBS)
    return {job["name"]: json.loads(Path(folder, f"{job['name']}.json").read_text()) for job in JOBS}


def test_a_resumed_training_is_judged_as_if_it_had_not_been_interrupted(ended: dict[str, dict[str, Any]]) -> None:
    """The same rows, findings with their steps, and numbers of health: the loss broke before the checkpoint."""
    assert ended["whole"]["findings"]
    assert ended["whole"]["levels"]["health/level"] == 3
    assert ended["resumed"] == ended["whole"]


def test_the_best_checkpoint_holds_it_too(ended: dict[str, dict[str, Any]]) -> None:
    """Whether it is the best is decided after the evaluation, and it is saved at once."""
    assert ended["best"] == ended["whole"]
