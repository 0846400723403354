"""Rows of several runs that stand among each other in one log: none of them is judged, and the answer says why."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from command_line import answered
from health_simulator import simulate, spelled
from rlmetrics.health import Monitor

GRPO = "trl[GRPOTrainer]==1.16.0"
SAID = "rows of several runs stand among each other"
RUNS = [spelled(simulate("grpo", "healthy", seed).rows, GRPO)[:60] for seed in (1, 2, 3)]


def mixed(runs: Sequence[Sequence[dict[str, float]]], seed: int) -> list[dict[str, float]]:
    """Return rows of runs as processes write them that run at once: each in its order, in turns of chance."""
    dice, left = random.Random(seed), [list(run) for run in runs]
    rows = []
    while any(left):
        rows.append(dice.choice([run for run in left if run]).pop(0))
    return rows


def written(path: Path, rows: Sequence[dict[str, float]]) -> Path:
    """Write rows as JSON lines."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("count", [2, 3])
def test_none_is_judged(tmp_path: Path, seed: int, count: int) -> None:
    """A curve that jumps between runs is that of none; what to do is to part them, not to sort the rows."""
    path = written(tmp_path / "all.jsonl", mixed(RUNS[:count], seed))

    told = answered("check", path, "--at", GRPO, "--html", tmp_path / "page.html")
    report = json.loads(answered("check", path, "--at", GRPO, "--json").out)

    assert SAID in " ".join(told.out.split())
    assert "'run' in each row" in " ".join(told.out.split())
    assert (report["verdict"], report["findings"], report["diagnoses"]) == ("not_judged", [], [])
    page = (tmp_path / "page.html").read_text()
    assert "<h1>Not judged</h1>" in page
    assert SAID in page


def test_with_their_names_each_is_judged(tmp_path: Path) -> None:
    """What the answer asks for is enough, if the rows of a run stand together."""
    named = [[{**row, "run": name} for row in run] for name, run in zip("ab", RUNS, strict=False)]
    reports = json.loads(answered("check", written(tmp_path / "all.jsonl", [*named[0], *named[1]]), "--json").out)

    assert [report["verdict"] == "not_judged" for report in reports] == [False, False]


def test_a_run_that_was_resumed_often_is_judged(tmp_path: Path) -> None:
    """It goes back a few times in many rows."""
    rows = RUNS[0]
    again = [*rows[:20], *rows[15:40], *rows[33:], *rows[50:]]
    told = answered("check", written(tmp_path / "run.jsonl", again), "--at", GRPO)

    assert SAID not in told.out
    assert "taken as resumed" in " ".join(told.out.split())


def test_in_turns_a_note_says_what_if_they_are_several(tmp_path: Path) -> None:
    """Each step is there once for each run: that may as well be parts of a step of one run."""
    rows = [row for together in zip(*RUNS, strict=True) for row in together]
    told = " ".join(answered("check", written(tmp_path / "all.jsonl", rows), "--at", GRPO).out.split())

    assert (
        "the last finite value of each counts; if several runs write to this log, give each a file of its own" in told
    )


def test_a_monitor_reports_the_same() -> None:
    """Whatever hands it the rows."""
    monitor = Monitor(GRPO)
    for row in mixed(RUNS, 0):
        monitor.observe(row["step"], row)

    assert monitor.report().verdict == "not_judged"
