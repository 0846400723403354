"""What verl's policy loss is in a micro-batch without a counted token, for each loss and each way to aggregate it."""

from __future__ import annotations

import math

import pytest
from rlmetrics.names import resolve

MODES = ("token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm")
OF_RESPONSES = {"0.6.1": ("gspo",), "0.7.0": ("gspo", "sapo"), "0.7.1": ("gspo", "sapo")}
"""Losses that hand ``seq-mean-token-mean`` to ``agg_loss``, whatever is configured."""
ACTOR = "actor_rollout_ref.actor"


def empty_loss(release: str, mode: str) -> float:
    """``agg_loss`` of a mask of zeros, by the divisor of its mean; 0.6.1 adds 1e-8 to it."""
    counted, width = 0.0, 8.0
    if mode == "seq-mean-token-sum-norm":
        return 0.0 / width if release != "0.7.1" else math.nan
    return 0.0 / (counted + 1e-8) if release == "0.6.1" else math.nan


@pytest.mark.parametrize("release", OF_RESPONSES)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("loss_mode", ["vanilla", "gspo", "sapo", "clip_cov", "gpg"])
def test_an_empty_micro_batch_is_what_its_mean_gives(release: str, mode: str, loss_mode: str) -> None:
    """0 is stated where a small number is added to a divisor of 0, NaN where none is; a sum of nothing is 0 anyhow."""
    if loss_mode == "sapo" and release == "0.6.1":
        pytest.skip("no such loss in this release")
    config = {f"{ACTOR}.policy_loss.loss_mode": loss_mode, f"{ACTOR}.loss_agg_mode": mode}
    (found,) = resolve(["actor/pg_loss"], f"verl[actor]=={release}", config=config)
    assert found.signature is not None
    used = "seq-mean-token-mean" if loss_mode in OF_RESPONSES[release] else mode
    traits = {*found.signature.traits}
    assert ("nan_when_empty" in traits) is math.isnan(empty_loss(release, used))
    assert ("zero_without_token" in traits) is (release == "0.6.1" and used != "seq-mean-token-sum-norm")
