"""From logits whose vocabulary is split over ranks, as tensor-parallel heads leave them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from rlmetrics.state.ops import wide_dtype

from ._logits import check_logits

_CHUNK = 1 << 20
"""Logits that are computed with at once."""


def parallel_log_prob_entropy(
    logits: Tensor,
    tokens: Tensor,
    *,
    group: dist.ProcessGroup | None = None,
    mask: Tensor | None = None,
    temperature: float = 1.0,
    first_word: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Return log-probabilities and entropies from logits whose words are split over the ranks of a group.

    Two all-reduces of token-sized tensors in the forward pass, none in the backward pass, where each rank gets the
    gradient of its own words; losses, and so the gradients of the results, must be the same on all ranks of the group.

    Args:
        logits: The logits of this rank's words ``[B, T, V / ranks]``, float.
        tokens: Token ids ``[B, T]``, int, of the whole vocabulary; equal on all ranks.
        group: The process group over which words are split; the default group if left out.
        mask: Which places count ``[B, T]``, bool or int; the others are computed as if their logits were 0 and their
            token 0, so that padding may hold anything, and get no gradient.
        temperature: What the logits are divided by, above 0.
        first_word: The id of this rank's first word; ranks hold equally many words in their order if left out.

    Returns:
        Log-probabilities and entropies in nats ``[B, T]``, float32 or the wider dtype of the logits, equal everywhere.

    Raises:
        TypeError: A tensor has the wrong dtype, or is none.
        ValueError: The shapes do not fit, ``temperature`` is not above 0, or there is no process group.
    """
    check_logits(logits, tokens=tokens, **({} if mask is None else {"mask": mask}))
    if not temperature > 0:
        msg = f"temperature: expected a number above 0, got {temperature}"
        raise ValueError(msg)
    if not (dist.is_available() and dist.is_initialized()):
        msg = "group: expected an initialised process group, got none; logprobs.log_prob takes whole logits"
        raise ValueError(msg)
    start = dist.get_rank(group) * logits.shape[-1] if first_word is None else first_word
    keep = None if mask is None else mask.reshape(-1).bool()
    words = tokens.reshape(-1)
    words = words if keep is None else words.masked_fill(~keep, 0)
    rows = logits.reshape(-1, logits.shape[-1])
    statistics = _Sharded.apply(rows, words, keep, group, start, 1.0 / temperature)  # type: ignore[no-untyped-call]
    log_probs, entropies = (one.reshape(tokens.shape) for one in statistics)
    return log_probs, entropies


class _Sharded(Function):
    """Log-probabilities and entropies ``[N]`` of rows of which this rank has some words."""

    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        tokens: Tensor,
        keep: Tensor | None,
        group: dist.ProcessGroup | None,
        start: int,
        scale: float,
    ) -> tuple[Tensor, Tensor]:
        dtype, wide = torch.promote_types(logits.dtype, torch.float32), wide_dtype(logits)
        number = logits.shape[0]
        largest = torch.empty(number, dtype=dtype, device=logits.device)
        for rows in _chunks(logits):
            largest[rows] = _scaled(logits, keep, rows, scale).amax(-1)
        dist.all_reduce(largest, dist.ReduceOp.MAX, group=group)
        sums = torch.empty(3, number, dtype=wide, device=logits.device)
        for rows in _chunks(logits):
            some = _scaled(logits, keep, rows, scale) - largest[rows].unsqueeze(-1)
            places, inside = _placed(tokens[rows], start, logits.shape[1])
            powers = some.exp()
            sums[0, rows] = powers.sum(-1, dtype=wide)
            # Minus infinity has no weight, and 0 times it would be NaN.
            sums[1, rows] = torch.where(powers > 0, some * powers, 0).sum(-1, dtype=wide)
            sums[2, rows] = torch.where(inside, some.gather(1, places).squeeze(-1), 0).to(wide)
        dist.all_reduce(sums, group=group)
        total, weighted, chosen = sums
        log_probs, entropies = (chosen - total.log()).to(dtype), (total.log() - weighted / total).to(dtype)
        ctx.save_for_backward(logits, tokens, keep, largest.to(wide) + total.log(), entropies)
        ctx.start, ctx.scale = start, scale
        return log_probs, entropies

    @staticmethod
    @once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, of_log_probs: Tensor, of_entropies: Tensor
    ) -> tuple[Tensor | None, ...]:
        logits, tokens, keep, normalisers, entropies = ctx.saved_tensors
        gradient = torch.empty_like(logits)
        for rows in _chunks(logits):
            some = _scaled(logits, keep, rows, ctx.scale)
            some = some - normalisers[rows].to(some.dtype).unsqueeze(-1)
            powers = some.exp()
            of_log_prob, of_entropy = of_log_probs[rows].unsqueeze(-1), of_entropies[rows].unsqueeze(-1)
            surprise = torch.where(powers > 0, some, 0) + entropies[rows].unsqueeze(-1)
            slopes = -powers * (of_log_prob + of_entropy * surprise)
            places, inside = _placed(tokens[rows], ctx.start, logits.shape[1])
            slopes.scatter_add_(1, places, (of_log_prob * inside.unsqueeze(-1)).to(slopes.dtype))
            slopes = slopes.mul_(ctx.scale)
            gradient[rows] = slopes if keep is None else slopes.masked_fill(~keep[rows].unsqueeze(-1), 0)
        return gradient, None, None, None, None, None


def _scaled(logits: Tensor, keep: Tensor | None, rows: slice, scale: float) -> Tensor:
    some = logits[rows].to(torch.promote_types(logits.dtype, torch.float32)) * scale
    return some if keep is None else some.masked_fill(~keep[rows].unsqueeze(-1), 0)


def _placed(tokens: Tensor, start: int, words: int) -> tuple[Tensor, Tensor]:
    """Return the place of each row's token among this rank's words, and whether it is there."""
    places = tokens - start
    inside = (places >= 0) & (places < words)
    return places.masked_fill(~inside, 0).unsqueeze(-1), inside


def _chunks(logits: Tensor) -> Iterator[slice]:
    step = max(1, _CHUNK // max(1, logits.shape[1]))
    for first in range(0, logits.shape[0], step):
        yield slice(first, min(first + step, logits.shape[0]))
