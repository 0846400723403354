"""Log-probabilities and entropies of a linear head, forward and backward, without its logits.

With logits ``z``, their log-sum-exp ``L``, probabilities ``p = exp(z - L)`` and entropy ``E``, the gradients are
``d log p_t / d z_j = [j = t] - p_j`` and ``d E / d z_j = -p_j (z_j - L + E)``, so that a block of logits, computed
again, is all that the backward pass needs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from rlmetrics.state.ops import wide_dtype

_LOWEST = -1e4
"""Stands for anything further below the largest logit: its probability is 0 in every dtype, and 0 times it is 0."""


@dataclass(frozen=True)
class LogitShape:
    """What becomes of the products of hidden states and weights, and how many are computed at once.

    Attributes:
        scale: What they are multiplied by.
        cap: What the hyperbolic tangent holds them below, 0 for no such bound.
        temperature: What they are divided by at last.
        block: The number of rows and of words in a block.
    """

    scale: float
    cap: float
    temperature: float
    block: int

    def logits(self, products: Tensor) -> Tensor:
        """Return logits in place of their products."""
        if self.cap:
            return products.mul_(self.scale / self.cap).tanh_().mul_(self.cap / self.temperature)
        factor = self.scale / self.temperature
        return products.mul_(factor) if factor != 1 else products

    def slope(self, logits: Tensor) -> Tensor | float:
        """Return the derivative of logits with respect to their products."""
        if self.cap:
            return (logits * (self.temperature / self.cap)).square_().neg_().add_(1).mul_(self.scale / self.temperature)
        return self.scale / self.temperature


class Blocks(Function):
    """Log-probabilities, entropies, whether a token is the most likely one, and mean logits ``[N]`` of rows.

    Takes hidden ``[N, H]``, weight ``[V, H]``, bias ``[V]``, tokens and mask ``[N]``, and what shapes the logits. The
    last two results have no gradient.
    """

    @staticmethod
    def forward(
        ctx: Any,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        tokens: Tensor,
        keep: Tensor | None,
        shape: LogitShape,
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        head = _Head(hidden, weight, bias, tokens, keep, shape)
        dtype, wide = head.dtype, wide_dtype(hidden)
        log_probs = torch.empty(hidden.shape[0], dtype=dtype, device=hidden.device)
        entropies, means = torch.empty_like(log_probs), torch.empty_like(log_probs)
        top = torch.empty(hidden.shape[0], dtype=torch.bool, device=hidden.device)
        normalisers = torch.empty(hidden.shape[0], dtype=wide, device=hidden.device)
        for rows in _spans(hidden.shape[0], shape.block):
            log_probs[rows], entropies[rows], normalisers[rows], top[rows], means[rows] = _reduced(head, rows)
        ctx.shape = shape
        ctx.save_for_backward(hidden, weight, bias, tokens, keep, normalisers, entropies)
        ctx.mark_non_differentiable(top, means)
        return log_probs, entropies, top, means

    @staticmethod
    @once_differentiable
    def backward(  # pyright: ignore[reportIncompatibleMethodOverride]
        ctx: Any, of_log_probs: Tensor, of_entropies: Tensor, *_: Tensor
    ) -> tuple[Tensor | None, ...]:
        hidden, weight, bias, tokens, keep, normalisers, entropies = ctx.saved_tensors
        head = _Head(hidden, weight, bias, tokens, keep, ctx.shape)
        slopes = _Slopes(head, normalisers, entropies, of_log_probs, of_entropies)
        gradients = slopes.gradients(*ctx.needs_input_grad[:3])
        return (*gradients, None, None, None)


class _Head:
    """A linear head and what goes into it."""

    def __init__(
        self,
        hidden: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        tokens: Tensor,
        keep: Tensor | None,
        shape: LogitShape,
    ) -> None:
        self.hidden, self.weight, self.bias, self.tokens, self.keep = hidden, weight, bias, tokens, keep
        self.shape, self.block = shape, shape.block
        self.dtype = torch.promote_types(hidden.dtype, torch.float32)

    def states(self, rows: slice) -> Tensor:
        """Return some hidden states in the dtype of computation, 0 outside the mask."""
        states = self.hidden[rows].to(self.dtype)
        return states if self.keep is None else states.masked_fill(~self.keep[rows].unsqueeze(-1), 0)

    def words(self, columns: slice) -> Tensor:
        """Return some rows of the weight in the dtype of computation."""
        return self.weight[columns].to(self.dtype)

    def logits(self, states: Tensor, words: Tensor, columns: slice) -> Tensor:
        """Return a block of logits."""
        logits = states @ words.T
        if self.bias is not None:
            logits += self.bias[columns]
        return self.shape.logits(logits)

    def placed(self, rows: slice, columns: slice) -> tuple[Tensor, Tensor]:
        """Return the place of each row's token in a block, and whether it is there."""
        places = self.tokens[rows] - columns.start
        inside = (places >= 0) & (places < columns.stop - columns.start)
        return places.masked_fill(~inside, 0).unsqueeze(-1), inside


