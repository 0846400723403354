"""How verl reduces token losses to one number: ``loss_agg_mode``, on top of a metric's value for each response."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor

from .verl_rows import Reproduced
from .verl_scenario import Number, Scenario

GLOBAL = "+global_batch_info(dp_size=2,tokens=2x,gbs=2B)"
MODES = {
    "0.5.0": ("token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm"),
    "0.9.1": ("token-mean", "token-sum", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm"),
}
_WORDS = {
    "token-mean": "",
    "token-sum": "times the number of tokens",
    "seq-mean-token-sum": "of each response, times its tokens; mean over responses",
    "seq-mean-token-mean": "of each response; mean over responses",
    "seq-mean-token-sum-norm": "of each response, times its tokens; reduced over responses, over the width",
}


NONE: Mapping[str, Number] = MappingProxyType({})


@dataclass(frozen=True)
class Normalisation:
    """What the caller tells ``agg_loss`` about the global batch.

    Attributes:
        ranks: Number of data-parallel ranks; the global batch is as many times this one. None: it was told nothing.
        width: The divisor of seq-mean-token-sum-norm; None stands for the padded width.
    """

    ranks: int | None = None
    width: int | None = None


LOCAL = Normalisation()


def reduced(
    key: str,
    mode: str,
    prepare: Callable[[Scenario], Scenario] = lambda batch: batch,
    *,
    normalisation: Normalisation = LOCAL,
    how: str = "",
    parameters: Mapping[str, Number] = NONE,
) -> Reproduced:
    """Return the row of a loss under a ``loss_agg_mode``.

    Args:
        key: The metric, a mean over tokens.
        mode: The ``loss_agg_mode``.
        prepare: Replaces tensors of the batch first.
        normalisation: What ``agg_loss`` was told about the global batch.
        how: What ``prepare`` does, in words.
        parameters: Of the metric.
    """

    def value(batch: Scenario) -> float:
        batch = prepare(batch)
        if mode == "token-mean":
            mean = batch.compute(key, **parameters)
            # 0.5.0 adds 1e-8 to the number of tokens, which only shows where there are none.
            return batch.zero_if_empty(mean) if batch.release == "0.5.0" else mean
        means = batch.by_response(key, **parameters)
        return aggregate(mode, means, batch, normalisation)

    words = "; ".join(word for word in (_WORDS[mode], how) if word)
    return Reproduced(key, value, words, leaks=mode.startswith("seq"))


def aggregate(mode: str, means: Tensor, batch: Scenario, normalisation: Normalisation = LOCAL) -> float:
    """Reduce the means of the responses, NaN for those without tokens, as ``agg_loss`` of the batch's release does."""
    return float(aggregated(mode, means, batch, normalisation))


def aggregated(mode: str, means: Tensor, batch: Scenario, normalisation: Normalisation = LOCAL) -> Tensor:
    """Do what :func:`aggregate` does, and keep the gradient."""
    counts = batch.counts
    sums = torch.where(counts > 0, means * counts, 0)
    width = normalisation.width or batch.mask.shape[-1]
    ranks = normalisation.ranks or 1
    if mode == "token-mean":
        return sums.sum() / counts.sum()
    if mode == "token-sum":
        return sums.sum() * ranks
    if batch.release == "0.5.0":
        # Responses without tokens count: as 0 where sums are averaged, as 0/0 where means are.
        if mode == "seq-mean-token-mean":
            return means.mean()
        return sums.mean() if mode == "seq-mean-token-sum" else sums.sum() / width
    filled = (counts > 0).sum() if normalisation.ranks is None else len(counts)
    if mode == "seq-mean-token-mean":
        return torch.where(counts > 0, means, 0).sum() / filled
    mean = sums.sum() / filled
    return mean if mode == "seq-mean-token-sum" else mean / width
