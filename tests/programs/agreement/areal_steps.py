"""AReaL's ``grpo_loss_fn`` for each micro-batch, and its statistics tracker. It logs no KL to a reference model."""

from __future__ import annotations

from programs import areal_parity as parity
from programs.agreement.compared_steps import Numbers, Step, token_entropy

__all__ = ["numbers", "prepare"]


def prepare(trees: list[str]) -> None:
    """Have its modules found; what they import and these runs never call is empty."""
    parity.prepare(trees[0])


def numbers(parts: Step) -> Numbers:
    """Return what the tracker exports."""
    said = parity.exported(parts, [token_entropy(part) for part in parts], {})
    return {"policy_loss": said["actor_loss/avg"], "kl_old": said["approx_kl/avg"], "entropy": said["entropy/avg"]}
