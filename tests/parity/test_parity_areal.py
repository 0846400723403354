"""AReaL's own losses, with its statistics tracker, on fixed tensors, against the functions of the spec."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
import torch
from folders import FIXTURES
from rlmetrics import functional
from rlmetrics.names import map_names

RECORDED = json.loads(gzip.decompress((FIXTURES / "parity" / "areal-1.0.4.json.gz").read_bytes()))
CLOSE = 2e-6
PLAIN = [{}, {"eps_clip_higher": 0.3}, {"c_clip": 1.2}]


def _events(name: str) -> list[dict[str, Any]]:
    return [event for event in RECORDED["events"] if event["name"] == name]


def _joined(event: dict[str, Any]) -> dict[str, torch.Tensor]:
    """Return the micro-batches as one batch: what the tracker pools."""
    parts = event["arrays"]
    width = max(len(part["mask"][0]) for part in parts)
    whole = {
        name: torch.cat(
            [torch.nn.functional.pad(t, (0, width - t.shape[1])) for t in (torch.tensor(p[name]) for p in parts)]
        )
        for name in parts[0]
    }
    return {**whole, "mask": whole["mask"].bool()}


def _policy(one: dict[str, torch.Tensor]) -> dict[str, Any]:
    return {name: one[name] for name in ("logprobs", "old_logprobs", "advantages", "mask")}


def _update(settings: dict[str, Any]) -> tuple[dict[str, torch.Tensor], dict[str, float]]:
    event = next(event for event in _events("update") if event["settings"] == settings)
    return _joined(event), event["numbers"]


@pytest.mark.parametrize("settings", PLAIN, ids=str)
def test_averages_are_over_all_tokens_of_all_micro_batches(settings: dict[str, Any]) -> None:
    """Micro-batches of 5, 2 and 6 tokens count by their tokens, and every function is the metric's."""
    one, said = _update(settings)
    clips = {"clip_low": 0.2, "clip_high": settings.get("eps_clip_higher", 0.2)}
    expected = {
        "approx_kl/avg": -functional.kl_old_k1(one["logprobs"], one["old_logprobs"], one["mask"]),
        "importance_weight/avg": functional.policy_ratio_mean(one["logprobs"], one["old_logprobs"], one["mask"]),
        "clip_ratio/avg": functional.policy_clip_fraction(**_policy(one), **clips),
        "actor_loss/avg": functional.policy_loss(**_policy(one), **clips),
        "new_logp/avg": functional.policy_log_probability_mean(one["logprobs"], one["mask"]),
        "old_logp/avg": functional.policy_old_log_probability_mean(one["old_logprobs"], one["mask"]),
        "compute_logp/kl_div_direct/avg": functional.kl_old_k1(one["logprobs"], one["old_logprobs"], one["mask"]),
        "compute_logp/kl_div_taylor/avg": functional.kl_old_k2(one["logprobs"], one["old_logprobs"], one["mask"]),
        "compute_logp/kl_div_dual/avg": functional.kl_old_k3(one["logprobs"], one["old_logprobs"], one["mask"]),
        "entropy/avg": one["entropies"][one["mask"]].mean(),
    }
    if "c_clip" in settings:
        expected["actor_loss/avg"] = functional.policy_loss_dual_clip(**_policy(one), **clips, clip_dual=1.2)
        expected["dual_clip_ratio/avg"] = functional.policy_dual_clip_fraction(**_policy(one), clip_dual=1.2)
    assert {name: said[name] for name in expected} == pytest.approx(
        {name: value.item() for name, value in expected.items()}, abs=CLOSE
    )


def test_approx_kl_has_the_other_sign() -> None:
    """New minus old, where another estimate of the same row is old minus new; on the way to verl it is turned."""
    _, said = _update({})
    assert said["approx_kl/avg"] == pytest.approx(-said["compute_logp/kl_div_direct/avg"], abs=CLOSE)
    found = map_names("areal==1.0.4", "verl==0.9.1").translate("ppo_actor/update/approx_kl/avg")
    assert found.target == "actor/ppo_kl"
    assert found.row is not None
    assert found.row.transform is not None
    assert found.row.transform.scale == -1.0


