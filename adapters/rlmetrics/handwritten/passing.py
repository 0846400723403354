"""Exact chances that samples of a prompt solve it, over all ways to choose k of its n samples without replacement."""

from __future__ import annotations

import torch
from torch import Tensor

from rlmetrics.state import ops

__all__ = ["pass_at_k", "pass_power_k"]


def pass_at_k(solved: Tensor, group_ids: Tensor, *, k: int) -> Tensor:
    r"""Return the chance that at least one of ``k`` samples solves its prompt, averaged over prompts.

    Of a prompt with :math:`c` right samples among :math:`n` it is :math:`1 - \binom{n-c}{k} / \binom{n}{k}`, the
    unbiased estimator of Chen et al. 2021 (arXiv:2107.03374), as a product of ``k`` factors.

    Args:
        solved: Whether each sample solves its prompt ``[B]``, bool.
        group_ids: Prompt of each sample ``[B]``, int.
        k: Number of samples that are chosen from those of a prompt.

    Returns:
        A float64 scalar, NaN without samples or if a prompt has fewer than ``k``.

    Raises:
        ValueError: ``k`` is below 1.
    """
    right, samples, exists = _counts(solved, group_ids, k)
    return _over_prompts(1 - _share(samples - right, samples, int(k)), samples, exists, k)


def pass_power_k(solved: Tensor, group_ids: Tensor, *, k: int) -> Tensor:
    r"""Return the chance that all of ``k`` samples solve their prompt, averaged over prompts.

    Of a prompt with :math:`c` right samples among :math:`n` it is :math:`\binom{c}{k} / \binom{n}{k}` (Yao et al. 2024,
    arXiv:2406.12045); arguments and errors as in :func:`pass_at_k`.

    Returns:
        A float64 scalar, NaN without samples or if a prompt has fewer than ``k``.
    """
    right, samples, exists = _counts(solved, group_ids, k)
    return _over_prompts(_share(right, samples, int(k)), samples, exists, k)


def _counts(solved: Tensor, group_ids: Tensor, k: int) -> tuple[Tensor, Tensor, Tensor]:
    if k < 1:
        msg = f"expected k to be at least 1, got {k}"
        raise ValueError(msg)
    index = ops.group_index(group_ids)
    samples = ops.group_count(index)
    return ops.group_sum(solved.to(samples.dtype), index), samples, ops.group_exists(index)


def _share(chosen: Tensor, samples: Tensor, k: int) -> Tensor:
    """Return the binomial of ``chosen`` over that of ``samples``: factors near 1, where binomials would overflow."""
    share = torch.ones_like(samples)
    for step in range(k):
        share = share * (chosen - step).clamp(min=0) / (samples - step).clamp(min=1)
    return share


def _over_prompts(values: Tensor, samples: Tensor, exists: Tensor, k: int) -> Tensor:
    known = torch.where(samples < int(k), torch.nan, values)
    return torch.where(exists, known, 0).sum() / exists.sum()
