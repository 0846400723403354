"""What is said of shares and ratios whose denominator or whose order of steps decides what they can be."""

from __future__ import annotations

import random
import statistics

import pytest
from rlmetrics.answers.pasted import Given
from rlmetrics.answers.trust import averaged_lines
from rlmetrics.answers.value_answer import JudgedValue, judge_row
from rlmetrics.names import open_view, resolve

ROLLOUT = "rollout_corr/rollout_is_"


def judged(at: str, key: str, number: float, **config: str) -> JudgedValue:
    """What one value tells where it is logged."""
    view = open_view(at, config=config)
    (value,) = [item for item in judge_row(view, {key: Given(f"{number:g}", number)}, config) if item.judged]
    return value


def explained(returns: list[float], values: list[float]) -> float:
    """The share of the variance of the returns that a critic explains, as verl computes it."""
    errors = [one - other for one, other in zip(returns, values, strict=True)]
    return 1 - statistics.variance(errors) / (statistics.variance(returns) + 1e-5)


def test_a_critic_that_predicts_nothing_may_explain_nearly_all() -> None:
    """Returns that hardly vary give such a number, so that it is no praise by itself."""
    numbers = random.Random(2)
    flat = [1.0 + 0.001 * (index % 2) for index in range(64)]
    varied = [numbers.random() for _ in range(64)]
    assert explained(flat, [0.0] * 64) > 0.97
    assert abs(explained(varied, [0.0] * 64)) < 0.001
    value = judged("verl==0.9.1", "critic/vf_explained_var", round(explained(flat, [0.0] * 64), 3))
    assert value.level == "info"
    assert "only where returns vary" in value.says


@pytest.mark.parametrize(
    "key", ["rollout_corr/rollout_is_seq_fraction_high", "rollout_corr/rollout_is_ratio_fraction_high"]
)
def test_many_weights_beyond_the_bound_are_a_bad_sign(key: str) -> None:
    """Where weights are compared before truncation."""
    assert judged("verl==0.9.1", key, 1.0).level == "warning"
    assert judged("verl==0.9.1", key, 0.0).level in ("plain", "expected")


def test_a_mean_of_truncated_weights_is_never_beyond_the_bound() -> None:
    """In 0.8.0 weights are cut first, so that the share above the bound is 0 in every step."""
    numbers = random.Random(3)
    for _ in range(20):
        weights = [min(numbers.lognormvariate(0, 2), 2.0) for _ in range(32)]
        assert not statistics.fmean(weights) > 2.0
    key = "rollout_corr/rollout_is_seq_fraction_high"
    assert judged("verl==0.8.0", key, 0.0).judged[0].origin == "constant"
    assert "does not fit" in judged("verl==0.8.0", key, 0.4).says


@pytest.mark.parametrize(
    ("name", "level", "truncated"),
    [
        ("mean", "token", True),
        ("max", "token", True),
        ("ratio_fraction_high", "token", False),
        ("mean", "sequence", True),
        ("max", "sequence", False),
        ("ratio_fraction_high", "sequence", False),
    ],
)
def test_it_is_told_which_weights_are_taken_after_truncation(name: str, level: str, truncated: bool) -> None:
    """As compute_is_metrics of 0.9.1 takes them: of whole responses the extremes are taken before."""
    config = {"algorithm.rollout_correction.rollout_is": level}
    (found,) = resolve([f"rollout_corr/rollout_is_{name}"], "verl==0.9.1", config=config)
    assert found.signature is not None
    assert ("weight_truncated" in found.signature.traits) is truncated


def test_what_log_metric_does_to_names_of_the_trainer_is_told() -> None:
    """It replaces what transformers puts into the row, and is averaged with what the trainer stores."""
    for key in ("loss", "grad_norm"):
        (found,) = resolve([key], "trl[GRPOTrainer]==1.16.0")
        assert any("log_metric" in note for note in found.notes)
        (old,) = resolve([key], "trl[GRPOTrainer]==0.29.0")
        assert not any("log_metric" in note for note in old.notes)


def test_what_becomes_of_a_missing_variable_is_told() -> None:
    """Since 0.9.1 a response without it is left out, and its prompt moves to a smaller n."""
    for release, told in (("0.9.1", True), ("0.9.0", False)):
        (found,) = resolve(["val-aux/math/format/mean@4"], f"verl=={release}")
        assert any("None" in note and "smaller n" in note for note in found.notes) is told


def test_batches_of_an_evaluation_count_by_their_examples() -> None:
    """The loss of a batch is repeated for each example before the mean is taken, whichever trainer evaluates."""
    losses, sizes = [1.0, 1.0, 4.0], [8, 8, 2]
    repeated = [loss for loss, size in zip(losses, sizes, strict=True) for _ in range(size)]
    assert statistics.fmean(repeated) != statistics.fmean(losses)
    for trainer in ("SFTTrainer", "DPOTrainer", "KTOTrainer", "GKDTrainer", "CPOTrainer", "DistillationTrainer"):
        view = open_view(f"trl[{trainer}]==1.16.0")
        (found,) = resolve(["eval_loss"], f"trl[{trainer}]==1.16.0")
        averaged = " ".join(" ".join(averaged_lines(view, found)).split())
        assert "mean weighted by examples over micro-batches" in averaged
