"""``grpo_compute_loss`` of unsloth's own package of functions, once for each micro-batch.

Its module is loaded as it is; packages that look for an accelerator are empty. The rewritten trainer, which keeps these
numbers of each micro-batch and averages them when it logs, needs an accelerator and was not run. It logs no entropy.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path

import programs.openrlhf_parity as modules
import torch
from programs.agreement.compared_steps import Numbers, Step

__all__ = ["numbers", "prepare"]

NAME = "unsloth_zoo.rl_replacements"


def prepare(trees: list[str]) -> None:
    """Have the module found alone: importing its package asks for an accelerator."""
    modules.ABSENT = ("unsloth_zoo", "triton")
    sys.meta_path.insert(0, modules.Absent())
    spec = importlib.util.spec_from_file_location(NAME, Path(trees[0], "unsloth_zoo", "rl_replacements.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    common = importlib.import_module("unsloth_zoo.temporary_patches.common")
    common._maybe_compile = lambda **_: lambda function: function  # type: ignore[attr-defined]
    sys.modules[NAME] = module
    spec.loader.exec_module(module)


def numbers(parts: Step) -> Numbers:
    """Return the sum of losses, which is what is trained on, and the mean of the KLs."""
    penalised = [_called(part, parts, beta=0.04)[2] for part in parts]
    return {
        "policy_loss": sum(float(_called(part, parts, beta=0.0)[0]) for part in parts),
        "kl_reference": sum(map(float, penalised)) / len(parts),
    }


def _called(part: dict[str, torch.Tensor], parts: Step, beta: float) -> tuple[torch.Tensor, ...]:
    tokens = sum(each["mask"].sum() for each in parts)
    found: tuple[torch.Tensor, ...] = sys.modules[NAME].grpo_compute_loss(
        part["ref_logprobs"],
        part["logprobs"],
        part["old_logprobs"],
        None,
        part["mask"].long(),
        part["mask"],
        beta,
        part["advantages"][:, 0],
        loss_type="dapo",
        epsilon_low=0.2,
        epsilon_high=0.2,
        num_items_in_batch=tokens,
        current_gradient_accumulation_steps=len(parts),
        steps_per_generation=len(parts),
        num_processes=1,
    )
    return found
