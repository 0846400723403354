"""Why a rule is not judged: what a log has is never said to be missing from it."""

import json

import pytest
from rlmetrics.health import check

GRPO, SFT = "trl[GRPOTrainer]==1.16.0", "trl[SFTTrainer]==1.16.0"


@pytest.fixture
def why(tmp_path):
    """Return a function that checks rows and returns why each rule was not judged, and what would have it judged."""

    def reasons(count, at, **curves):
        path = tmp_path / "run.jsonl"
        rows = [
            {"step": step, **{key: value(step) if callable(value) else value for key, value in curves.items()}}
            for step in range(1, count + 1)
        ]
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        (report,) = check(path, at=at)
        return {item.rule: item for item in report.not_judged}

    return reasons


def test_a_loss_that_is_logged_in_training_is_missed_in_evaluation_alone(why):
    """The rule on held-out data asks for an evaluation, not for the loss that is there."""
    found = why(60, SFT, loss=lambda step: 3.0 - step / 100, mean_token_accuracy=0.5, num_tokens=lambda step: 10 * step)
    assert found["overfits"].why == "loss is not logged in evaluation"
    assert "evaluated" in str(found["overfits"].how)


def test_one_reward_function_lacks_a_second_and_not_the_total(why):
    """The total stands in every row."""
    curves = {"reward": lambda step: step / 300, "rewards/pay/mean": lambda step: step / 300}
    assert why(300, GRPO, loss=0.1, **curves)["component-farmed"].why == "needs a second reward function too"
    both = why(300, GRPO, loss=0.1, **curves, **{"rewards/form/mean": lambda step: step / 400})
    assert "component-farmed" not in both


def test_a_key_that_may_be_something_else_is_not_called_missing(why):
    """RLOO's reward is logged, and stands for another number in releases that may have logged it."""
    curves = {
        "reward": lambda step: 0.3 + 0.1 * (step % 3),
        "kl": lambda step: 0.02 * (-1) ** step,
        "entropy": 4.0,
        "completions/mean_length": lambda step: 11.0 + step % 2,
        "completions/clipped_ratio": 0.1,
        "frac_reward_zero_std": 0.0,
        "clip_ratio/region_mean": 0.0,
        "rewards/pay/mean": 0.3,
        "loss": 0.01,
        "learning_rate": 1e-6,
        "epoch": lambda step: step / 100,
    }
    found = why(100, "auto", **curves)
    told = [item.why for item in found.values() if item.why.startswith(("needs reward", "reward is not"))]
    assert told == []
    assert any(item.why == "reward may be reward/score/mean or something else" for item in found.values())


GRPO_ROW = {
    "loss": 0.01,
    "grad_norm": lambda step: 0.3 + 0.01 * (step % 5),
    "learning_rate": 1e-6,
    "num_tokens": lambda step: 100.0 * step,
    "completions/mean_length": lambda step: 11.0 + step % 2,
    "completions/clipped_ratio": 0.1,
    "reward": lambda step: 0.3 + 0.1 * (step % 3),
    "reward_std": 0.2,
    "entropy": lambda step: 0.5 + 0.01 * (step % 4),
    "clip_ratio/region_mean": 0.0,
    "epoch": lambda step: step / 100,
}


def test_what_one_of_several_releases_logs_is_said_of_that_release(why):
    """Where the release is open, none of them is "the release": the sentence names the one that it holds of."""
    given, open_ = why(30, GRPO, **GRPO_ROW), why(30, "auto", **GRPO_ROW)
    assert given["no-reward-spread"].how == "the release logs it always, but this log does not have it"
    assert given["kl-explosion"].how == "logged only if beta != 0"
    assert open_["no-reward-spread"].how == f"{GRPO} logs it always, but this log does not have it"
    assert open_["kl-explosion"].how == f"{GRPO} logs it only if beta != 0"


def test_another_factor_is_told_once_and_by_settings_that_the_release_has(tmp_path):
    """What verl 0.5.0 lacks, as `loss_scale_factor`, decides nothing, and three guards that say the same are one."""
    path = tmp_path / "run.jsonl"
    rows = [{"step": step, "actor/entropy": 0.5 + 0.01 * (step % 3), "actor/grad_norm": 0.2} for step in range(1, 30)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (report,) = check(path, at="verl==0.5.0")
    (note,) = [note for note in report.notes if "another factor" in note]
    assert note.startswith("actor/entropy may be logged with another factor, 1 / data.max_response_length: if ")
    assert "loss_agg_mode" in note
    assert not any(name in note for name in ("loss_scale_factor", "use_v1", "use_legacy_worker_impl"))


def test_keys_that_nothing_explains_are_not_called_missing(why):
    """Where the trainer is not known, it is not known either that its reward is not logged: it may be in the log."""
    found = why(60, "auto", reward=lambda step: step / 100, my_score=0.5, other_thing=1.0)
    assert {item.why for item in found.values()} == {"what logged the keys is not known"}
