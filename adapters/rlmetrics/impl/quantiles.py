"""Percentiles: they need all values at once, so no additive state holds them.

All are interpolated linearly between neighbours, and NaN if nothing is counted or a NaN is among what is counted.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = [
    "seconds_p50",
    "seconds_p95",
    "seconds_p99",
    "weight_p25",
    "weight_p50",
    "weight_p75",
    "weight_p95",
    "weight_p99",
]


def weight_p25(old_logprobs: Tensor, rollout_logprobs: Tensor, mask: Tensor) -> Tensor:
    """Return the first quartile of the importance weights of the tokens, trainer over rollout engine.

    Args:
        old_logprobs: Log-probabilities under the trainer's policy before the update ``[B, T]``, float, in nats.
        rollout_logprobs: The same as the rollout engine reported them ``[B, T]``, float, in nats.
        mask: Which tokens count ``[B, T]``, bool.

    Returns:
        A float64 scalar.
    """
    return _of_weights(old_logprobs, rollout_logprobs, mask, 0.25)


def weight_p50(old_logprobs: Tensor, rollout_logprobs: Tensor, mask: Tensor) -> Tensor:
    """Return the median of the importance weights of the tokens; see :func:`weight_p25`."""
    return _of_weights(old_logprobs, rollout_logprobs, mask, 0.5)


def weight_p75(old_logprobs: Tensor, rollout_logprobs: Tensor, mask: Tensor) -> Tensor:
    """Return the third quartile of the importance weights of the tokens; see :func:`weight_p25`."""
    return _of_weights(old_logprobs, rollout_logprobs, mask, 0.75)


def weight_p95(old_logprobs: Tensor, rollout_logprobs: Tensor, mask: Tensor) -> Tensor:
    """Return the 95th percentile of the importance weights of the tokens; see :func:`weight_p25`."""
    return _of_weights(old_logprobs, rollout_logprobs, mask, 0.95)


def weight_p99(old_logprobs: Tensor, rollout_logprobs: Tensor, mask: Tensor) -> Tensor:
    """Return the 99th percentile of the importance weights of the tokens; see :func:`weight_p25`."""
    return _of_weights(old_logprobs, rollout_logprobs, mask, 0.99)


def seconds_p50(generation_seconds: Tensor) -> Tensor:
    """Return the median of the generation times of responses.

    Args:
        generation_seconds: Time that the rollout engine took for each response ``[B]``, float, in seconds.

    Returns:
        A float64 scalar.
    """
    return _quantile(generation_seconds.detach().to(torch.float64), 0.5)


def seconds_p95(generation_seconds: Tensor) -> Tensor:
    """Return the 95th percentile of the generation times of responses; see :func:`seconds_p50`."""
    return _quantile(generation_seconds.detach().to(torch.float64), 0.95)


def seconds_p99(generation_seconds: Tensor) -> Tensor:
    """Return the 99th percentile of the generation times of responses; see :func:`seconds_p50`."""
    return _quantile(generation_seconds.detach().to(torch.float64), 0.99)


def _of_weights(old_logprobs: Tensor, rollout_logprobs: Tensor, mask: Tensor, level: float) -> Tensor:
    counted = mask.to(torch.bool)
    log_ratios = old_logprobs.detach()[counted].to(torch.float64) - rollout_logprobs.detach()[counted].to(torch.float64)
    return _quantile(log_ratios.exp(), level)


def _quantile(values: Tensor, level: float) -> Tensor:
    # torch.quantile refuses more than 16 million values; a batch of long responses has more tokens.
    ordered = values.flatten().sort().values
    if not ordered.numel() or bool(ordered[-1].isnan()):
        return torch.full((), torch.nan, dtype=torch.float64, device=values.device)
    place = (ordered.numel() - 1) * level
    below = int(place)
    part = place - below
    return ordered[below] if part == 0 else ordered[below] * (1 - part) + ordered[below + 1] * part
