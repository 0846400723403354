"""Hidden states, a head and tokens, and gradients through a function of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

Inputs = dict[str, Any]
Tensors = tuple[Tensor, ...]


def head_inputs(dtype: torch.dtype, seed: int = 0, vocabulary_size: int = 13) -> Inputs:
    """Return hidden states ``[2, 5, 8]``, a head and tokens."""
    generator = torch.Generator().manual_seed(seed)
    inputs = {
        name: torch.randn(shape, generator=generator, dtype=torch.float64).to(dtype)
        for name, shape in {"hidden": (2, 5, 8), "weight": (vocabulary_size, 8), "bias": (vocabulary_size,)}.items()
    }
    inputs["tokens"] = torch.randint(vocabulary_size, (2, 5), generator=generator)
    inputs["mask"] = torch.rand((2, 5), generator=generator) < 0.7
    return inputs


def with_gradients(function: Callable[[Inputs], Tensors], inputs: Inputs) -> Tensors:
    """Return results, followed by the gradients of a weighted sum of those inside the mask."""
    leaves = {
        name: tensor.clone().requires_grad_() if tensor.is_floating_point() else tensor
        for name, tensor in inputs.items()
    }
    log_probs, entropies = function(leaves)
    weights = torch.linspace(-1, 1, 5, dtype=torch.float64)
    total = ((log_probs * weights + 0.3 * entropies) * inputs["mask"]).sum()
    return (log_probs, entropies, *torch.autograd.grad(total, [leaves[name] for name in ("hidden", "weight", "bias")]))


SHAPES: list[Inputs] = [
    {},
    {"logit_scale": 0.0625},
    {"softcap": 2.0},
    {"softcap": 3.0, "logit_scale": 1.7, "temperature": 0.6},
]
