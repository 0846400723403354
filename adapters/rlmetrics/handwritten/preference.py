"""Losses on pairs whose terms depend on the other pairs of the batch, by sorting or by a mean taken first.

They are for watching a run and carry no gradient, like all hand-written metrics.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid

__all__ = ["aot", "aot_unpaired", "kto_pair"]


def aot(
    chosen_logprobs: Tensor,
    rejected_logprobs: Tensor,
    ref_chosen_logprobs: Tensor,
    ref_rejected_logprobs: Tensor,
    *,
    beta: float,
    label_smoothing: float,
) -> Tensor:
    """Return the AOT loss: sorted differences within pairs, those of the policy against those of the reference.

    Args:
        chosen_logprobs: Log-probability of each preferred response under the policy ``[B]``, float, nat.
        rejected_logprobs: Log-probability of each rejected response under the policy ``[B]``, float, nat.
        ref_chosen_logprobs: The same of the preferred responses under the reference ``[B]``, float, nat.
        ref_rejected_logprobs: The same of the rejected responses under the reference ``[B]``, float, nat.
        beta: Factor of the log-ratios.
        label_smoothing: Assumed share of flipped labels.

    Returns:
        A float64 scalar in nat, NaN without pairs.
    """
    policy = _sorted(chosen_logprobs, rejected_logprobs)
    reference = _sorted(ref_chosen_logprobs, ref_rejected_logprobs)
    return _smoothed(beta * (policy - reference), label_smoothing)


def aot_unpaired(
    chosen_logprobs: Tensor,
    rejected_logprobs: Tensor,
    ref_chosen_logprobs: Tensor,
    ref_rejected_logprobs: Tensor,
    *,
    beta: float,
    label_smoothing: float,
) -> Tensor:
    """Return the AOT loss for unpaired data: sorted log-ratios of both sides; arguments as in :func:`aot`."""
    chosen = _sorted(chosen_logprobs, ref_chosen_logprobs)
    rejected = _sorted(rejected_logprobs, ref_rejected_logprobs)
    return _smoothed(beta * (chosen - rejected), label_smoothing)


def kto_pair(
    chosen_logprobs: Tensor,
    rejected_logprobs: Tensor,
    ref_chosen_logprobs: Tensor,
    ref_rejected_logprobs: Tensor,
    *,
    beta: float,
) -> Tensor:
    """Return the KTO-style loss on pairs; arguments as in :func:`aot`.

    Returns:
        A float64 scalar between 0 and 1, NaN without pairs.
    """
    chosen = _difference(chosen_logprobs, ref_chosen_logprobs)
    rejected = _difference(rejected_logprobs, ref_rejected_logprobs)
    gains = beta * (chosen - rejected.mean().clamp(min=0))
    losses = beta * (chosen.mean().clamp(min=0) - rejected)
    return 1 - (torch.sigmoid(gains).mean() + torch.sigmoid(losses).mean()) / 2


def _difference(left: Tensor, right: Tensor) -> Tensor:
    return left.detach().to(torch.float64) - right.detach().to(torch.float64)


def _sorted(left: Tensor, right: Tensor) -> Tensor:
    return _difference(left, right).sort().values


def _smoothed(margin: Tensor, label_smoothing: float) -> Tensor:
    terms = (1 - label_smoothing) * logsigmoid(margin) + label_smoothing * logsigmoid(-margin)
    return -terms.mean()
