"""SkyRL's own losses and reductions on fixed tensors, against the functions of the spec."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest
import torch
from folders import FIXTURES
from rlmetrics import functional

RECORDED = json.loads(gzip.decompress((FIXTURES / "parity" / "skyrl-0.4.0.json.gz").read_bytes()))
CLOSE = 3e-6
MICRO = 2
CLIPS = {"clip_low": 0.2, "clip_high": 0.2}


def _event(name: str, settings: dict[str, Any] | None = None) -> dict[str, Any]:
    wanted = settings or {}
    return next(event for event in RECORDED["events"] if event["name"] == name and event["settings"] == wanted)


def _minis(event: dict[str, Any]) -> list[dict[str, torch.Tensor]]:
    """Return the mini-batches of a step."""
    minis = [{name: torch.tensor(values) for name, values in arrays.items()} for arrays in event["arrays"]]
    return [{**mini, "mask": mini["mask"].bool()} for mini in minis]


def _parts(event: dict[str, Any]) -> list[dict[str, torch.Tensor]]:
    """Return the micro-batches of a step, of two responses each."""
    return [
        {name: values[start : start + MICRO] for name, values in mini.items()}
        for mini in _minis(event)
        for start in range(0, len(mini["mask"]), MICRO)
    ]


def _policy(one: dict[str, torch.Tensor]) -> dict[str, Any]:
    return {name: one[name] for name in ("logprobs", "old_logprobs", "advantages", "mask")}


def _mean(values: list[torch.Tensor]) -> float:
    return float(torch.stack(values).mean())


def test_the_policy_loss_is_a_mean_over_the_tokens_of_a_mini_batch() -> None:
    """Though it is summed over micro-batches: advantages were divided before; mini-batches count alike."""
    event = _event("update")
    expected = _mean([functional.policy_loss(**_policy(mini)) for mini in _minis(event)])
    assert event["numbers"]["policy_loss"] == pytest.approx(expected, abs=CLOSE)


def test_the_second_clip_is_the_metrics() -> None:
    """A variant of the policy loss."""
    event = _event("update", {"policy_loss_type": "dual_clip"})
    expected = _mean([functional.policy_loss_dual_clip(**_policy(mini), clip_dual=1.2) for mini in _minis(event)])
    assert event["numbers"]["policy_loss"] == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize(
    ("settings", "name"),
    [({}, "policy_loss"), ({"policy_loss_type": "gspo"}, "objective_gspo_loss")],
    ids=["ppo", "gspo"],
)
def test_a_sequence_mean_is_a_mean_of_means(settings: dict[str, Any], name: str) -> None:
    """Each response of the mini-batch counts alike."""
    event = _event("update", {**settings, "loss_reduction": "sequence_mean"})
    function = getattr(functional, name)
    means = []
    for mini in _minis(event):
        given = _policy(mini).items()
        rows = [
            function(**{key: values[at : at + 1] for key, values in given}, **CLIPS) for at in range(len(mini["mask"]))
        ]
        means.append(torch.stack(rows).mean())
    assert event["numbers"]["policy_loss"] == pytest.approx(_mean(means), abs=CLOSE)


def test_the_share_of_gspo_is_the_metrics() -> None:
    """Over the tokens of each micro-batch."""
    event = _event("update", {"policy_loss_type": "gspo", "loss_reduction": "sequence_mean"})
    share: Callable[..., torch.Tensor] = functional.objective_gspo_clip_fraction
    shares = [share(**_policy(part), **CLIPS) for part in _parts(event)]
    assert event["numbers"]["loss_metrics/clip_ratio"] == pytest.approx(_mean(shares), abs=CLOSE)


def test_the_old_token_mean_averages_micro_batches() -> None:
    """However many tokens each holds."""
    event = _event("update", {"loss_reduction": "token_mean_legacy"})
    expected = _mean([functional.policy_loss(**_policy(part)) for part in _parts(event)])
    assert event["numbers"]["policy_loss"] == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize(
    ("settings", "loss", "share"),
    [
        ({"policy_loss_type": "sapo", "loss_reduction": "sequence_mean"}, "objective_sapo_loss", None),
        ({"policy_loss_type": "cispo"}, "objective_cispo_loss", "objective_two_sided_clip_fraction"),
    ],
    ids=["sapo", "cispo"],
)
def test_other_losses_are_their_metrics(settings: dict[str, Any], loss: str, share: str | None) -> None:
    """The loss over mini-batches; the share, which is 0 where nothing is clipped, over micro-batches."""
    event = _event("update", settings)
    expected = _mean([getattr(functional, loss)(**_policy(mini)) for mini in _minis(event)])
    assert event["numbers"]["policy_loss"] == pytest.approx(expected, abs=CLOSE)
    shares = [0.0]
    if share is not None:
        given = [_policy(part) for part in _parts(event)]
        for each in given:
            del each["advantages"]
        shares = [float(getattr(functional, share)(**each)) for each in given]
    assert event["numbers"]["loss_metrics/clip_ratio"] == pytest.approx(sum(shares) / len(shares), abs=CLOSE)


def test_shares_entropies_and_differences_are_means_of_micro_batches() -> None:
    """A plain mean of each micro-batch's mean over tokens."""
    event = _event("update")
    parts, said = _parts(event), event["numbers"]
    assert said["loss_metrics/clip_ratio"] == pytest.approx(
        _mean([functional.policy_clip_fraction(**_policy(part)) for part in parts]), abs=CLOSE
    )
    assert said["policy_entropy"] == pytest.approx(_mean([p["entropies"][p["mask"]].mean() for p in parts]), abs=CLOSE)
    gaps = [(part["logprobs"] - part["rollout_logprobs"]).abs() for part in parts]
    means = [gap[part["mask"]].mean() for gap, part in zip(gaps, parts, strict=True)]
    assert said["minibatch_rollout_logprobs_abs_diff_mean"] == pytest.approx(_mean(means), abs=CLOSE)


