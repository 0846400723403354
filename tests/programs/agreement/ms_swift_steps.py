"""``GRPOTrainer._compute_loss`` of ms-swift, once for each micro-batch; its stores are averaged as its ``log`` does.

The module of the trainer is as it is, and so is TRL; other modules of ms-swift, which these runs never call, are empty.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from programs.agreement.compared_steps import Numbers, Step, token_entropy
from programs.openrlhf_parity import Nothing

__all__ = ["numbers", "prepare"]

TRAINER = "swift.rlhf_trainers.grpo_trainer"


class Unused(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds modules of ms-swift that are not needed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Find one of them."""
        if name.split(".")[0] != "swift" or name == TRAINER:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> types.ModuleType:
        """Make it."""
        module = Nothing(spec.name)
        for name in ("profiling_decorator", "patch_save_last_checkpoint"):
            setattr(module, name, _as_it_is)
        module.is_wandb_available = module.is_swanlab_available = lambda: False  # type: ignore[attr-defined]
        module.get_logger = lambda *_: SimpleNamespace(info=print)  # type: ignore[attr-defined]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing."""


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def prepare(trees: list[str]) -> None:
    """Have its modules found, and TRL's in a second tree."""
    sys.path[:0] = trees[1:]
    sys.meta_path.insert(0, Unused())
    for name in ("swift", "swift.rlhf_trainers"):
        package = importlib.import_module(name)
        package.__path__ = [str(Path(trees[0], *name.split(".")))]


def numbers(parts: Step) -> Numbers:
    """Return what is logged of a step: without a penalty its loss, with one the KL."""
    plain, penalised = _update(parts, beta=0.0), _update(parts, beta=0.04)
    return {"policy_loss": plain["loss"], "kl_reference": penalised["kl"], "entropy": plain["entropy/mean"]}


def _update(parts: Step, beta: float) -> Numbers:
    module: Any = importlib.import_module(TRAINER)
    module.gather = _same
    trainer: Any = object.__new__(module.GRPOTrainer)
    vars(trainer).update(
        beta=beta,
        loss_type="grpo",
        kl_in_reward=False,
        epsilon_low=0.2,
        epsilon_high=0.2,
        delta=None,
        importance_sampling_level="token",
        top_entropy_quantile=1.0,
        compute_entropy=True,
        overlong_filter=False,
        rollout_importance_sampling_mode=None,
        log_rollout_offpolicy_metrics=False,
        disable_rollout_importance_sampling=False,
        off_policy_sequence_mask_delta=None,
        sdar_loss_coef=0.0,
        chord_sft_iterator=None,
        dynamic_num_samples=False,
        use_liger_loss=False,
        template=SimpleNamespace(padding_free=False),
        model=SimpleNamespace(training=True),
        accelerator=SimpleNamespace(num_processes=1, gather_for_metrics=_same),
        args=SimpleNamespace(log_entropy=True, top_entropy_quantile=1.0, delta=None, per_device_train_batch_size=2),
        _metrics={"train": defaultdict(list)},
        _logs=defaultdict(list),
    )
    loss = 0.0
    for part in parts:
        passed = (part["logprobs"], token_entropy(part))
        trainer._get_per_token_logps_and_entropies = lambda *_, _passed=passed, **__: _passed
        batch = SimpleNamespace(
            completion_mask=part["mask"].bool(),
            truncated_mask=torch.zeros(len(part["mask"]), dtype=torch.bool),
            ref_per_token_logps=part["ref_logprobs"],
            old_per_token_logps=part["old_logprobs"],
            rollout_per_token_logps=None,
            teacher_per_token_logps=None,
            advantages=part["advantages"],
            num_items_in_batch=None,
        )
        # The trainer of transformers divides each by their number before it adds them.
        given = {"model_inputs": {"input_ids": part["mask"].long()}, "grpo_batch": batch}
        loss += float(trainer.compute_loss(None, given)) / len(parts)
    kept = trainer._metrics["train"]
    return {"loss": loss, **{key: sum(values) / len(values) for key, values in kept.items()}}


def _same(value: torch.Tensor, **_: Any) -> torch.Tensor:
    return value
