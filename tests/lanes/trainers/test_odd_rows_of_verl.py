"""One odd value or name in a row: what verl's own trackers lose because of it, and that adapters lose nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
from lanes.trainers.environments import ran, verl_python
from lanes.trainers.log_odd_rows import ROWS

JOBS = [
    {"name": f"{tracker}-{how}", "trackers": [tracker], "adapted": how == "adapted"}
    for tracker in ("mlflow", "tensorboard")
    for how in ("bare", "adapted")
]
ORDINARY = ["a/first", "a/last"]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what each job says."""
    folder: Path = tmp_path_factory.mktemp("odd")
    ran(verl_python("0.9.1"), "log_odd_rows.py", folder, JOBS)
    return {str(job["name"]): json.loads((folder / f"{job['name']}.json").read_text()) for job in JOBS}


def test_mlflow_loses_the_whole_row_and_with_the_adapter_only_what_is_odd(found: dict[str, Any]) -> None:
    """The trainer goes on to the next step, whatever was in this one; the adapter keeps what stands beside it."""
    taken = {"bool": [*ORDINARY, "a/x"], "bare": [*ORDINARY, "loss"]}

    assert found["mlflow-bare"]["kept"] == taken
    assert found["mlflow-adapted"]["kept"] == {name: taken.get(name, ORDINARY) for name in ROWS}


def test_tensorboard_raises_into_the_training_and_with_the_adapter_nothing_does(found: dict[str, Any]) -> None:
    """At a None, and at a text that is no number."""
    assert found["tensorboard-bare"]["raised"] == [["none", "NotImplementedError"], ["words", "ValueError"]]
    assert [found[f"{tracker}-adapted"]["raised"] for tracker in ("mlflow", "tensorboard")] == [[], []]
