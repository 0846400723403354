"""Numbers of keys in corners: parts without a token, and settings that hold no number."""

from __future__ import annotations

import pytest
import torch
from rlmetrics import as_logged


@pytest.mark.parametrize("reduction", ["token-mean", "seq-mean-token-mean", "seq-mean-token-sum-norm"])
def test_a_micro_batch_without_a_token_is_a_zero_in_gspo(reduction: str) -> None:
    """This loss is averaged over responses whatever is configured, and its mean of nothing is 0."""
    loss = as_logged(
        "actor/pg_loss",
        "verl[actor]==0.6.1",
        {
            "actor_rollout_ref.actor.policy_loss.loss_mode": "gspo",
            "actor_rollout_ref.actor.loss_agg_mode": reduction,
        },
    )
    empty = {name: torch.zeros(2, 3) for name in ("logprobs", "old_logprobs", "advantages")}

    assert float(loss({**empty, "mask": torch.zeros(2, 3, dtype=torch.bool)})) == 0


@pytest.mark.parametrize(("threshold", "bounds"), [("0.25_4", {0.25, 4.0}), ("_", set()), ("a_b", set())])
def test_two_bounds_in_one_setting(threshold: str, bounds: set[float]) -> None:
    """Two numbers with an underscore between are the bounds; text that is none ends in no error."""
    weight = as_logged(
        "rollout_corr/rollout_is_mean",
        "verl==0.8.0",
        {
            "algorithm.rollout_correction.rollout_is": "token",
            "actor_rollout_ref.rollout.calculate_log_probs": True,
            "algorithm.rollout_correction.rollout_is_threshold": threshold,
        },
    )

    assert bounds <= {*weight.parameters.values()}
