"""Trainers on pairs: one name, several meanings, told apart by release and configuration."""

from __future__ import annotations

from typing import Any

import pytest
from rlmetrics.names import map_names, resolve


def _meaning(key: str, source: str, **config: Any) -> Any:
    (found,) = resolve([key], at=source, config=config)
    return found


@pytest.mark.parametrize(
    ("key", "source", "config", "metric"),
    [
        ("logps/chosen", "trl[DPOTrainer]==0.7.10", {"loss_type": "ipo"}, "preference/logprob/chosen"),
        ("logps/chosen", "trl[DPOTrainer]==0.7.11", {"loss_type": "ipo"}, "preference/logprob_average/chosen"),
        ("logps/chosen", "trl[DPOTrainer]==0.28.0", {"loss_type": "ipo"}, "preference/logprob_average/chosen"),
        ("logps/chosen", "trl[DPOTrainer]==0.29.0", {"loss_type": "ipo"}, "preference/logprob/chosen"),
        ("loss", "trl[DPOTrainer]==0.7.10", {"loss_type": "ipo"}, "preference/loss/ipo_sum"),
        ("loss", "trl[DPOTrainer]==0.7.11", {"loss_type": "ipo"}, "preference/loss/ipo"),
        ("loss", "trl[DPOTrainer]==1.9.0", {"loss_type": ["ipo"]}, "preference/loss/ipo"),
        ("loss", "trl[DPOTrainer]==1.9.0", {"loss_type": ["sigmoid", "sft"]}, "preference/loss/weighted_sum"),
        ("rewards/margins", "trl[CPOTrainer]==1.16.0", {}, "preference/reward_free/margin"),
        ("rewards/margins", "trl[CPOTrainer]==1.16.0", {"loss_type": "simpo"}, "preference/reward_free_average/margin"),
        (
            "rewards/margins",
            "trl[CPOTrainer]==1.16.0",
            {"loss_type": "simpo", "alpha": 0.25},
            "preference/reward_alpha/margin",
        ),
        ("rewards/margins", "trl[ORPOTrainer]==0.8.2", {}, "preference/reward_free_average/margin"),
        ("rewards/margins", "trl[TPOTrainer]==1.3.0", {}, "preference/reward_free/margin"),
        (
            "eval_loss",
            "trl[bema_for_ref_model.DPOTrainer]==0.24.0",
            {"loss_type": "aot_pair"},
            "preference/loss/aot_unpaired",
        ),
        ("eval_loss", "trl[bema_for_ref_model.DPOTrainer]==1.16.0", {"loss_type": "sft"}, "preference/loss/sft"),
    ],
)
def test_release_and_loss_decide_what_a_name_means(key: str, source: str, config: dict[str, Any], metric: str) -> None:
    """Sums or averages, with or without a reference: the configuration says which."""
    assert metric == _meaning(key, source, **config).metric


@pytest.mark.parametrize(
    ("source", "traits"),
    [
        ("trl[DPOTrainer]==0.11.4", {"prompt_counted", "padding_counted"}),
        ("trl[DPOTrainer]==0.12.2", {"last_column_dropped", "nan_when_empty"}),
    ],
)
def test_logits_are_averaged_over_other_positions(source: str, traits: set[str]) -> None:
    """Until 0.11.4 over prompt and padding too, from 0.12.0 over completions."""
    found = map_names(source, "trl[DPOTrainer]==1.16.0").translate("logits/chosen")

    assert found.row is not None
    said = "; ".join(item.what for item in found.row.differs_by)
    assert ("prompt_counted" in traits) == ("prompt positions" in said)
    assert ("last_column_dropped" in traits) == ("last token of the longest texts" in said)


def test_a_reference_that_is_ignored_is_told_as_a_defect() -> None:
    """From 0.9.2 to 0.9.6 a precomputed reference is used only together with the likelihood term."""
    broken = _meaning("rewards/chosen", "trl[DPOTrainer]==0.9.6", precompute_ref_log_probs=True)
    repaired = _meaning("rewards/chosen", "trl[DPOTrainer]==0.10.1", precompute_ref_log_probs=True)

    assert [defect.trait for defect in broken.defects] == ["reference_is_policy"]
    assert tuple(repaired.defects) == ()


@pytest.mark.parametrize("source", ["trl[CPOTrainer]==1.16.0", "trl[ORPOTrainer]==1.16.0", "trl[TPOTrainer]==1.16.0"])
@pytest.mark.parametrize("key", ["rewards/chosen", "rewards/rejected", "rewards/margins", "rewards/accuracies"])
def test_rewards_without_a_reference_are_look_alikes(source: str, key: str) -> None:
    """They share the name with those of DPO and are never translated into them."""
    found = map_names(source, "trl[DPOTrainer]==1.16.0").translate(key)

    assert found.row is not None
    assert (found.row.to, found.row.relation) == (None, "related")
    assert key in [item.to for item in found.row.related]


@pytest.mark.parametrize("source", ["verl==0.9.1", "verl[sft]==0.9.1"])
def test_of_programs_that_share_as_much_the_one_without_anything_else_is_nearer(source: str) -> None:
    """The learning rate of verl's supervised trainer is not that of the actor, which shares two metrics of fifty."""
    found = map_names(source, "verl==0.1", program="all").translate("train/lr")

    assert found.row is not None
    assert (found.row.to, found.row.relation) == ("train/lr(1e-3)", "affine")
