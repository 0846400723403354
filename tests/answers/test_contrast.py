"""Two keys side by side."""

from __future__ import annotations

import pytest
from rlmetrics.cli.main import main


@pytest.fixture
def contrast(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    """Resolve two keys; return the lines."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(first: str, second: str, at: str | None = None, *more: str) -> list[str]:
        source = [] if at is None else ["--at", at]
        assert main(["resolve", first, second, *source, *more]) == 0
        return capsys.readouterr().out.splitlines()

    return run


def start(lines: list[str]) -> str:
    """The first paragraph."""
    return " ".join(lines[: lines.index("")])


def row(lines: list[str], label: str) -> str:
    """The first line of a row of the table."""
    return next(line for line in lines if line.startswith(f"  {label} "))


def test_two_divergences_are_told_apart_by_their_policies(contrast) -> None:
    """The first line names both pairs of policies; estimate, sign, averages and conditions stand side by side."""
    lines = contrast("actor/ppo_kl", "actor/kl_loss", "verl==0.9.1")

    assert start(lines).startswith("Different pairs of policies: ppo_kl compares")
    signs = [text.strip() for text in row(lines, "sign")[10:].split("   ") if text]
    assert signs == ["may be negative", "never negative"]
    assert "yes, by default" in row(lines, "logged")
    assert "not by default; only if" in row(lines, "logged")
    assert any("use_kl_loss (off by default)" in line for line in lines)
    assert "Settings without a path stand under actor_rollout_ref.actor." in lines


def test_a_note_on_one_key_that_names_the_other_comes_first(contrast) -> None:
    """The reward of verl repeats its score without the penalty: the note says so, and leads."""
    assert start(contrast("critic/score/mean", "critic/rewards/mean", "verl==0.9.1")).startswith(
        "critic/rewards/mean: Without use_kl_in_reward, the default, nothing is subtracted"
    )


def test_one_kind_of_number_over_different_things(contrast) -> None:
    """Two spreads of rewards differ in what they are of, per what, and over what."""
    said = start(contrast("reward_std", "rewards/accuracy_reward/std", "trl[GRPOTrainer]==0.21.0"))

    assert "Not the same: reward_std is the mean over prompts of the standard deviation" in said
    assert "rewards/accuracy_reward/std is the standard deviation over responses of one reward function" in said


def test_a_setting_changes_the_contrast(contrast) -> None:
    """With the k1 estimator the divergence in the loss may be negative too."""
    key = "actor_rollout_ref.actor.kl_loss_type=k1"
    lines = contrast("actor/ppo_kl", "actor/kl_loss", "verl==0.9.1", "--config", key)

    assert "Both: sign may be negative" in " ".join(lines)


def test_without_a_source_a_trainer_that_logs_both_is_taken(contrast) -> None:
    """Both keys are compared within one component where one logs them."""
    assert "by TRL PPOTrainer" in " ".join(contrast("objective/entropy", "policy/entropy_avg"))


def test_the_same_metric_under_two_names(contrast) -> None:
    """Two keys of one metric are told to be the same quantity."""
    lines = contrast("completions/mean_length", "completions/mean_terminated_length", "trl[GRPOTrainer]==1.16.0")

    assert start(lines).startswith(("The same quantity", "Not the same:"))


def test_an_unknown_key_leaves_the_list(contrast) -> None:
    """Where one of two keys is unknown, both are answered one by one."""
    lines = contrast("actor/ppo_kl", "actor/no_such_key", "verl==0.9.1")

    assert not start(lines).startswith(("Different", "Not the same", "The same"))
