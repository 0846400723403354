"""``GRPOTrainer._compute_loss`` of TRL, once for each micro-batch; its own stores are averaged as its ``log`` does."""

from __future__ import annotations

import importlib
import sys
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import torch
from programs.agreement.compared_steps import Numbers, Step, token_entropy

__all__ = ["numbers", "prepare"]


def prepare(trees: list[str]) -> None:
    """Have TRL found; Transformers, Datasets and Accelerate are installed."""
    sys.path[:0] = trees


def numbers(parts: Step) -> Numbers:
    """Return what is logged of a step: without a penalty its loss, with one the KL."""
    plain, penalised = _update(parts, beta=0.0), _update(parts, beta=0.04)
    return {"policy_loss": plain["loss"], "kl_reference": penalised["kl"], "entropy": plain["entropy"]}


def _update(parts: Step, beta: float) -> Numbers:
    trainer: Any = object.__new__(importlib.import_module("trl.trainer.grpo_trainer").GRPOTrainer)
    vars(trainer).update(
        beta=beta,
        loss_type="dapo",
        epsilon_low=0.2,
        epsilon_high=0.2,
        importance_sampling_level="token",
        top_entropy_quantile=1.0,
        off_policy_mask_threshold=None,
        aux_loss_enabled=False,
        use_vllm=False,
        use_adaptive_entropy=False,
        _entropy_bonus_enabled=False,
        current_gradient_accumulation_steps=len(parts),
        model=SimpleNamespace(training=True),
        accelerator=SimpleNamespace(num_processes=1, gather=_same, gather_for_metrics=_same, reduce=_same),
        args=SimpleNamespace(use_bias_correction_kl=False, delta=None, steps_per_generation=len(parts)),
        _metrics={"train": defaultdict(list)},
    )
    tokens = sum(part["mask"].sum() for part in parts)
    loss = 0.0
    for part in parts:
        passed = (part["logprobs"], token_entropy(part), None)
        trainer._get_per_token_logps_and_entropies = lambda *_, _passed=passed, **__: _passed
        ids = part["mask"].long()
        inputs = {
            "prompt_ids": ids[:, :1],
            "prompt_mask": ids[:, :1],
            "completion_ids": ids,
            "completion_mask": ids,
            "advantages": part["advantages"][:, 0],
            "old_per_token_logps": part["old_logprobs"],
            "ref_per_token_logps": part["ref_logprobs"],
            "num_items_in_batch": tokens,
        }
        # Its trainer adds the losses of the micro-batches of a step and divides by nothing.
        loss += float(trainer._compute_loss(None, inputs))
    kept = trainer._metrics["train"]
    return {"loss": loss, **{key: sum(values) / len(values) for key, values in kept.items()}}


def _same(value: torch.Tensor, **_: Any) -> torch.Tensor:
    return value
