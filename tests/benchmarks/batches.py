"""Tensors of a training step."""

from __future__ import annotations

import torch
from torch import Tensor

Batch = dict[str, Tensor]


def make_batch(rows: int, columns: int, device: str = "cpu", prompt: int = 256) -> Batch:
    """Make float32 inputs of a PPO or GRPO step, under the words of the metrics; responses are of any length."""
    torch.manual_seed(0)

    def noise(scale: float) -> Tensor:
        return torch.randn(rows, columns) * scale

    logprobs = -torch.rand(rows, columns) * 3
    lengths = torch.randint(1, columns + 1, (rows,))
    mask = torch.arange(columns) < lengths[:, None]
    token_scores = torch.zeros(rows, columns)
    token_scores[torch.arange(rows), lengths - 1] = torch.randn(rows)
    old_logprobs, ref_logprobs = logprobs + noise(0.1), logprobs + noise(0.2)
    old_values = noise(1.0)
    batch = {
        "logprobs": logprobs,
        "old_logprobs": old_logprobs,
        "ref_logprobs": ref_logprobs,
        "advantages": noise(1.0),
        "mask": mask,
        "token_entropy": torch.rand(rows, columns),
        "values": old_values + noise(0.3),
        "old_values": old_values,
        "returns": old_values + noise(0.5),
        "token_scores": token_scores,
        "token_rewards": (token_scores - 0.05 * (old_logprobs - ref_logprobs)) * mask,
        "scores": token_scores.sum(-1),
        "lengths": lengths,
        "prompt_lengths": torch.randint(1, prompt + 1, (rows,)),
        "terminated": torch.rand(rows) < 0.9,
    }
    return {name: tensor.to(device) for name, tensor in batch.items()}
