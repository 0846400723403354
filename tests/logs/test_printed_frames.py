"""Frames of logged rows as pandas prints them, in which a cell without a value is NaN, through the command line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from rlmetrics.cli import main


def logged(broken_from: int = 99) -> list[dict[str, Any]]:
    """Return rows as a trainer of GRPO keeps them, with the summary at the end; losses are NaN from a step on."""
    rows: list[dict[str, Any]] = [
        {
            "loss": math.nan if step >= broken_from else 0.1 + step / 1000,
            "grad_norm": math.nan if step >= broken_from else 1.2 + step % 3 / 10,
            "learning_rate": 1e-6,
            "reward": 0.3 + step / 100,
            "reward_std": 0.2,
            "completions/mean_length": 40.0 + step % 5,
            "completions/clipped_ratio": 0.0,
            "frac_reward_zero_std": 0.0,
            "epoch": step / 10,
            "step": step,
        }
        for step in range(1, 25)
    ]
    return [*rows, {"train_runtime": 12.0, "train_loss": 0.1, "epoch": 2.4, "step": 24}]


def markdown(frame: pd.DataFrame) -> str:
    """Return a frame as Markdown, with NaN spelled as ``to_markdown`` spells it."""
    lines = [list(frame.columns), ["---"] * len(frame.columns), *frame.to_numpy().tolist()]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


FORMS = {
    "frame.txt": pd.DataFrame.to_string,
    "frame.html": pd.DataFrame.to_html,
    "frame.md": markdown,
}


def findings(path: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, float]]:
    """Return the causes and onsets of all errors that are found."""
    main(["check", str(path), "--at", "trl[GRPOTrainer]==1.16.0", "--json"])
    found = json.loads(capsys.readouterr().out)["findings"]
    return [(one["cause"], one["onset_step"]) for one in found if one["level"] == "error"]


@pytest.mark.parametrize("name", FORMS)
def test_a_cell_without_a_value_is_no_lost_number(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The summary has no loss, and no row before it a runtime: the run is as healthy as its log says."""
    path = tmp_path / name
    path.write_text(FORMS[name](pd.DataFrame(logged())))

    assert findings(path, capsys) == []


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("whole", [True, False])
def test_numbers_that_got_lost_are_found(
    name: str, whole: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A loss that was a number and is none any more got lost, be there a summary with empty cells or not."""
    rows = logged(broken_from=15)
    path = tmp_path / name
    path.write_text(FORMS[name](pd.DataFrame(rows if whole else rows[:-1])))

    assert ("non_finite", 15) in findings(path, capsys)


def test_a_melted_frame_is_a_long_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``melt`` calls the column of names ``variable``: one run, with all keys."""
    path = tmp_path / "long.csv"
    pd.DataFrame(logged()).melt(id_vars="step").dropna().to_csv(path, index=False)

    main(["check", str(path), "--json"])

    report = json.loads(capsys.readouterr().out)
    assert (report["rows"], report["source"]["answer"].split("==")[0]) == (24, "trl[GRPOTrainer]")
