"""OpenRLHF's own losses, estimators and updates on fixed tensors, against what `as_logged` gives for the keys.

Only weights that no key's function sees, those of tokens that count twice, are worked out here.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from folders import FIXTURES
from rlmetrics import as_logged, functional, resolve

RECORDED = json.loads(gzip.decompress((FIXTURES / "parity" / "openrlhf-0.11.2.json.gz").read_bytes()))
CLOSE = 2e-6


def _events(name: str) -> list[dict[str, Any]]:
    return [event for event in RECORDED["events"] if event["name"] == name]


def _tensors(arrays: dict[str, Any]) -> dict[str, torch.Tensor]:
    made = {name: torch.tensor(values) for name, values in arrays.items()}
    return {name: value.bool() if name == "mask" else value for name, value in made.items()}


def _logged(trainer: str, key: str, one: dict[str, torch.Tensor], **config: Any) -> float:
    """Return what a key stands for in the recorded release."""
    return float(as_logged(key, f"openrlhf[{trainer}]=={RECORDED['release']}", config, mode="train")(one))


@pytest.mark.parametrize("event", _events("policy"), ids=lambda event: str(event["settings"]))
def test_the_policy_loss_is_the_metrics(event: dict[str, Any]) -> None:
    """Its clip ratio and divergence are means over tokens whatever the loss averages over."""
    settings, said = event["settings"], event["numbers"]
    one = _tensors(event["arrays"])
    if settings.get("policy_loss_type") != "gspo":
        assert _logged("PPOTrainer", "ppo_clip_ratio", one) == pytest.approx(said["clip_ratio"], abs=CLOSE)
    if (
        "policy_loss_type" not in settings
        and "is_correction_level" not in settings
        and settings.get("token_level_loss", True)
    ):
        clip = {"actor.dual_clip": settings["dual_clip"]} if "dual_clip" in settings else {}
        assert _logged("PPOTrainer", "policy_loss", one, **clip) == pytest.approx(said["loss"], abs=CLOSE)
    assert _logged("PPOTrainer", "ppo_kl", one) == pytest.approx(said["ppo_kl"], abs=CLOSE)
    if "vllm_kl" in said:
        corrected = {"algo.advantage.is_correction_level": "token"}
        assert _logged("PPOTrainer", "vllm_kl", one, **corrected) == pytest.approx(said["vllm_kl"], abs=CLOSE)


def _double_weighted(parts: list[dict[str, torch.Tensor]], values: list[torch.Tensor]) -> float:
    """Return the sum of each part over the mean tokens of all, averaged by tokens."""
    tokens = [float(part["mask"].sum()) for part in parts]
    sums = [float((value * part["mask"]).sum()) for part, value in zip(parts, values, strict=True)]
    mean = sum(tokens) / len(tokens)
    return sum(total / mean * count for total, count in zip(sums, tokens, strict=True)) / sum(tokens)


def _updates() -> Iterator[Any]:
    for number, event in enumerate(_events("update")):
        yield pytest.param(event, id=f"{number}-{event['settings']}")


@pytest.mark.parametrize("event", _updates())
def test_tokens_are_weighed_twice_in_losses_and_once_in_ratios(event: dict[str, Any]) -> None:
    """Over the micro-batches of an optimizer step, whatever their lengths."""
    parts, said = [_tensors(each) for each in event["arrays"]], event["numbers"]
    entropies = [part["entropies"] for part in parts]
    assert said["entropy_loss"] == pytest.approx(_double_weighted(parts, entropies), abs=CLOSE)
    width = max(part["mask"].shape[1] for part in parts)
    joined = {
        name: torch.cat([torch.nn.functional.pad(part[name], (0, width - part[name].shape[1])) for part in parts])
        for name in parts[0]
    }
    for key in ("ppo_kl", "ppo_clip_ratio"):
        assert said[key] == pytest.approx(_logged("PPOTrainer", key, joined), abs=CLOSE)


def test_a_constant_entropy_is_logged_as_another_number() -> None:
    """1.0 over micro-batches of 1 and 3 tokens is 1.25, over 1, 1, 1 and 9 it is 7/3, over equal ones 1."""
    found = [
        event["numbers"]["entropy_loss"]
        for event in _events("update")
        if event["settings"].get("constant_entropy") == 1.0
    ]
    assert found[:3] == pytest.approx([1.25, 7 / 3, 1.0], abs=CLOSE)


@pytest.mark.parametrize("event", _events("returns"), ids=lambda event: event["settings"]["estimator"])
def test_a_return_is_what_is_left_of_the_reward(event: dict[str, Any]) -> None:
    """The reward less the penalty; with a baseline of the group only the penalty is left of the mean."""
    one, said, estimator = _tensors(event["arrays"]), event["numbers"], event["settings"]["estimator"]
    penalty = 0.1 * float((one["kl"] * one["mask"]).sum()) / len(one["rewards"])
    reward = float(one["rewards"].mean())
    assert said["reward"] == pytest.approx(reward, abs=CLOSE)
    assert said["return"] == pytest.approx((reward if estimator == "reinforce" else 0.0) - penalty, abs=CLOSE)
    grouped = {"rewards": one["rewards"], "group_ids": torch.tensor([0, 0, 1, 1])}
    assert said["group_reward_std"] == pytest.approx(
        _logged("PPOTrainer", "group_reward_std", grouped, **{"rollout.n_samples_per_prompt": 2}), abs=CLOSE
    )


@pytest.mark.parametrize("event", _events("kl"), ids=lambda event: event["settings"]["estimator"])
def test_estimates_are_the_metrics(event: dict[str, Any]) -> None:
    """Each token's, averaged over tokens."""
    one = _tensors(event["arrays"])
    tokens = torch.tensor(event["numbers"]["tokens"])
    mean = float((tokens * one["mask"]).sum() / one["mask"].sum())
    function = getattr(functional, f"kl_reference_{event['settings']['estimator']}")
    assert function(one["logprobs"], one["ref_logprobs"], one["mask"]).item() == pytest.approx(mean, abs=CLOSE)


