"""How often a key gets a new value, and on which axis: told where the spec says it, and nowhere else."""

from __future__ import annotations

import pytest
from rlmetrics.answers.asked import answer_at
from rlmetrics.names import open_view, resolve
from rlmetrics.wording.voice import speak

GRPO = "trl[GRPOTrainer]==1.16.0"


@pytest.mark.parametrize(
    ("key", "source", "every", "setting", "count"),
    [
        ("entropy", GRPO, "optimizer_step", "logging_steps", 10),
        ("reward_std", GRPO, "generation", "logging_steps", 10),
        ("reward", "trl[GRPOTrainer]==0.16.0", "generation", "logging_steps", 500),
        ("rewards/mine", "trl[GRPOTrainer]==0.16.1", "generation", "logging_steps", 500),
        ("eval_reward", GRPO, "evaluation", None, None),
        ("total_flos", GRPO, "end", None, None),
        ("profiling/Time taken: GRPOTrainer.compute_loss", GRPO, "call", None, None),
        ("loss", "trl[SFTTrainer]==0.18.2", "optimizer_step", "logging_steps", 500),
        ("policy/approxkl_avg", "trl[PPOTrainer]==0.12.2", "update", None, None),
        ("reward_mean", "trl[DDPOTrainer]==0.20.0", "round", None, None),
        ("actor/pg_loss", "verl==0.9.1", "step", None, None),
        ("timing_s/testing", "verl==0.9.1", "some_steps", None, None),
        ("val-core/math/acc/mean@4", "verl==0.9.1", "evaluation", None, None),
        ("kl", "openrlhf[PPOTrainer]==0.11.2", "step", "logger.logging_steps", None),
    ],
)
def test_a_key_says_what_its_values_come_with(
    key: str, source: str, every: str, setting: str | None, count: int | None
) -> None:
    """A step, a generation, an evaluation, a call or the end of training, and the setting that says how many."""
    (found,) = resolve([key], source)
    assert found.cadence is not None
    assert (every, setting, count) == (found.cadence.every, found.cadence.setting, found.cadence.count)


def test_a_setting_changes_how_often() -> None:
    """The number is that of the run, not of the defaults."""
    (found,) = resolve(["entropy"], GRPO, config={"logging_steps": 1})
    assert found.cadence is not None
    assert found.cadence.count == 1
    lines = answer_at(open_view(GRPO, config={"logging_steps": 1}), "entropy").lines
    assert "cadence   every logging_steps optimizer steps (1)" in lines


def test_rows_that_go_straight_to_a_tracker_have_an_axis_of_their_own() -> None:
    """W&B counts their calls; the step of the trainer's own logs is not theirs."""
    key = "profiling/Time taken: GRPOTrainer.compute_loss"
    axes = [resolve([key], f"trl[GRPOTrainer]=={release}")[0].cadence for release in ("0.17.0", "0.18.2", "1.16.0")]
    assert [None if cadence is None else cadence.axis for cadence in axes] == [
        "W&B's own step, which counts calls.",
        "W&B's own step, which counts calls; with MLflow the optimizer step.",
        "W&B's own step, which counts calls; with MLflow and Trackio the optimizer step.",
    ]


@pytest.mark.parametrize(("key", "source"), [("train_runtime", GRPO), ("completions", GRPO)])
def test_what_nobody_looked_up_is_not_said(key: str, source: str) -> None:
    """Where a release's code was not read for it, or says several things, there is no cadence in the answer."""
    (found,) = resolve([key], source)
    assert found.cadence is None or found.cadence.every is None
    assert not [line for line in answer_at(open_view(source), key).lines if line.startswith("cadence")]


def test_keys_that_nobody_compared_with_those_of_the_base_have_none() -> None:
    """What a framework replaces of the one that it builds on may be logged at other times, too."""
    (found,) = resolve(["grad_norm"], "unsloth[GRPOTrainer]")
    assert found.signature is not None
    assert found.signature.unstated
    assert found.cadence is None


def test_it_is_told_in_chinese() -> None:
    """Rhythm and axis are part of the answer in the language that is spoken."""
    speak("zh")
    try:
        text = "\n".join(answer_at(open_view(GRPO), "reward_std").lines)
    finally:
        speak("en")
    assert "每 logging_steps 个优化器步 (10)" in text.replace("（", " (").replace("）", ")")
    assert "横轴" in text
