"""Vocabulary-sized tensors, a few rows at a time: extra memory is that of a chunk, not tokens times vocabulary."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from ._inputs import as_float

CHUNK_ELEMENTS = 1 << 24
"""How many elements of a vocabulary-sized tensor one chunk has at most: 64 MiB in float32."""


def in_chunks(function: Callable[..., Tensor], *tensors: Tensor, mask: Tensor | None = None) -> Tensor:
    """Apply a function of rows to the leading dimensions of its arguments, chunk by chunk.

    Args:
        function: Takes a chunk of each tensor, ``[n, V]`` or ``[n]``, and returns ``[n]``. Where a gradient is needed
            it runs again in the backward pass, instead of keeping what it computed.
        tensors: Vocab ``[…, V]`` first, then vocab or token ``[…]`` tensors with the same leading dimensions.
        mask: Where given, rows where it is false are computed on zeros, so that garbage in padding does no harm.

    Returns:
        The results with the leading dimensions of the first tensor.
    """
    leading = tensors[0].shape[:-1]
    flat = [tensor.reshape(-1, *tensor.shape[len(leading) :]) for tensor in tensors]
    rows = max(1, CHUNK_ELEMENTS // max(1, tensors[0].shape[-1]))
    keep = None if mask is None else torch.split(mask.reshape(-1), rows)
    parts = []
    for number, chunk in enumerate(zip(*(torch.split(tensor, rows) for tensor in flat), strict=True)):
        kept = None if keep is None else keep[number]
        if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in chunk):
            parts.append(checkpoint(_apply, function, kept, *chunk, use_reentrant=False))
        else:
            parts.append(_apply(function, kept, *chunk))
    return torch.cat(parts).reshape(leading)


def entropy(logits: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return the entropy in nats of the distribution that logits ``[B, T, V]`` stand for, ``[B, T]``."""
    return in_chunks(row_entropy, logits, mask=mask)


def logsumexp(x: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return the logarithm of the sum of exponentials over the vocabulary, ``[B, T]``."""
    return in_chunks(_row_logsumexp, x, mask=mask)


def log_prob(logits: Tensor, tokens: Tensor, mask: Tensor | None = None) -> Tensor:
    """Return the log-probability in nats of each token ``[B, T]`` under logits ``[B, T, V]``."""
    return in_chunks(row_log_prob, logits, tokens, mask=mask)


def argmax_equals(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return where the token is the most likely one (the first of several), bool ``[B, T]``."""
    return logits.argmax(-1) == tokens


def row_entropy(logits: Tensor) -> Tensor:
    """Return the entropy in nats of each row of logits ``[n, V]``; a logit of minus infinity adds nothing."""
    log_probs = torch.log_softmax(logits, -1)
    probs = log_probs.exp()
    return -(probs * torch.where(probs > 0, log_probs, 0)).sum(-1)


def row_log_prob(logits: Tensor, tokens: Tensor) -> Tensor:
    """Return the log-probability of the token of each row, ``[n]``."""
    return logits.gather(-1, tokens.unsqueeze(-1)).squeeze(-1) - torch.logsumexp(logits, -1)


def _row_logsumexp(x: Tensor) -> Tensor:
    return torch.logsumexp(x, -1)


def _apply(function: Callable[..., Tensor], keep: Tensor | None, *chunk: Tensor) -> Tensor:
    return function(*(_row_values(tensor, keep) for tensor in chunk))


def _row_values(x: Tensor, keep: Tensor | None) -> Tensor:
    value = as_float(x) if x.is_floating_point() else x
    if keep is None:
        return value
    return value.masked_fill(~(keep.unsqueeze(-1) if value.dim() > 1 else keep), 0)
