"""Supervised, reward-model and unpaired trainers: keys whose meaning changed while their name stayed."""

from __future__ import annotations

from typing import Any

import pytest
from rlmetrics.names import resolve


def _found(key: str, source: str, **config: Any) -> Any:
    (found,) = resolve([key], at=source, config=config)
    return found


@pytest.mark.parametrize(
    ("key", "source", "config", "metric"),
    [
        ("kl", "trl[KTOTrainer]==0.9.6", {}, "unpaired/kl"),
        ("kl", "trl[KTOTrainer]==0.9.6", {"loss_type": "bco"}, "unpaired/reward/running_mean"),
        ("loss", "trl[KTOTrainer]==0.9.6", {"loss_type": "bco"}, "unpaired/loss/bco"),
        ("loss", "trl[KTOTrainer]==0.11.0", {"loss_type": "apo_zero_unpaired"}, "unpaired/loss/apo_zero"),
        ("train/train/rewards/chosen", "trl[KTOTrainer]==0.8.2", {}, "unpaired/reward/chosen"),
        ("train/eval/rewards/chosen", "trl[KTOTrainer]==0.8.6", {}, "unpaired/reward/chosen"),
        ("eval_loss", "trl[KTOTrainer]==0.8.6", {}, "unpaired/loss/kto"),
        ("delta", "trl[BCOTrainer]==1.13.0", {}, "unpaired/reward/running_mean"),
        ("loss", "trl[SFTTrainer]==1.16.0", {"loss_type": "dft"}, "sft/dynamic_loss"),
        ("eval_accuracy", "trl[RewardTrainer]==0.4.2", {}, "reward_model/accuracy"),
        ("eval_accuracy", "trl[PRMTrainer]==1.13.0", {}, "reward_model/step_accuracy"),
        ("logits/chosen", "trl[KTOTrainer]==0.10.1", {}, "unpaired/logit_sum/chosen"),
        ("logits/rejected", "trl[KTOTrainer]==1.8.0", {}, "unpaired/logit_sum/rejected"),
        ("logits/chosen", "trl[KTOTrainer]==1.9.0", {}, "unpaired/logit/chosen"),
        ("logits/chosen", "trl[KTOTrainer]==1.9.0", {"use_liger_kernel": True}, "unpaired/logit_sum/chosen"),
        ("logits/rejected", "trl[BCOTrainer]==1.13.0", {}, "unpaired/logit_sum/rejected"),
        ("logits/chosen", "llamafactory[CustomKTOTrainer]==0.9.4", {}, "unpaired/logit_sum/chosen"),
        ("epoch", "trl[DDPOTrainer]==0.6.0", {}, "diffusion/round"),
        ("loss", "trl[AlignPropTrainer]==0.9.6", {}, "diffusion/reward_loss"),
    ],
)
def test_what_a_key_means(key: str, source: str, config: dict[str, Any], metric: str) -> None:
    """A key means what the code of that release computes under that configuration."""
    assert metric == _found(key, source, **config).metric


@pytest.mark.parametrize(
    ("key", "source", "trait"),
    [
        ("entropy", "trl[SFTTrainer]==1.2.0", "prompt_counted"),
        ("entropy", "trl[SFTTrainer]==1.3.0", "targets_as_configured"),
        ("aux_loss", "trl[SFTTrainer]==0.23.0", "coefficient_included"),
        ("eval_accuracy", "trl[RewardTrainer]==0.12.2", "ties_count_as_right"),
        ("eval_accuracy", "trl[RewardTrainer]==0.23.1", "ties_left_out"),
        ("rewards/chosen", "trl[KTOTrainer]==0.8.1", "nan_when_empty"),
        ("logits/chosen", "trl[KTOTrainer]==0.10.1", "logits_summed"),
        ("rewards/margins", "trl[KTOTrainer]==1.7.0", "one_class_parts_left_out"),
        ("delta", "trl[BCOTrainer]==0.16.1", "evaluation_moves_it"),
        ("learning_rate", "trl[SFTTrainer]==0.18.0", None),
    ],
)
def test_how_a_number_departs(key: str, source: str, trait: str | None) -> None:
    """What sets a release's number apart is part of its signature, and not of its neighbours'."""
    traits = _found(key, source).signature.traits
    assert trait in traits if trait else traits == ()


def test_the_logits_of_kto_were_sums_over_completions_once() -> None:
    """In the first release that logs them not even the number of completions divides the sum of logits."""
    assert [
        _found("logits/chosen", f"trl[KTOTrainer]=={release}").signature.reduction.get("sequence")
        for release in ("0.10.1", "0.11.0")
    ] == ["sum", None]


def test_the_rate_of_the_next_step() -> None:
    """The Trainer that old releases met logged the rate of the next step."""
    assert [
        _found("learning_rate", f"trl[SFTTrainer]=={release}").signature.lag for release in ("0.16.1", "0.17.0")
    ] == [1, 0]
