"""OpenRLHF's ``ActorPPOTrainer.ppo_train`` over the micro-batches of a step, with the KL in the loss, by k3."""

from __future__ import annotations

import sys

import torch
from programs import openrlhf_parity as parity
from programs.agreement.compared_steps import Numbers, Step

__all__ = ["numbers", "prepare"]


def prepare(trees: list[str]) -> None:
    """Have its modules found; what they import and these runs never call is empty."""
    sys.meta_path.append(parity.Absent())
    sys.path[:0] = trees
    torch.cuda.current_device = lambda: "cpu"  # type: ignore[assignment]


def numbers(parts: Step) -> Numbers:
    """Return what it reports."""
    entropy_of = parity.entropy_of(parity.theirs("models.utils"))
    entropies = [entropy_of(part["logits"]) for part in parts]
    said = parity.reported(parts, entropies, kl_in_loss=True, estimator="k3")
    return {
        "policy_loss": said["policy_loss"],
        "kl_reference": said["kl"],
        "kl_old": said["ppo_kl"],
        "entropy": said["entropy_loss"],
    }
