"""What each of two ranks of a real trainer logs with `attach`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from lanes.trainers.environments import trained


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where two ranks have trained, once as by default and once with all ranks treated."""
    found = tmp_path_factory.mktemp("ranks")
    options = {"to": "canonical", "health": True}
    jobs: list[dict[str, Any]] = [
        {"name": "first", "attach": options},
        {"name": "all", "attach": {**options, "every_rank": True}},
    ]
    trained("1.16.0", found, jobs, script="ranks.py")
    return found


def result(folder: Path, name: str, rank: int) -> dict[str, Any]:
    """Return what a rank found."""
    found: dict[str, Any] = json.loads((folder / f"{name}-{rank}.json").read_text())
    return found


def test_only_the_first_rank_is_treated(folder: Path) -> None:
    """The first rank renames and judges; the other one logs as ever."""
    first, second = (result(folder, "first", rank) for rank in (0, 1))

    assert "sft/loss" in first["history"][0]
    assert {"loss", "grad_norm"} <= set(second["history"][0])
    assert first["judged"] > 0 == second["judged"]


def test_all_ranks_are_if_they_are_to_be(folder: Path) -> None:
    """With ``every_rank`` each rank renames and judges."""
    first, second = (result(folder, "all", rank) for rank in (0, 1))

    assert set(first["history"][0]) == set(second["history"][0])
    assert first["judged"] == second["judged"] > 0


@pytest.mark.parametrize("name", ["first", "all"])
def test_metrics_are_computed_on_all_ranks(folder: Path, name: str) -> None:
    """A suite that talks to all ranks is computed on each of them, once for each row of training."""
    first, second = (result(folder, name, rank) for rank in (0, 1))

    assert [row["exact/computed"] for row in first["history"] if "exact/computed" in row] == [2, 4, 6, 8]
    assert [0, ""] == first["faults"] == second["faults"]
