"""Several runs in one file, and one that was resumed: each has its own source, and its own steps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rlmetrics.cli import main
from rlmetrics.health import Monitor

STEPS = 12


def preferences() -> Iterator[dict[str, Any]]:
    """Yield rows as DPO of TRL 1.16 logs them."""
    sides = {f"{what}/{side}": 0.1 for what in ("logits", "logps", "rewards") for side in ("chosen", "rejected")}
    for step in range(1, STEPS + 1):
        rest = {"rewards/accuracies": 0.6, "rewards/margins": step / 100, "num_tokens": 90.0 * step, "entropy": 2.1}
        yield {"loss": 0.7, "grad_norm": 1.0, "learning_rate": 1e-6, **sides, **rest, "mean_token_accuracy": 0.4}


def samples() -> Iterator[dict[str, Any]]:
    """Yield rows as GRPO of TRL 1.16 logs them."""
    lengths = {f"{one}_{what}": 9.0 for one in ("mean", "min", "max") for what in ("length", "terminated_length")}
    lengths = {f"completions/{name}": value for name, value in lengths.items()}
    clips = {f"clip_ratio/{name}": 0.0 for name in ("low_mean", "low_min", "high_mean", "high_max", "region_mean")}
    for step in range(1, STEPS + 1):
        own = {"reward": 0.3 + step / 99, "reward_std": 0.2, "frac_reward_zero_std": 0.0, "entropy": 2.1}
        rewards = {"rewards/f/mean": 0.3, "rewards/f/std": 0.2, "completions/clipped_ratio": 0.0}
        yield {"loss": 0.1, "grad_norm": 1.0, "learning_rate": 1e-6, **own, **rewards, **lengths, **clips}


def trained(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield rows with epochs, and the summary that transformers logs at the end."""
    for step, row in enumerate(rows, start=1):
        yield {**row, "epoch": step / 10}
    yield {"train_runtime": 9.1, "train_samples_per_second": 5.0, "train_loss": 0.4, "epoch": STEPS / 10}


def reports(path: Path, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, int]]:
    """Return the trainer and the number of rows of each run."""
    main(["check", str(path), "--json"])
    return [(one["source"]["answer"].split("==")[0], one["rows"]) for one in json.loads(capsys.readouterr().out)]


BOTH = [("trl[DPOTrainer]", STEPS), ("trl[GRPOTrainer]", STEPS)]


def test_each_run_of_a_file_has_its_own_source(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What the first run logs says nothing of the trainer of the second."""
    path = tmp_path / "both.jsonl"
    rows = [{"step": step, **row} for one in (preferences, samples) for step, row in enumerate(one(), start=1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    assert reports(path, capsys) == BOTH


def test_a_console_of_two_trainings_holds_two_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No row of a console has a step: the second training begins with an epoch before that of the first's summary."""
    path = tmp_path / "console.log"
    rows = [*trained(preferences()), *trained(samples())]
    path.write_text("".join(f"{row}\n" for row in rows))

    assert [(name, rows - (rows > STEPS)) for name, rows in reports(path, capsys)] == BOTH


def test_an_evaluation_after_training_is_of_the_same_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has the epoch of the summary."""
    path = tmp_path / "console.log"
    evaluated = {"eval_loss": 0.6, "eval_rewards/margins": 0.1, "epoch": STEPS / 10}
    path.write_text("".join(f"{row}\n" for row in [*trained(preferences()), evaluated]))

    main(["check", str(path), "--json"])

    assert isinstance(json.loads(capsys.readouterr().out), dict)


def test_runs_of_one_file_are_compared_as_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The rows of the second do not take the place of the first's."""
    path = tmp_path / "both.jsonl"
    rows = [{"step": step, **row} for one in (preferences, samples) for step, row in enumerate(one(), start=1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    main(["compare", str(path)])

    said = capsys.readouterr().out
    assert "DPOTrainer" in said
    assert "GRPOTrainer" in said


RISE = 22
"""The row from which on responses are cut: the third of the resumed run, at a step that was reached before."""


@pytest.mark.parametrize("restored", [False, True])
def test_what_began_before_a_run_was_resumed_has_its_step(restored: bool) -> None:
    """A finding that spans both passes began at a step that was logged, not as many before as were repeated."""
    monitor = Monitor("trl[GRPOTrainer]==1.16.0")
    for number, step in enumerate([*range(1, 21), *range(16, 30)]):
        if restored and number == 28:
            state = monitor.state_dict()
            monitor = Monitor("trl[GRPOTrainer]==1.16.0")
            monitor.load_state_dict(json.loads(json.dumps(state)))
        monitor.observe(step, {"completions/clipped_ratio": 0.02 if number < RISE else 0.75 + 0.05 * (number % 3)})

    (found,) = [one for one in monitor.findings() if one.rule == "truncation-rising"]
    assert (found.onset_step, found.first_step) == (18, 27)
