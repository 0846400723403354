"""The folder that LLaMA-Factory writes: its own log, what transformers keeps beside it, and totals of the end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import answered

STEPS = 18


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The log of a supervised run with evaluation, as its callback writes it."""
    path = tmp_path / "out" / "trainer_log.jsonl"
    path.parent.mkdir()
    rows, place = [], {}
    for step in range(2, STEPS + 1, 2):
        bar = {"percentage": 100 * step / STEPS, "elapsed_time": "0:00:02", "remaining_time": "0:00:19"}
        place = {"current_steps": step, "total_steps": STEPS, "epoch": step / 9, **bar}
        rows.append({**place, "loss": 3.5 - step / 50, "lr": 0.001 - step / 20000})
        if step % 4 == 0:
            rows.append({**place, "eval_loss": 3.5 - step / 60})
    path.write_text("".join(f"{json.dumps(row)}\n" for row in [*rows, place]))
    return path


def test_rows_of_evaluation_repeat_no_keys(log: Path) -> None:
    """What tells how far a run has come stands in each row: nothing is said of several runs."""
    report = json.loads(answered("check", log, "--json").out)

    assert report["rows"] == STEPS / 2
    assert not [note for note in report["notes"] if "same keys already" in note]


def test_its_keys_are_those_that_are_metrics(log: Path) -> None:
    """Neither the clock nor the share of the way is listed as unknown."""
    (listed,) = json.loads(answered("keys", log, "--json").out)

    assert set(listed["keys"]) == {"epoch", "eval_loss", "loss", "lr"}
    assert all(listed["keys"].values())
    assert listed["at"].startswith("llamafactory")


@pytest.mark.parametrize("name", ["all_results.json", "train_results.json", "eval_results.json"])
def test_totals_are_refused_with_what_to_give(log: Path, name: str) -> None:
    """They are no course of a run."""
    mode = "eval" if name.startswith("eval") else "train"
    path = log.with_name(name)
    path.write_text(json.dumps({"epoch": 2.0, f"{mode}_loss": 3.4, f"{mode}_runtime": 9.5}, indent=4))
    told = answered("check", path)

    assert told.code == 2
    assert "give its course, such as trainer_state.json" in told.err


def test_names_of_runs_have_room_beside_a_long_source(log: Path) -> None:
    """The source loses its end before the name of the run does."""
    other = log.parent.with_name("other") / log.name
    other.parent.mkdir()
    other.write_text(log.read_text())
    told = answered("check", log.parent.parent).out

    assert "out/trainer_log.jsonl" in told
    assert "other/trainer_log.jsonl" in told
    table = told.partition("all below")[0]  # the path of the folder is as long as it is
    assert max(map(len, table.splitlines())) <= 80