def _reduced(head: _Head, rows: slice) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
    """Return log-probability, entropy, log-sum-exp, whether the token leads, and mean logit of some rows.

    Sums follow the largest logit so far. Of equal logits that of the first word leads.
    """
    states = head.states(rows)
    wide = wide_dtype(states)
    largest = states.new_full((states.shape[0],), torch.finfo(states.dtype).min)
    total, weighted, chosen, added = (torch.zeros_like(largest, dtype=wide) for _ in range(4))
    leader = torch.zeros_like(largest, dtype=torch.int64)
    for columns in _spans(head.weight.shape[0], head.block):
        logits = head.logits(states, head.words(columns), columns)
        places, inside = head.placed(rows, columns)
        chosen = torch.where(inside, logits.gather(1, places).squeeze(-1).to(wide), chosen)
        added = added + logits.sum(1, dtype=wide)
        leading, place = logits.max(1)
        leader = torch.where(leading > largest, place + columns.start, leader)
        higher = torch.maximum(largest, leading)
        drop = (largest - higher).clamp(min=_LOWEST).to(wide)
        logits.sub_(higher.unsqueeze(-1)).clamp_(min=_LOWEST)
        exponentials = logits.exp()
        weighted = drop.exp() * (weighted + total * drop) + (logits.mul_(exponentials)).sum(1)
        total = drop.exp() * total + exponentials.sum(1)
        largest = higher
    normaliser = largest.to(wide) + total.log()
    mean = added * (head.shape.temperature / max(head.weight.shape[0], 1))
    return chosen - normaliser, total.log() - weighted / total, normaliser, leader == head.tokens[rows], mean


class _Slopes:
    """Gradients with respect to the logits, block by block, and what follows from them."""

    def __init__(
        self, head: _Head, normalisers: Tensor, entropies: Tensor, of_log_probs: Tensor, of_entropies: Tensor
    ) -> None:
        self.head, self.normalisers, self.entropies = head, normalisers, entropies
        self.of_log_probs, self.of_entropies = (
            slope if head.keep is None else slope.masked_fill(~head.keep, 0) for slope in (of_log_probs, of_entropies)
        )

    def gradients(self, hidden: bool, weight: bool, bias: bool) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """Return the gradients that are wanted of hidden states, weight and bias."""
        head = self.head
        of_hidden = torch.zeros_like(head.hidden) if hidden else None
        of_weight = torch.zeros_like(head.weight) if weight else None
        of_bias = torch.zeros_like(head.bias, dtype=head.dtype) if bias and head.bias is not None else None
        rows = list(_spans(head.hidden.shape[0], head.block))
        columns = list(_spans(head.weight.shape[0], head.block))
        if head.dtype == head.hidden.dtype:
            for some in rows:
                for words in columns:
                    self._add(some, words, _at(of_hidden, some), _at(of_weight, words), _at(of_bias, words))
        else:
            # Sums over blocks are kept in float32: first for some rows over all words, then the other way round.
            for some in rows if of_hidden is not None else ():
                part = torch.zeros_like(head.hidden[some], dtype=head.dtype)
                for words in columns:
                    self._add(some, words, part, None, None)
                _at(of_hidden, some).copy_(part)
            for words in columns if of_weight is not None or of_bias is not None else ():
                part = torch.zeros_like(head.weight[words], dtype=head.dtype)
                for some in rows:
                    self._add(some, words, None, part if of_weight is not None else None, _at(of_bias, words))
                if of_weight is not None:
                    of_weight[words] = part
        return of_hidden, of_weight, None if of_bias is None else of_bias.to(head.hidden.dtype)

    def _add(
        self, rows: slice, columns: slice, hidden: Tensor | None, weight: Tensor | None, bias: Tensor | None
    ) -> None:
        """Add what a block contributes to the gradients of its hidden states, its words and their biases."""
        states, words = self.head.states(rows), self.head.words(columns)
        slopes = self._of_logits(rows, columns, states, words)
        if hidden is not None:
            hidden.addmm_(slopes, words)
        if weight is not None:
            weight.addmm_(slopes.T, states)
        if bias is not None:
            bias.add_(slopes.sum(0))

    def _of_logits(self, rows: slice, columns: slice, states: Tensor, words: Tensor) -> Tensor:
        dtype = states.dtype
        of_log_probs, of_entropies = (
            slope[rows].to(dtype).unsqueeze(-1) for slope in (self.of_log_probs, self.of_entropies)
        )
        logits = self.head.logits(states, words, columns)
        slope = self.head.shape.slope(logits)
        logits.sub_(self.normalisers[rows].to(dtype).unsqueeze(-1)).clamp_(min=_LOWEST)
        probabilities = logits.exp()
        logits.add_(self.entropies[rows].unsqueeze(-1)).mul_(of_entropies).add_(of_log_probs)
        slopes = probabilities.mul_(logits).neg_()
        places, inside = self.head.placed(rows, columns)
        slopes.scatter_add_(1, places, of_log_probs * inside.unsqueeze(-1))
        return slopes.mul_(slope)


def _at(tensor: Tensor | None, span: slice) -> Any:
    return None if tensor is None else tensor[span]


def _spans(length: int, block: int) -> Iterator[slice]:
    for start in range(0, length, block):
        yield slice(start, min(start + block, length))
