"""JSON lines whose values stand in an object of their own, beside the step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rlmetrics.cli import main
from rlmetrics.logs.kinds.jsonl import KIND

VALUES = {"reward": 0.5, "reward_std": 0.25, "kl": 0.125}


def written(path: Path, row: dict[str, Any]) -> Path:
    """Write a row as the only line of a file."""
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "row",
    [
        {"step": 3, "data": VALUES},
        {"step": 3, "rank": 0, "metrics": VALUES},
        {"timestamp": "2026-05-01T10:00:00", "step": 3, "metrics": VALUES},
        {"step": 3, "train": VALUES},
        {"time": 17.5, "global_step": 3, "stats": VALUES, "split": "train"},
    ],
)
def test_the_object_beside_the_step_holds_the_values(tmp_path: Path, row: dict[str, Any]) -> None:
    """Whatever it is called, its values are those of the row at that step, and `translate` renames them in it."""
    path, out = written(tmp_path / "a.jsonl", row), tmp_path / "o.jsonl"
    (run,) = KIND.open(path).read()
    assert [(logged.step, logged.values) for logged in run.rows] == [(3, VALUES)]
    main(["translate", str(path), "--from", "trl[grpo]==0.15.2", "--to", "canonical", "-o", str(out)])
    named = {"reward/score/mean": 0.5, "reward/group_std": 0.25, "kl/reference/k3": 0.125}
    assert json.loads(out.read_text()) == {key: named if value is VALUES else value for key, value in row.items()}


@pytest.mark.parametrize(
    "row",
    [
        {"step": 3, "reward": 0.5, "memory": {"used": 1.5}},
        {"step": 3, "train": {"kl": 0.5}, "test": {"kl": 0.25}},
        {"step": 3, "_runtime": 2.5, "_wandb": {"runtime": 2}},
    ],
)
def test_an_object_among_values_is_one_of_them(tmp_path: Path, row: dict[str, Any]) -> None:
    """Beside a number that is no place, or another object, none stands for the row."""
    (run,) = KIND.open(written(tmp_path / "a.jsonl", row)).read()
    assert [logged.values for logged in run.rows] == [row]
