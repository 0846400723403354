"""From hidden states and a head, one block of logits at a time: some rows by some words of the vocabulary."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from rlmetrics.state import ops

from ._blocks import Blocks, LogitShape
from ._logits import check_ids, check_mask

BLOCK = 1024
"""Default number of rows and of words in a block: 4 MiB of float32 logits."""


class HeadStatistics(NamedTuple):
    """What a head says about each place ``[B, T]``, in float32 or the wider dtype of its inputs.

    Attributes:
        logprobs: Log-probability of the token, in nats.
        token_entropy: Entropy of the distribution, in nats.
        is_top1: Whether the token is the most likely one, bool; of equally likely ones the first. It has no gradient.
        mean_logits: Mean of the logits over the vocabulary, before the temperature. It has no gradient.
    """

    logprobs: Tensor
    token_entropy: Tensor
    is_top1: Tensor
    mean_logits: Tensor


def head_log_prob(
    hidden: Tensor,
    weight: Tensor,
    tokens: Tensor,
    *,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    temperature: float = 1.0,
    logit_scale: float = 1.0,
    softcap: float | None = None,
    block: int = BLOCK,
) -> Tensor:
    """Return the log-probability of each token under the softmax of the logits of a head.

    Arguments, precision and errors are those of :func:`head_statistics`.

    Returns:
        Log-probabilities in nats ``[B, T]``, float32 or the wider dtype of the inputs.
    """
    return head_statistics(
        hidden,
        weight,
        tokens,
        bias=bias,
        mask=mask,
        temperature=temperature,
        logit_scale=logit_scale,
        softcap=softcap,
        block=block,
    ).logprobs


def head_entropy(
    hidden: Tensor,
    weight: Tensor,
    *,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    temperature: float = 1.0,
    logit_scale: float = 1.0,
    softcap: float | None = None,
    block: int = BLOCK,
) -> Tensor:
    """Return the entropy of the softmax of the logits of a head at each place.

    Arguments, precision and errors are those of :func:`head_statistics`.

    Returns:
        Entropies in nats ``[B, T]``, float32 or the wider dtype of the inputs.
    """
    tokens = torch.zeros(hidden.shape[:-1], dtype=torch.int64, device=hidden.device)
    return head_statistics(
        hidden,
        weight,
        tokens,
        bias=bias,
        mask=mask,
        temperature=temperature,
        logit_scale=logit_scale,
        softcap=softcap,
        block=block,
    ).token_entropy


def head_log_prob_entropy(
    hidden: Tensor,
    weight: Tensor,
    tokens: Tensor,
    *,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    temperature: float = 1.0,
    logit_scale: float = 1.0,
    softcap: float | None = None,
    block: int = BLOCK,
) -> tuple[Tensor, Tensor]:
    """Return log-probabilities and entropies of the softmax of the logits of a head.

    Arguments, precision and errors are those of :func:`head_statistics`.

    Returns:
        Log-probabilities and entropies in nats ``[B, T]``, float32 or the wider dtype of the inputs.
    """
    statistics = head_statistics(
        hidden,
        weight,
        tokens,
        bias=bias,
        mask=mask,
        temperature=temperature,
        logit_scale=logit_scale,
        softcap=softcap,
        block=block,
    )
    return statistics.logprobs, statistics.token_entropy


def head_statistics(
    hidden: Tensor,
    weight: Tensor,
    tokens: Tensor,
    *,
    bias: Tensor | None = None,
    mask: Tensor | None = None,
    temperature: float = 1.0,
    logit_scale: float = 1.0,
    softcap: float | None = None,
    block: int = BLOCK,
) -> HeadStatistics:
    """Return all that metrics need of logits, without the logits.

    The logits are ``hidden @ weight.T + bias``, times ``logit_scale``; with ``softcap``, ``softcap * tanh(logits /
    softcap)``; then divided by ``temperature``. They exist one block at a time, in the forward pass and again in the
    backward pass, in float32 or the wider dtype of the inputs. Beside results and gradients the memory in use is a few
    times ``block²`` numbers, and for half-precision inputs ``2 · block · H`` numbers more for their float32 copies. For
    these the backward pass computes each block of logits twice where both ``hidden`` and ``weight`` want a gradient, so
    that neither gradient is ever held in float32.

    Args:
        hidden: Hidden states ``[B, T, H]``, float; the state at a place predicts the token at the same place of
            ``tokens``.
        weight: The head, one row per word of the vocabulary ``[V, H]``, of the dtype of ``hidden``.
        tokens: Token ids ``[B, T]``, int.
        bias: Added to the logits of each word ``[V]``, of the dtype of ``hidden``.
        mask: Which places count ``[B, T]``, bool or int; the hidden states of others are taken as 0 and their token as
            0, so that padding may hold anything, and get no gradient.
        temperature: What the logits are divided by, above 0.
        logit_scale: What the model multiplies its logits by, as Cohere's ``logit_scale``; Granite's ``logits_scaling``
            divides them, so give its inverse.
        softcap: What the model's logits stay below in size, as Gemma's ``final_logit_softcapping``, above 0; None for
            no bound.
        block: Number of rows and of words in a block.

    Raises:
        TypeError: The dtypes of ``hidden``, ``weight`` and ``bias`` differ, ``tokens`` are not int, ``mask`` is neither
            bool nor int, or something is no tensor.
        ValueError: The shapes do not fit, ``temperature`` or ``softcap`` is not above 0, or ``block`` is below 1.

    Example:
        >>> found = head_statistics(hidden, model.lm_head.weight, tokens, softcap=30.0)
        >>> suite.update(logprobs=found.logprobs, token_entropy=found.token_entropy, is_top1=found.is_top1, mask=mask)
    """
    _check(hidden, weight, tokens, bias, mask)
    if not temperature > 0 or block < 1:
        msg = f"expected temperature above 0 and block of at least 1, got {temperature} and {block}"
        raise ValueError(msg)
    if softcap is not None and not softcap > 0:
        msg = f"softcap: expected a number above 0, or None for no bound, got {softcap}"
        raise ValueError(msg)
    keep = None if mask is None else mask.reshape(-1).bool()
    words = tokens.reshape(-1)
    words = words if keep is None else words.masked_fill(~keep, 0)
    statistics = Blocks.apply(  # type: ignore[no-untyped-call]
        hidden.reshape(-1, hidden.shape[-1]),
        weight,
        bias,
        words,
        keep,
        LogitShape(logit_scale, softcap or 0.0, temperature, block),
    )
    return HeadStatistics(*(one.reshape(tokens.shape) for one in statistics))


def _check(hidden: Tensor, weight: Tensor, tokens: Tensor, bias: Tensor | None, mask: Tensor | None) -> None:
    optional = {name: tensor for name, tensor in (("bias", bias), ("mask", mask)) if tensor is not None}
    ops.on_one_device(hidden=hidden, weight=weight, tokens=tokens, **optional)
    if hidden.dim() != 3 or not hidden.is_floating_point():
        msg = f"hidden: expected a float tensor [B, T, H], got {hidden.dtype} of shape {tuple(hidden.shape)}"
        raise ValueError(msg)
    expected = {
        "weight": (weight, (weight.shape[0] if weight.dim() else 0, hidden.shape[-1])),
        "tokens": (tokens, tuple(hidden.shape[:2])),
        "bias": (bias, tuple(weight.shape[:1])),
        "mask": (mask, tuple(hidden.shape[:2])),
    }
    for name, (tensor, shape) in expected.items():
        if tensor is not None and tuple(tensor.shape) != shape:
            msg = f"{name}: expected shape {shape}, got {tuple(tensor.shape)}"
            raise ValueError(msg)
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tensor.dtype != hidden.dtype:
            msg = f"{name}: expected {hidden.dtype} as in hidden, got {tensor.dtype}"
            raise TypeError(msg)
    check_ids(tokens)
    if mask is not None:
        check_mask(mask)
