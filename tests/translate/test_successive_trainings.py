"""Trainings of several trainers that stand in one file one after another: a name has one meaning in each of them."""

from __future__ import annotations

import json

import pytest
from command_line import answered

_SHARED = {"grad_norm": 0.9, "learning_rate": 1e-5, "entropy": 1.1, "num_tokens": 100.0}
_PAIRS = ("rewards/chosen", "rewards/rejected", "rewards/accuracies", "rewards/margins", "logps/chosen")
ROWS = {
    "sft": {"loss": 2.4, "mean_token_accuracy": 0.5, **_SHARED},
    "dpo": {
        "loss": 0.6,
        "mean_token_accuracy": 0.5,
        **_SHARED,
        **dict.fromkeys((*_PAIRS, "logps/rejected", "logits/chosen", "logits/rejected"), 0.5),
    },
}
"""What two trainers of TRL log in a step."""


@pytest.fixture
def write(tmp_path):
    """Write runs one after another to one file."""

    def write(*trainers):
        path = tmp_path / "runs.jsonl"
        rows = [{"step": step, "epoch": step / 20, **ROWS[one]} for one in trainers for step in range(1, 21)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write


def test_keys_are_listed_for_each_training(write):
    """``loss`` of the first rows is no preference loss, whatever stands behind them."""
    path = write("sft", "dpo")

    first, second = json.loads(answered("keys", path, "--json").out)
    assert (first["run"], second["run"]) == (str(path), f"{path}#2")
    assert first["at"].startswith("trl[SFTTrainer]")
    assert first["keys"]["loss"] == "sft/loss"
    assert second["at"].startswith("trl[DPOTrainer]")
    assert second["keys"]["loss"] == "preference/loss/sigmoid"
    assert "rewards/chosen" not in first["keys"]


def test_two_runs_of_one_trainer_have_the_same_keys(write):
    """They are listed once, and translated."""
    path = write("dpo", "dpo")

    assert len(json.loads(answered("keys", path, "--json").out)) == 1
    answered("translate", path, "--to", "canonical", "-o", path.with_name("copy.jsonl"))
    assert path.with_name("copy.jsonl").exists()


def test_names_of_several_trainers_are_not_translated_as_one_s(write):
    """The first rows got the names of what the last ones mean; it is said which trainings these are, and what to do."""
    path = write("sft", "dpo")
    words = ("translate", path, "--to", "canonical", "-o", path.with_name("copy.jsonl"))

    told = answered(*words)
    assert told.code == 2
    assert "2 trainings stand in it one after another (trl[sft], trl[dpo])" in told.err
    assert "write each to a file of its own" in told.err
    assert not path.with_name("copy.jsonl").exists()
    answered(*words, "--from", "trl[dpo]==1.16.0")
    assert path.with_name("copy.jsonl").exists()
