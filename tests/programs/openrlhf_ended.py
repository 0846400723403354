"""Records what OpenRLHF's own losses, of trainers that it lacks from 0.9.6 on, make of fixed tensors on a CPU.

``python -m programs.openrlhf_ended TREE RELEASE OUT``, with ``tests`` on the path, writes ``OUT``; `openrlhf_parity`
says how the release is imported. They are KTO, knowledge distillation and process rewards, and the policy's loss with
the correction of that time. In KTO's sum over processes one takes part; models and optimizer steps are not run.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from programs.openrlhf_parity import batch, listed, record, spread, theirs


def event(name: str, settings: dict[str, Any], arrays: dict[str, Any], numbers: dict[str, Any]) -> dict[str, Any]:
    """Return what was given to a loss and what it made of it, without tensors."""
    kept = {key: value for key, value in numbers.items() if value is not None}
    return {"name": name, "settings": settings, "arrays": listed(arrays), "numbers": listed(kept)}


def unpaired() -> list[dict[str, Any]]:
    """Call KTO's loss on texts of both classes, and of one."""
    torch.distributed.all_reduce = lambda *_, **__: None  # type: ignore[assignment]
    events = []
    for seed, labels, weight in ((61, [1, 0, 1, 1], 1.0), (62, [0, 0, 0, 0], 1.5), (63, [1, 1, 0, 1], 1.5)):
        own, reference, swapped, ref_swapped = (spread((4,), seed + at, -9, -1) for at in (0, 10, 20, 30))
        good = torch.tensor(labels).bool()
        loss, chosen, rejected, point = theirs("models.loss").KTOLoss(0.1, weight, 1.0, 1, "cpu")(
            own[good], own[~good], swapped, reference[good], reference[~good], ref_swapped
        )
        arrays = {
            "completion_logprobs": own,
            "ref_completion_logprobs": reference,
            "mismatched_logprobs": swapped,
            "ref_mismatched_logprobs": ref_swapped,
            "desirable": good,
        }
        # As the trainer writes them: 0 for a class that is not there.
        rewards = {"chosen_reward": chosen, "reject_reward": rejected}
        means = {key: values.mean() if len(values) else 0 for key, values in rewards.items()}
        settings = {"beta": 0.1, "desirable_loss_weight": weight}
        events.append(event("kto", settings, arrays, {"kto_loss": loss, "kl": point, **means}))
    return events


def distilled() -> list[dict[str, Any]]:
    """Call the loss of knowledge distillation."""
    student, teacher = spread((3, 5, 6), 64, -3, 3), spread((3, 5, 6), 65, -3, 3)
    mask = torch.tensor([[0, 1, 1, 1, 0], [0, 0, 1, 1, 1], [1, 1, 0, 0, 0]]).bool()
    loss = theirs("models.loss").KDLoss()(student, teacher, torch.where(mask, 1, -100))
    return [event("kd", {}, {"logits": student, "teacher_logits": teacher, "mask": mask}, {"distil_loss": loss})]


def process_rewards() -> list[dict[str, Any]]:
    """Call the loss of process rewards, over the whole vocabulary and over two words."""
    marker, words = 3, [4, 5]
    texts = torch.tensor([[2, 1, 3, 2, 3], [3, 1, 1, 3, 1]])
    marked = texts == marker
    labels = torch.where(marked, torch.tensor([[0, 0, 4, 0, 5], [4, 0, 0, 4, 0]]), -100)
    said = spread((2, 5, 6), 66, -2, 2)
    events = []
    for given in (None, words):
        loss, right = theirs("models.loss").PRMLoss(marker, given)(texts, said, labels, return_acc=True)
        among = said
        if given is not None:
            among = torch.full_like(said, -math.inf).index_copy(2, torch.tensor(given), said[..., given])
        logprobs = among.log_softmax(-1).gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
        arrays = {
            "step_label_logprobs": torch.where(marked, logprobs, torch.tensor(0.0)),
            "step_is_right": (among.argmax(-1) == labels) & marked,
            "step_mask": marked,
        }
        events.append(event("prm", {"reward_tokens": given}, arrays, {"prm_loss": loss, "acc": right}))
    return events


def corrected() -> list[dict[str, Any]]:
    """Call the policy's loss with weights for the engine that sampled."""
    made, events = batch([4, 1, 3], 4, 11), []
    for kind in ("ppo", "gspo"):
        settings = {"policy_loss_type": kind, "enable_vllm_is_correction": True}
        loss = theirs("models.loss").PolicyLoss(**settings, vllm_is_truncated_threshold=[0.0, 2.0])
        found = loss(made["logprobs"], made["old_logprobs"], made["advantages"], made["mask"], made["rollout_logprobs"])
        events.append(
            event("corrected", settings, made, dict(zip(("loss", "clip", "ppo_kl", "vllm_kl"), found, strict=True)))
        )
    return events


if __name__ == "__main__":
    record(lambda: [*unpaired(), *distilled(), *process_rewards(), *corrected()], __doc__)