def test_extremes_are_those_of_single_tokens() -> None:
    """So those of a share are 0 and 1."""
    one, said = _update({})
    ratios = (one["logprobs"] - one["old_logprobs"]).exp()[one["mask"]]
    assert said["importance_weight/min"] == pytest.approx(ratios.min().item(), abs=CLOSE)
    assert said["importance_weight/max"] == pytest.approx(ratios.max().item(), abs=CLOSE)
    assert (said["clip_ratio/min"], said["clip_ratio/max"]) == (0.0, 1.0)


def test_gspo_averages_advantages_within_responses() -> None:
    """Apart from that its loss and its share are the metrics'."""
    one, said = _update({"importance_sampling_level": "sequence"})
    count = one["mask"].sum(1, keepdim=True)
    one["advantages"] = ((one["advantages"] * one["mask"]).sum(1, keepdim=True) / count).expand_as(one["advantages"])
    clips: dict[str, Any] = {"clip_low": 0.2, "clip_high": 0.2}
    assert said["actor_loss/avg"] == pytest.approx(
        functional.objective_gspo_loss(**_policy(one), **clips).item(), abs=CLOSE
    )
    share = functional.objective_gspo_clip_fraction(**_policy(one), **clips)
    assert said["clip_ratio/avg"] == pytest.approx(share.item(), abs=CLOSE)


def test_sapo_clips_nothing() -> None:
    """Its gates stand beside a share of 0."""
    _, said = _update({"use_sapo_loss": True})
    assert said["clip_ratio/avg"] == 0.0
    assert said["sapo_soft_gate/avg"] > 0


def test_dropped_tokens_stay_in_the_denominator_of_the_loss() -> None:
    """With a weight of 0; the divergence from the rollout engine is over the others alone, trainer minus engine."""
    one, said = _update({"rejects": "mask"})
    weights = (one["old_logprobs"] - one["rollout_logprobs"]).exp()
    kept = one["mask"] & (weights <= 1.1) & (weights >= 0.9)
    ratio = (one["logprobs"] - one["old_logprobs"]).exp()
    terms = torch.maximum(-one["advantages"] * ratio, -one["advantages"] * ratio.clamp(0.8, 1.2)) * weights
    assert 0 < int(kept.sum()) < int(one["mask"].sum())
    assert said["actor_loss/avg"] == pytest.approx(float((terms * kept).sum() / one["mask"].sum()), abs=CLOSE)
    assert said["importance_weight/avg"] == pytest.approx(float((ratio * kept).sum() / one["mask"].sum()), abs=CLOSE)
    engine = functional.kl_rollout_k1(one["rollout_logprobs"], one["old_logprobs"], kept)
    assert said["behave_approx_kl/avg"] == pytest.approx(-engine.item(), abs=CLOSE)
    weight = functional.sampling_token_weight_mean(one["old_logprobs"], one["rollout_logprobs"], kept)
    assert said["behave_imp_weight/avg"] == pytest.approx(weight.item(), abs=CLOSE)


def test_the_critics_loss_is_half_the_larger_square() -> None:
    """And its share counts tokens on which clipping made it larger."""
    (event,) = _events("critic")
    one, said = _joined(event), event["numbers"]
    given = {name: one[name] for name in ("values", "old_values", "returns", "mask")}
    assert said["critic_loss/avg"] == pytest.approx(functional.value_loss(**given, clip_value=0.5).item(), abs=CLOSE)
    share = functional.value_clip_fraction(**given, clip_value=0.5)
    assert said["clip_ratio/avg"] == pytest.approx(share.item(), abs=CLOSE)
    assert said["new_value/avg"] == pytest.approx(
        functional.value_prediction_mean(one["values"], one["mask"]).item(), abs=CLOSE
    )


@pytest.mark.parametrize("event", _events("penalty"), ids=lambda event: event["settings"]["estimator"])
def test_estimates_of_the_penalty_are_the_metrics(event: dict[str, Any]) -> None:
    """Each token's, averaged over tokens."""
    one = {name: torch.tensor(values) for name, values in event["arrays"].items()}
    mean = float((torch.tensor(event["numbers"]["tokens"]) * one["mask"]).sum() / one["mask"].sum())
    function = getattr(functional, f"kl_old_reference_{event['settings']['estimator']}")
    given = function(one["old_logprobs"], one["ref_logprobs"], one["mask"].bool())
    assert given.item() == pytest.approx(mean, abs=CLOSE)
