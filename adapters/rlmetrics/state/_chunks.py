"""Vocabulary-sized tensors, a few rows at a time: extra memory is that of a chunk, not tokens times vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from ._inputs import as_float

SMALLEST_CHUNK = 1 << 18
"""How many elements of a vocabulary-sized tensor any chunk may have: 1 MiB in float32, which fits into caches."""

SMALLEST_LAUNCH = 1 << 20
"""The same on an accelerator, where a kernel's launch costs as much as half a million elements."""

LARGEST_CHUNK = 1 << 24
"""How many it has at most, however large the tensor."""

CHUNKS = 1 << 8
"""Into how many chunks a tensor between the two is cut. A chunk goes through about eight temporaries of its size."""

Rows = Callable[..., Tensor]


def in_chunks(function: Rows, *tensors: Tensor, mask: Tensor | None = None) -> Tensor:
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
    elements = _chunk_size(tensors[0])
    rows = max(1, elements // max(1, tensors[0].shape[-1]))
    keep = None if mask is None else mask.reshape(-1)
    if torch.is_grad_enabled() and any(tensor.requires_grad for tensor in flat):
        # The compiler cannot look into the function below; what it makes of checkpoints is as small.
        if torch.compiler.is_compiling():
            parts = [checkpoint(_apply, function, *chunk, use_reentrant=False) for chunk in _chunks(rows, keep, flat)]
            return torch.cat(parts).reshape(leading)
        result: Tensor = _InChunks.apply(function, rows, keep, *flat)  # type: ignore[no-untyped-call]
        return result.reshape(leading)
    return _forward(function, rows, keep, flat).reshape(leading)


def _chunk_size(x: Tensor) -> int:
    """Return how many elements a chunk of a tensor has."""
    if x.is_cpu:
        return min(max(x.numel() // (4 * CHUNKS), SMALLEST_CHUNK), LARGEST_CHUNK)
    return min(max(x.numel() // CHUNKS, SMALLEST_LAUNCH), LARGEST_CHUNK)


class _InChunks(Function):
    """Chunks whose gradients are written where they belong, instead of being collected and then joined."""

    @staticmethod
    def forward(ctx: Any, function: Rows, rows: int, keep: Tensor | None, *flat: Tensor) -> Tensor:
        ctx.function, ctx.rows = function, rows
        ctx.save_for_backward(keep, *flat)
        return _forward(function, rows, keep, flat)

    @staticmethod
    @once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, gradient: Tensor
    ) -> tuple[Tensor | None, ...]:
        keep, *flat = ctx.saved_tensors
        wanted = ctx.needs_input_grad[3:]
        gradients = [torch.zeros_like(tensor) if want else None for tensor, want in zip(flat, wanted, strict=True)]
        start = 0
        for kept, *chunk in _chunks(ctx.rows, keep, flat):
            stop = start + chunk[0].shape[0]
            leaves = [part.detach().requires_grad_(want) for part, want in zip(chunk, wanted, strict=True)]
            with torch.enable_grad():
                value = _apply(ctx.function, kept, *leaves)
            of_inputs = torch.autograd.grad(
                value, [leaf for leaf in leaves if leaf.requires_grad], gradient[start:stop], allow_unused=True
            )
            for whole, part in zip((one for one in gradients if one is not None), of_inputs, strict=True):
                if part is not None:
                    whole[start:stop] = part
            start = stop
        return (None, None, None, *gradients)


def _forward(function: Rows, rows: int, keep: Tensor | None, flat: Sequence[Tensor]) -> Tensor:
    """Return the results of all rows."""
    whole: Tensor | None = None
    start = 0
    for kept, *chunk in _chunks(rows, keep, flat):
        part = _apply(function, kept, *chunk)
        # Results of their own between the temporaries would keep malloc from using the memory of those again.
        whole = part.new_empty(flat[0].shape[0]) if whole is None else whole
        stop = start + part.shape[0]
        whole[start:stop] = part
        start = stop
    assert whole is not None
    return whole


def _chunks(rows: int, keep: Tensor | None, flat: Sequence[Tensor]) -> Iterator[tuple[Any, ...]]:
    """Yield the part of the mask, or None, and of each tensor for every chunk."""
    parts = [torch.split(tensor, rows) for tensor in flat]
    kept = [None] * len(parts[0]) if keep is None else torch.split(keep, rows)
    yield from zip(kept, *parts, strict=True)


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


def _apply(function: Rows, keep: Tensor | None, *chunk: Tensor) -> Tensor:
    return function(*(_row_values(tensor, keep) for tensor in chunk))


def _row_values(x: Tensor, keep: Tensor | None) -> Tensor:
    value = as_float(x) if x.is_floating_point() else x
    if keep is None:
        return value
    return value.masked_fill(~(keep.unsqueeze(-1) if value.dim() > 1 else keep), 0)