@pytest.mark.parametrize("event", _events("dpo"), ids=lambda event: str(event["settings"]))
def test_dpo_is_the_metrics(event: dict[str, Any]) -> None:
    """Loss, implicit rewards and accuracy."""
    pairs, said, settings = _tensors(event["arrays"]), event["numbers"], event["settings"]
    names = {"label_smoothing": "model.label_smoothing", "ipo": "model.ipo_enable"}
    config = {names[name]: value for name, value in settings.items() if name in names}
    close = 1e-4 if "ipo" in settings else CLOSE
    assert _logged("DPOTrainer", "loss", pairs, **config) == pytest.approx(said["loss"], abs=close)
    for key in ("chosen_reward", "reject_reward", "acc"):
        assert _logged("DPOTrainer", key, pairs) == pytest.approx(said[key], abs=CLOSE)


def test_losses_of_other_trainers_are_the_metrics() -> None:
    """Critic, supervised and reward model."""
    plain, clipped = _events("value")
    one = _tensors(clipped["arrays"])
    loss = as_logged("critic_loss", f"openrlhf[PPOTrainer]=={RECORDED['release']}")(one, clip_value=0.2).item()
    assert loss == pytest.approx(clipped["numbers"]["loss"], abs=CLOSE)
    error = functional.value_error(one["values"], one["returns"], one["mask"])
    assert 0.5 * error.item() == pytest.approx(plain["numbers"]["loss"], abs=CLOSE)
    (sft,) = _events("sft")
    one = _tensors(sft["arrays"])
    assert _logged("SFTTrainer", "gpt_loss", one) == pytest.approx(sft["numbers"]["loss"], abs=CLOSE)
    (model,) = _events("rm")
    scores = _tensors(model["arrays"])
    for key in ("loss", "acc"):
        assert _logged("RewardModelTrainer", key, scores) == pytest.approx(model["numbers"][key], abs=CLOSE)


@pytest.mark.parametrize("release", ["0.9.3", "0.10.2", "0.10.3"])
def test_with_weights_of_the_engine_older_releases_log_another_divergence(release: str) -> None:
    """Up to 0.10.2 what the released loss returns as ppo_kl is vllm_kl, or is taken against the engine (gspo)."""
    packed = (FIXTURES / "parity" / f"openrlhf-{release}-corrected.json.gz").read_bytes()
    flat = release != "0.10.2" and release != "0.10.3"
    for event in json.loads(gzip.decompress(packed))["events"]:
        one, settings = _tensors(event["arrays"]), event["settings"]
        names = (
            ("policy_loss_type", "enable_vllm_is_correction")
            if flat
            else ("actor.policy_loss_type", "algo.advantage.is_correction_enable")
        )
        config: dict[str, Any] = dict(zip(names, (settings["policy_loss_type"], settings["correction"]), strict=True))
        (found,) = resolve(["ppo_kl"], f"openrlhf[PPOTrainer]=={release}", config=config)
        wrong = settings["correction"] and release != "0.10.3"
        gspo = settings["policy_loss_type"] == "gspo"
        assert found.metric == ("kl/rollout/k1" if wrong and not gspo else "kl/old/k1")
        traits = () if found.signature is None else found.signature.traits
        assert ("log_ratio_overwritten" in traits) == (wrong and not gspo)
        assert ("old_logprobs_from_generation" in traits) == (wrong and gspo)
        old = one["rollout_logprobs"] if wrong and gspo else one["old_logprobs"]
        given = {**one, "old_logprobs": old} if gspo else one
        made = functional.REGISTRY[str(found.metric)]
        value = float(made.function(*(given[name] for name, *_ in made.inputs)))
        assert event["numbers"]["ppo_kl"] == pytest.approx(value, abs=CLOSE)
        if wrong and not gspo:
            assert event["numbers"]["ppo_kl"] == event["numbers"]["vllm_kl"]
