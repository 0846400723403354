"""Advantages and returns along the tokens of a response, from the last one backwards."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from rlmetrics.state.ops import same_shape

from ._checks import entrance, in_dtype_of, renamed, truth
from ._whiten import whiten as whitened


class Estimate(NamedTuple):
    """What :func:`gae` returns.

    Attributes:
        advantages: Advantage of each token ``[B, T]``.
        returns: Target of the value function at each token ``[B, T]``.
    """

    advantages: Tensor
    returns: Tensor


@renamed(token_level_rewards="token_rewards")
def gae(
    token_rewards: Tensor, values: Tensor, mask: Tensor, *, gamma: float, lam: float, whiten: bool = False
) -> Estimate:
    r"""Return advantages and returns by generalised advantage estimation (Schulman et al. 2016, arXiv:1506.02438).

    .. math:: \delta_t = r_t + \gamma V_{t'} - V_t, \qquad A_t = \delta_t + \gamma\lambda A_{t'}

    where :math:`t'` is the next token of the response inside the mask, with value and advantage 0 after the last one.
    Tokens outside the mask, such as the output of a tool in the middle of a response, take no time and no reward: the
    token before them looks straight at the one after them.

    Args:
        token_rewards: Reward at each token ``[B, T]``, float.
        values: Value of the state before each token ``[B, T]``, float, in the unit of the rewards.
        mask: Which tokens are part of the response ``[B, T]``, bool or int.
        gamma: Discount per token.
        lam: The λ of the estimator: 0 is the one-step error, 1 the return minus the value.
        whiten: Give the advantages mean 0 and variance 1 over the mask, see :func:`whiten`. Returns never are.

    Returns:
        Advantages and returns (unwhitened advantage plus value) ``[B, T]``, 0 outside the mask, without gradient, in
        the dtype of the rewards or float32 if that is wider.

    Raises:
        TypeError: A tensor has the wrong dtype.
        ValueError: The shapes differ.
    """
    same_shape(2, token_rewards=token_rewards, values=values, mask=mask)
    mask = truth(mask)
    rewards, value = entrance(mask, token_rewards=token_rewards, values=values)
    following = _next_selected(value, mask)
    errors = torch.where(mask, rewards + gamma * following - value, 0)
    advantages = _accumulated(errors, mask, gamma * lam).masked_fill(~mask, 0)
    returns = advantages + value
    if whiten:
        advantages = whitened(advantages, mask)
    return Estimate(in_dtype_of(token_rewards, advantages), in_dtype_of(token_rewards, returns))


@renamed(token_level_rewards="token_rewards")
def discounted_returns(token_rewards: Tensor, mask: Tensor, *, gamma: float = 1.0) -> Tensor:
    """Return the discounted reward from each token of a response on.

    Args:
        token_rewards: Reward at each token ``[B, T]``, float.
        mask: Which tokens are part of the response ``[B, T]``, bool or int. The others neither have a reward nor
            discount.
        gamma: Discount per token; with 1, as in ReMax, the plain reward to go.

    Returns:
        Returns ``[B, T]``, 0 outside the mask, without gradient, in the dtype of the rewards or float32 if that is
        wider.

    Raises:
        TypeError: A tensor has the wrong dtype.
        ValueError: The shapes differ.
    """
    same_shape(2, token_rewards=token_rewards, mask=mask)
    mask = truth(mask)
    (rewards,) = entrance(mask, token_rewards=token_rewards)
    return in_dtype_of(token_rewards, _accumulated(rewards, mask, gamma).masked_fill(~mask, 0))


def _accumulated(terms: Tensor, mask: Tensor, factor: float) -> Tensor:
    """Return ``x`` with ``x[t] = terms[t] + decay * x[t + 1]``: the factor where the mask is true, 1 elsewhere."""
    decay = torch.where(mask, terms.new_full((), factor), terms.new_full((), 1.0))
    return _backward(terms, decay)


def _next_selected(x: Tensor, mask: Tensor) -> Tensor:
    """Return at each token the value at the next token inside the mask, 0 if there is none."""
    here = _backward(torch.where(mask, x, 0), (~mask).to(x.dtype))
    return torch.cat([here[:, 1:], torch.zeros_like(here[:, :1])], 1)


def _backward(terms: Tensor, decay: Tensor) -> Tensor:
    """Solve ``x[t] = terms[t] + decay[t] * x[t + 1]`` by doubling: log T steps on whole tensors instead of T steps."""
    width, step = terms.shape[1], 1
    while step < width:
        ahead = torch.cat([terms[:, step:], torch.zeros_like(terms[:, :step])], 1)
        factor = torch.cat([decay[:, step:], torch.zeros_like(decay[:, :step])], 1)
        terms, decay = terms + decay * ahead, decay * factor
        step *= 2
    return terms
