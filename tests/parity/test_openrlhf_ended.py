"""OpenRLHF's own losses of trainers that ended with 0.9.5, on fixed tensors, against `as_logged` of their keys."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest
import torch
from folders import FIXTURES
from rlmetrics import as_logged, functional

RECORDED = json.loads(gzip.decompress((FIXTURES / "parity" / "openrlhf-0.9.5.json.gz").read_bytes()))
BOOLEAN = {"mask", "desirable", "step_mask", "step_is_right"}
CLOSE = 2e-6


def _events(name: str) -> list[dict[str, Any]]:
    return [event for event in RECORDED["events"] if event["name"] == name]


def _tensors(event: dict[str, Any]) -> dict[str, torch.Tensor]:
    made = {name: torch.tensor(values) for name, values in event["arrays"].items()}
    return {name: value.bool() if name in BOOLEAN else value for name, value in made.items()}


def _logged(trainer: str, key: str, one: dict[str, torch.Tensor], config: dict[str, Any], **given: Any) -> float:
    source = f"openrlhf[{trainer}]=={RECORDED['release']}"
    return float(as_logged(key, source, config, mode="train")(one, **given))


@pytest.mark.parametrize("event", _events("kto"), ids=lambda event: str(event["settings"]))
def test_kto_is_the_metrics(event: dict[str, Any]) -> None:
    """Loss, reference point and implicit rewards, also where one class has no text, which is logged as 0."""
    one, said, beta = _tensors(event), event["numbers"], event["settings"]["beta"]
    assert _logged("KTOTrainer", "kl", one, {}) == pytest.approx(said["kl"], abs=CLOSE)
    for key in ("chosen_reward", "reject_reward"):
        assert _logged("KTOTrainer", key, one, {}, beta=beta) == pytest.approx(said[key], abs=CLOSE)
    weight = event["settings"]["desirable_loss_weight"]
    given = {"beta": beta, "desirable_weight": weight, "undesirable_weight": 1.0, "reference_point": said["kl"]}
    assert _logged("KTOTrainer", "kto_loss", one, {}, **given) == pytest.approx(said["kto_loss"], abs=CLOSE)


def test_what_is_distilled_is_a_cross_entropy() -> None:
    """It is the divergence from the teacher with the teacher's entropy, and not the divergence."""
    (event,) = _events("kd")
    one, said = _tensors(event), event["numbers"]["distil_loss"]
    assert _logged("KDTrainer", "distil_loss", one, {}) == pytest.approx(said, abs=CLOSE)
    parts = [one[name] for name in ("logits", "teacher_logits", "mask")]
    divergence = functional.distillation_divergence_forward_kl(*parts).item()
    entropy = functional.distillation_teacher_entropy(*parts[1:]).item()
    assert divergence + entropy == pytest.approx(said, abs=CLOSE)
    assert entropy > 0.5


@pytest.mark.parametrize("event", _events("prm"), ids=lambda event: str(event["settings"]))
def test_process_rewards_are_the_metrics(event: dict[str, Any]) -> None:
    """Loss and accuracy over the placeholders, among the words of the verdict or all."""
    one, said = _tensors(event), event["numbers"]
    for key in ("prm_loss", "acc"):
        assert _logged("ProcessRewardModelTrainer", key, one, {}) == pytest.approx(said[key], abs=CLOSE)


def test_with_the_correction_the_divergence_of_the_update_is_that_of_the_engine() -> None:
    """What is logged as ppo_kl then equals vllm_kl; with GSPO it compares the updated policy with the engine."""
    plain, gspo = _events("corrected")
    one, said = _tensors(plain), plain["numbers"]
    assert said["ppo_kl"] == said["vllm_kl"]
    own = functional.kl_old_k1(one["logprobs"], one["old_logprobs"], one["mask"]).item()
    assert abs(said["ppo_kl"] - own) > 0.01
    for key in ("ppo_kl", "vllm_kl"):
        assert _logged("PPOTrainer", key, one, plain["settings"]) == pytest.approx(said[key], abs=CLOSE)
    one, said = _tensors(gspo), gspo["numbers"]
    assert "vllm_kl" not in said
    against = functional.kl_old_k1(one["logprobs"], one["rollout_logprobs"], one["mask"]).item()
    assert said["ppo_kl"] == pytest.approx(against, abs=CLOSE)