def test_the_end_of_a_name_chooses_the_reduction() -> None:
    """_max is the largest of all, _min the smallest, and that is 0 since masked positions count as 0."""
    event = _event("update")
    said = event["numbers"]
    gaps = [(part["logprobs"] - part["rollout_logprobs"]).abs()[part["mask"]] for part in _parts(event)]
    assert said["minibatch_rollout_logprobs_abs_diff_max"] == pytest.approx(float(torch.cat(gaps).max()), abs=CLOSE)
    assert said["minibatch_rollout_logprobs_abs_diff_min"] == 0.0
    assert float(torch.cat(gaps).min()) > 0.0


@pytest.mark.parametrize("estimator", ["k1", "k2", "abs", "k3"])
def test_the_divergence_is_a_mean_of_the_means_of_responses(estimator: str) -> None:
    """k3 is cut at 10, which no token of this batch reaches."""
    event = _event("update", {} if estimator == "k3" else {"kl_estimator_type": estimator})
    function = getattr(functional, f"kl_reference_{estimator}")
    means = []
    for part in _parts(event):
        given = (part["logprobs"], part["ref_logprobs"], part["mask"])
        rows = [function(*(values[i : i + 1] for values in given)) for i in range(len(part["mask"]))]
        means.append(torch.stack(rows).mean())
    assert event["numbers"]["policy_kl"] == pytest.approx(_mean(means), abs=CLOSE)


def test_weights_against_the_engine_are_the_metrics() -> None:
    """Mean and largest weight of a token, and shares above the bound; the smallest is 0, as masked ones are."""
    event = _event("update", {"tis_ratio_type": "token"})
    said = event["numbers"]
    given = [(part["old_logprobs"], part["rollout_logprobs"], part["mask"]) for part in _parts(event)]
    mean = _mean([functional.sampling_token_weight_mean(*one) for one in given])
    largest = max(float(functional.sampling_token_weight_max(*one)) for one in given)
    above = _mean([functional.rollout_token_weight_fraction_above(*one, upper=1.1) for one in given])
    assert said["loss_metrics/is_ratio_mean"] == pytest.approx(mean, abs=CLOSE)
    assert said["loss_metrics/is_ratio_max"] == pytest.approx(largest, abs=CLOSE)
    assert said["loss_metrics/is_ratio_min"] == 0.0
    assert said["loss_metrics/tis_token_clip_high_ratio"] == pytest.approx(above, abs=CLOSE)
    event = _event("update", {"tis_ratio_type": "sequence"})
    share = _mean([functional.rollout_sequence_weight_fraction_above(*one, upper=1.2) for one in given])
    assert event["numbers"]["loss_metrics/tis_seq_clip_high_ratio"] == pytest.approx(share, abs=CLOSE)


def test_the_critics_loss_is_averaged_in_spite_of_its_name() -> None:
    """Responses first, then micro-batches: nothing of a critic is summed."""
    event = _event("critic")
    said, losses = event["numbers"], []
    for part in _parts(event):
        given = {name: part[name] for name in ("values", "old_values", "returns", "mask")}
        rows = [
            functional.value_loss(**{name: values[i : i + 1] for name, values in given.items()}, clip_value=0.5)
            for i in range(len(part["mask"]))
        ]
        losses.append(torch.stack(rows).mean())
    assert said["critic_loss"] == pytest.approx(_mean(losses), abs=CLOSE)
    shares = [
        functional.value_clip_fraction(
            **{name: part[name] for name in ("values", "old_values", "returns", "mask")}, clip_value=0.5
        )
        for part in _parts(event)
    ]
    assert said["values_clipfrac"] == pytest.approx(_mean(shares), abs=CLOSE)


def test_lengths_by_reward_leave_negative_rewards_out() -> None:
    """Above 0 and exactly 0; a mean of responses otherwise, over n for the spread."""
    event = _event("generation")
    (given,), said = event["arrays"], event["numbers"]
    lengths = torch.tensor(given["lengths"], dtype=torch.float32)
    assert said["generate/avg_num_tokens"] == pytest.approx(float(lengths.mean()))
    assert said["generate/std_num_tokens"] == pytest.approx(float(lengths.std(correction=0)))
    assert (said["generate/avg_tokens_non_zero_rewards"], said["generate/avg_tokens_zero_rewards"]) == (4.5, 5.0)
    assert said["avg_score"] == pytest.approx(sum(given["rewards"]) / 4)
    assert (said["pass_at_n"], said["mean_positive_reward"]) == (1.0, 0.375)
