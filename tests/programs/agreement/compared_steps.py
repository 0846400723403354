"""The reference steps that every framework's own code is given.

A step is a list of micro-batches, each a mapping of tensors by the words of inputs. All are one optimizer step of one
process; an advantage belongs to a response, and every framework is told that of each of its tokens.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from programs.openrlhf_parity import batch, spread

__all__ = ["QUANTITIES", "STEPS", "Numbers", "Step", "step", "token_entropy"]

Step = list[dict[str, torch.Tensor]]
Numbers = dict[str, float]

QUANTITIES = ("policy_loss", "kl_reference", "kl_old", "entropy")
"""What is compared: the clipped loss alone, the KL to the reference model in the loss, that to the policy before the
update, and the entropy."""

STEPS: Mapping[str, tuple[list[int], ...]] = {
    "even": ([3, 3], [3, 3], [3, 3]),
    "uneven": ([4, 1], [2, 2], [6, 1]),
    "far": ([3, 3], [3, 3], [3, 3]),
}
"""The lengths of the responses of each micro-batch. In ``far`` one token has moved far from both other policies."""


def step(name: str) -> Step:
    """Return the micro-batches of a step."""
    parts = [_micro_batch(lengths, 200 + 20 * at) for at, lengths in enumerate(STEPS[name])]
    if name == "far":
        first = parts[0]
        first["advantages"][0] = -first["advantages"][0].abs()
        first["logprobs"][0, 0] = first["old_logprobs"][0, 0] + 1.5
        first["ref_logprobs"][0, 0] = first["logprobs"][0, 0] - 12.0
    return parts


def token_entropy(part: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """Return the entropy at each position."""
    logprobs = part["logits"].log_softmax(-1)
    return -(logprobs.exp() * logprobs).sum(-1)


def _micro_batch(lengths: list[int], seed: int) -> dict[str, torch.Tensor]:
    made = batch(lengths, max(lengths), seed)
    advantages = spread((len(lengths), 1), seed + 4, -2, 2).expand_as(made["mask"]) * made["mask"]
    kept = {name: made[name] for name in ("mask", "logprobs", "old_logprobs", "ref_logprobs", "logits")}
    return {**kept, "advantages": advantages}
