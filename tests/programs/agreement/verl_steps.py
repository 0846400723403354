"""``ppo_loss`` of verl, once for each micro-batch, and its own aggregation of what that returns."""

from __future__ import annotations

import importlib
import sys
from collections import defaultdict
from typing import Any

import programs.openrlhf_parity as modules
import torch
from programs.agreement.compared_steps import Numbers, Step, token_entropy

__all__ = ["numbers", "prepare"]

ABSENT = (
    "ray",
    "hydra",
    "codetiming",
    "torchdata",
    "pybind11",
    "pylatexenc",
    "tensorboard",
    "vllm",
    "wandb",
    "peft",
    "PIL",
)


def prepare(trees: list[str]) -> None:
    """Have verl found; what it imports and these runs never call is empty."""
    sys.path[:0] = trees
    modules.ABSENT = ABSENT
    sys.meta_path.append(modules.Absent())


def numbers(parts: Step) -> Numbers:
    """Return what is logged of a mini-batch, and the entropy as its trainer logs it of the policy before the update."""
    losses: Any = importlib.import_module("verl.workers.utils.losses")
    core = importlib.import_module("verl.trainer.ppo.core_algos")
    metric = importlib.import_module("verl.utils.metric").Metric
    # Prompts are cut off and rows padded before; here they are.
    losses.no_padding_2_padding = lambda tensor, _: tensor
    config = importlib.import_module("verl.workers.config").ActorConfig(
        strategy="fsdp",
        rollout_n=1,
        ppo_mini_batch_size=sum(len(part["mask"]) for part in parts),
        ppo_micro_batch_size_per_gpu=2,
        use_kl_loss=True,
        clip_ratio=0.2,
        clip_ratio_low=0.2,
        clip_ratio_high=0.2,
    )
    tokens = int(sum(part["mask"].sum() for part in parts))
    found: dict[str, list[Any]] = defaultdict(list)
    for part in parts:
        _, logged = losses.ppo_loss(config, {"log_probs": part["logprobs"]}, _data(part, tokens, parts))
        for key, value in logged.items():
            found[key].append(value)
    said = {
        key: values[0].aggregate() if len(values) == 1 else metric.aggregate_dp([_chained(metric, values)])
        for key, values in found.items()
        if isinstance(values[0], metric)
    }
    width = max(part["mask"].shape[1] for part in parts)
    joined = {
        "entropy": torch.cat([_padded(token_entropy(part), width) for part in parts]),
        "mask": torch.cat([_padded(part["mask"], width) for part in parts]),
    }
    entropy = core.agg_loss(joined["entropy"], joined["mask"], loss_agg_mode=config.loss_agg_mode)
    return {
        "policy_loss": said["actor/pg_loss"],
        "kl_reference": said["kl_loss"],
        "kl_old": said["actor/ppo_kl"],
        "entropy": float(entropy),
    }


def _chained(metric: Any, values: list[Any]) -> Any:
    whole = metric(values[0].aggregation)
    for value in values:
        whole.extend(value)
    return whole


def _padded(tensor: torch.Tensor, width: int) -> torch.Tensor:
    return torch.nn.functional.pad(tensor, (0, width - tensor.shape[1]))


def _data(part: dict[str, torch.Tensor], tokens: int, parts: Step) -> Any:
    made = importlib.import_module("tensordict").TensorDict(
        {
            "response_mask": part["mask"].bool(),
            "old_log_probs": part["old_logprobs"],
            "advantages": part["advantages"],
            "ref_log_prob": part["ref_logprobs"],
        },
        batch_size=len(part["mask"]),
    )
    made.set_non_tensor("dp_size", 1)
    made.set_non_tensor("batch_num_tokens", tokens)
    made.set_non_tensor("global_batch_size", sum(len(each["mask"]) for each in parts))
    return made
