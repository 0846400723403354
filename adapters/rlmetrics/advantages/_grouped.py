"""Advantages of whole responses against the other responses to the same prompt."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from rlmetrics.state import ops

from ._checks import entrance, in_dtype_of, truth, wide

Std = Literal["group", "batch", "none"]
Alone = Literal["zero", "reward"]


def group_relative(
    rewards: Tensor,
    group_ids: Tensor,
    *,
    std: Std = "group",
    ddof: int = 1,
    epsilon: float = 1e-4,
    alone: Alone = "zero",
    lengths: Tensor | None = None,
) -> Tensor:
    r"""Return the reward of each response minus the mean of its group, over a standard deviation (GRPO).

    .. math:: A_i = \frac{r_i - \bar r_g}{s + \epsilon}

    Args:
        rewards: Reward of each response ``[B]``, float.
        group_ids: Prompt of each response ``[B]``, int; groups need be neither contiguous nor of one size.
        std: What :math:`s` is: of the rewards of the group (GRPO, arXiv:2402.03300), of all rewards of the batch (TRL's
            ``scale_rewards="batch"``), or none, with no division at all (Dr. GRPO, arXiv:2503.20783).
        ddof: Degrees of freedom by which the number of rewards is reduced in the variance; 1 in TRL and verl.
        epsilon: Added to the standard deviation; 1e-4 in TRL, 1e-6 in verl.
        alone: What a response gets that is alone in its group: 0, or its reward, as verl's unvectorised estimators do
            (the mean then counts as 0, the standard deviation of its group as 1).
        lengths: Number of tokens of each response ``[B]``, int, if the mean is to be weighted with them (OPO,
            arXiv:2505.23585, which divides by no standard deviation).

    Returns:
        Advantages ``[B]``, without gradient, in the dtype of the rewards or float32 if that is wider.

    Raises:
        TypeError: A tensor has the wrong dtype.
        ValueError: The shapes differ, or ``std`` or ``alone`` is none of the words above.
    """
    _check(rewards, group_ids)
    _one_of("std", std, ("group", "batch", "none"))
    _one_of("alone", alone, ("zero", "reward"))
    values = wide("rewards", rewards)
    index = ops.group_index(group_ids)
    lonely = (ops.group_count(index) == 1)[index]
    means = _group_means(values, index, lengths)
    advantages = values - (means.masked_fill(lonely, 0) if alone == "reward" else means)
    if std == "batch":
        spread = _batch_std(values, ddof).expand_as(values)
    else:
        spread = ops.group_std(values, index, ddof=ddof)[index]
        spread = torch.where(lonely, 1.0, spread)
    if std != "none":
        advantages = advantages / (spread + epsilon)
    return in_dtype_of(rewards, advantages)


def best_of_group(
    rewards: Tensor, group_ids: Tensor, *, std: Std = "group", ddof: int = 1, epsilon: float = 1e-6
) -> Tensor:
    """Return for the best response of each group how far it is ahead of the second best, and 0 for all others.

    The estimator of training for pass@k (arXiv:2503.19595): only the response that is the best of its group learns.

    Args:
        rewards: Reward of each response ``[B]``, float.
        group_ids: Prompt of each response ``[B]``, int; groups need be neither contiguous nor of one size. In a group
            of one response, nobody is ahead of anybody.
        std: Whether the lead is divided by the standard deviation of the rewards of the group, of all rewards of the
            batch, or not at all.
        ddof: Degrees of freedom by which the number of rewards is reduced in the variance.
        epsilon: Added to the standard deviation; 1e-6 in verl.

    Returns:
        Advantages ``[B]``, without gradient, in the dtype of the rewards or float32 if that is wider.

    Raises:
        TypeError: A tensor has the wrong dtype.
        ValueError: The shapes differ, or ``std`` is none of the words above.
    """
    _check(rewards, group_ids)
    _one_of("std", std, ("group", "batch", "none"))
    values = wide("rewards", rewards)
    index = ops.group_index(group_ids)
    place = torch.arange(values.shape[0], device=values.device, dtype=values.dtype)
    leads = values == ops.group_max(values, index)[index]
    first = ops.group_min(torch.where(leads, place, torch.inf), index)[index]
    best = place == first
    second = ops.group_max(values.masked_fill(best, -torch.inf), index)[index]
    several = ops.group_count(index)[index] > 1
    lead = torch.where(best & several, values - torch.where(several, second, 0.0), 0.0)
    if std != "none":
        spread = _batch_std(values, ddof) if std == "batch" else ops.group_std(values, index, ddof=ddof)[index]
        lead = lead / (torch.where(several, spread, 1.0) + epsilon)
    return in_dtype_of(rewards, lead)


def leave_one_out(rewards: Tensor, group_ids: Tensor, *, alone: Alone = "zero") -> Tensor:
    r"""Return the reward of each response minus the mean of the others of its group (RLOO, arXiv:2402.14740).

    .. math:: A_i = r_i - \frac{1}{n - 1} \sum_{j \ne i} r_j

    Args:
        rewards: Reward of each response ``[B]``, float.
        group_ids: Prompt of each response ``[B]``, int; groups need be neither contiguous nor of one size.
        alone: What a response gets that is alone in its group: 0, or its reward, as verl's unvectorised estimator does.

    Returns:
        Advantages ``[B]``, without gradient, in the dtype of the rewards or float32 if that is wider.

    Raises:
        TypeError: A tensor has the wrong dtype.
        ValueError: The shapes differ, or ``alone`` is none of the words above.
    """
    _check(rewards, group_ids)
    _one_of("alone", alone, ("zero", "reward"))
    values = wide("rewards", rewards)
    index = ops.group_index(group_ids)
    counts = ops.group_count(index)[index]
    # n/(n-1) times the deviation from the mean, which unlike a difference of sums keeps the digits of large rewards.
    deviation = values - ops.group_mean(values, index)[index]
    advantages = deviation * counts / (counts - 1).clamp(min=1)
    if alone == "reward":
        advantages = torch.where(counts == 1, values, advantages)
    return in_dtype_of(rewards, advantages)


def per_token(sequence_advantages: Tensor, mask: Tensor) -> Tensor:
    """Return the advantage of each response at each of its tokens.

    Args:
        sequence_advantages: Advantage of each response ``[B]``, float.
        mask: Which tokens are part of the response ``[B, T]``, bool or int.

    Returns:
        Advantages ``[B, T]``, 0 outside the mask, without gradient, in the dtype of the input or float32 if that is
        wider.

    Raises:
        TypeError: A tensor has the wrong dtype.
        ValueError: The shapes do not fit.
    """
    ops.same_shape(2, mask=mask)
    ops.same_shape(1, sequence_advantages=sequence_advantages)
    ops.same_rows(mask=mask, sequence_advantages=sequence_advantages)
    spread = sequence_advantages.unsqueeze(-1).expand(mask.shape)
    mask = truth(mask)
    (values,) = entrance(mask, sequence_advantages=spread)
    return in_dtype_of(sequence_advantages, values)


def _group_means(values: Tensor, index: Tensor, lengths: Tensor | None) -> Tensor:
    if lengths is None:
        return ops.group_mean(values, index)[index]
    ops.same_shape(1, rewards=values, lengths=lengths)
    if lengths.is_floating_point() or lengths.dtype == torch.bool:
        msg = f"lengths: expected an int tensor [B], got {lengths.dtype}"
        raise TypeError(msg)
    weights = lengths.to(values.dtype)
    # Relative to the plain mean, so that large rewards keep their digits.
    centre = ops.group_mean(values, index)[index]
    shift = ops.group_sum(weights * (values - centre), index) / ops.group_sum(weights, index).clamp(min=1)
    return centre + shift[index]


def _batch_std(values: Tensor, ddof: int) -> Tensor:
    deviation = values - values.sum() / max(1, values.shape[0])
    return (deviation.square().sum() / max(1, values.shape[0] - ddof)).sqrt()


def _check(rewards: Tensor, group_ids: Tensor) -> None:
    ops.same_shape(1, rewards=rewards, group_ids=group_ids)
    if group_ids.is_floating_point() or group_ids.dtype == torch.bool:
        msg = f"group_ids: expected an int tensor [B], got {group_ids.dtype}"
        raise TypeError(msg)


def _one_of(name: str, value: str, words: tuple[str, ...]) -> None:
    if value not in words:
        msg = f"{name}: expected one of {', '.join(map(repr, words))}, got {value!r}"
        raise ValueError(msg)
