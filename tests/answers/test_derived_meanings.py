"""What trainers of unsloth and axolotl log and set, read from their own source where it differs from TRL's."""

from __future__ import annotations

import pytest
from rlmetrics.names import keys, resolve

_UNSLOTH = "2026.10.9+trl1.15.0"


@pytest.mark.parametrize("key", ["mean_token_accuracy", "num_tokens", "entropy", "aux_loss", "eval_entropy"])
def test_supervised_training_of_unsloth_logs_no_number_beside_the_loss(key: str) -> None:
    """Its `compute_loss` hands on to transformers', past the one of TRL that writes them."""
    assert key not in {item.key for item in keys(f"unsloth[SFTTrainer]=={_UNSLOTH}")}


@pytest.mark.parametrize("key", ["policy_loss", "entropy_coef", "vespo/phi_seq_mean", "eval_aux_loss", "entropy"])
def test_what_the_replaced_loss_of_trl_would_log_is_no_key_of_unsloth(key: str) -> None:
    """Its GRPO has a loss of its own."""
    assert key not in {item.key for item in keys(f"unsloth[GRPOTrainer]=={_UNSLOTH}")}


def test_timed_calls_of_unsloth_are_named_after_its_class() -> None:
    """TRL's decorator takes the name of the concrete class; what unsloth replaces is not timed."""
    timed = {item.key for item in keys(f"unsloth[GRPOTrainer]=={_UNSLOTH}") if item.key.startswith("profiling/")}
    assert "profiling/Time taken: UnslothGRPOTrainer._calculate_rewards" in timed
    assert not {key for key in timed if ": GRPOTrainer." in key or key.endswith(".compute_loss")}


@pytest.mark.parametrize(
    ("key", "metric"),
    [
        ("clip_ratio/low_min", "group/clip_fraction_low/rank_min"),
        ("clip_ratio/high_max", "group/clip_fraction_high/rank_max"),
    ],
)
def test_extremes_of_clipping_in_unsloth_are_over_processes(key: str, metric: str) -> None:
    """Under every TRL, also where TRL's own are over responses since 1.9.0; other losses than these four log none."""
    (found,) = resolve([key], at=f"unsloth[GRPOTrainer]=={_UNSLOTH}")
    assert found.signature is not None
    assert found.metric == metric
    assert not found.signature.unstated
    (other,) = resolve([key], at=f"unsloth[GRPOTrainer]=={_UNSLOTH}", config={"loss_type": "luspo"})
    assert other.logged is False


@pytest.mark.parametrize(
    ("at", "count"),
    [
        (f"unsloth[GRPOTrainer]=={_UNSLOTH}", 1),
        ("unsloth[GRPOTrainer]==2026.8.22+trl0.18.2", 1),
        ("axolotl[AxolotlGRPOTrainer]==0.21.0", None),
        ("trl[GRPOTrainer]==1.15.0", 10),
    ],
)
def test_how_often_a_log_comes_is_the_frameworks_own_default(at: str, count: int | None) -> None:
    """Axolotl's depends on how many steps there are, so that no number is told."""
    (found,) = resolve(["reward"], at=at)
    assert found.cadence is not None
    assert (found.cadence.setting, found.cadence.count) == ("logging_steps", count)


def test_contrastive_preference_optimization_of_axolotl_is_simpo() -> None:
    """It builds that trainer for `rl: simpo` alone, with that loss, whatever TRL's default is."""
    (accuracy,) = resolve(["rewards/accuracies"], at="axolotl[AxolotlCPOTrainer]==0.21.0")
    assert accuracy.metric == "preference/reward_free_average/accuracy"
    (loss,) = resolve(["loss"], at="axolotl[AxolotlCPOTrainer]==0.21.0")
    assert loss.metric != "preference/loss/contrastive"


@pytest.mark.parametrize(
    ("key", "metric"),
    [
        ("memory/max_active (GiB)", "memory/recent_peak_active"),
        ("memory/max_allocated (GiB)", "memory/recent_peak_allocated"),
        ("memory/device_reserved (GiB)", "memory/recent_peak_reserved"),
    ],
)
def test_marks_of_memory_that_axolotl_sets_back_are_no_marks_of_the_whole_run(key: str, metric: str) -> None:
    """Each log sets them back."""
    (found,) = resolve([key], at="axolotl[AxolotlTrainer]==0.21.0")
    assert found.metric == metric
    assert found.brief is not None
    assert "since the last log" in found.brief


def test_left_out_groups_of_unsloth_are_logged_for_some_losses_alone() -> None:
    """Its own weights are refused for other losses."""
    (found,) = resolve(["frac_reward_zero_std_excluded"], at=f"unsloth[GRPOTrainer]=={_UNSLOTH}")
    assert found.condition is not None
    assert "bnpo, dapo, cispo or vespo" in found.condition
    assert "not luspo" in found.condition
