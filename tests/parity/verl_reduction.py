"""How the values of tokens or responses become one number, as the signature of a key says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import torch
from torch import Tensor

from .quantities import Quantity
from .verl_records import records
from .verl_rows import Explained, Reproduced, Row
from .verl_scenario import Number, Scenario

GLOBAL = "+global_batch_info(dp_size=2,tokens=2x,gbs=2B)"
MODES = {
    "0.5.0": ("token-mean", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm"),
    "0.9.1": ("token-mean", "token-sum", "seq-mean-token-sum", "seq-mean-token-mean", "seq-mean-token-sum-norm"),
}
"""What ``agg_loss`` was called with in each release."""

PLACEHOLDER = Explained("a constant 0 in the code of this loss, computed from nothing", constant=0.0)
NO_PARAMETERS: Mapping[str, Number] = MappingProxyType({})


@dataclass(frozen=True)
class Normalisation:
    """What the caller tells ``agg_loss`` about the global batch, of which the recorded one is one rank's share.

    Attributes:
        ranks: The number of data-parallel ranks.
        whole: Whether it is told the size of the global batch, as workers do; without it, only responses with tokens
            are counted.
    """

    ranks: int = 1
    whole: bool = True


WORKERS = Normalisation()


@cache
def plain(release: str) -> Normalisation:
    """Return what a call stands for that says nothing about the global batch; 0.5.0 cannot say anything about it."""
    return Normalisation(whole=not any(output.endswith("gbs=2B)|actor/pg_loss") for _, output in records(release)))


def row(
    quantity: Quantity,
    parameters: Mapping[str, Number] = NO_PARAMETERS,
    prepare: Callable[[Scenario], Scenario] = lambda batch: batch,
    *,
    normalisation: Normalisation = WORKERS,
    how: str = "",
    leaks: bool = False,
) -> Row:
    """Return the row of a number that is computed as its release logs it.

    Args:
        quantity: What the spec says about its key.
        parameters: Of the function, where settings do not say them.
        prepare: Replaces tensors of the batch first.
        normalisation: What ``agg_loss`` was told about the global batch.
        how: What ``prepare`` does, in words.
        leaks: Whether verl's value may be NaN where padding holds NaN.
    """
    if quantity.recipe.constant is not None:
        return PLACEHOLDER

    def value(batch: Scenario) -> float:
        return float(logged(quantity, prepare(batch), parameters, normalisation))

    text = "; ".join(word for word in (words(quantity), how) if word)
    return Reproduced(quantity.function, value, text, leaks=leaks)


def logged(
    quantity: Quantity,
    batch: Scenario,
    parameters: Mapping[str, Number] = NO_PARAMETERS,
    normalisation: Normalisation = WORKERS,
) -> Tensor:
    """Return the number that is logged for the global batch of which the recorded one is a rank's share."""
    tensors = dict(batch.tensors)
    if not normalisation.whole and quantity.recipe.rows is not None:
        # Without the size of the global batch only responses with tokens are there for verl.
        filled = batch.mask.any(-1)
        tensors = {name: tensor[filled] if len(tensor) == len(filled) else tensor for name, tensor in tensors.items()}
    whole = {name: torch.cat([tensor] * normalisation.ranks) for name, tensor in tensors.items()}
    return quantity.by_function(whole, None, **parameters)


def words(quantity: Quantity) -> str:
    """Return how the values of tokens and responses are reduced, in words."""
    operations = quantity.recipe.rows or ("pool", "pool")
    if operations == ("sum", "sum") and quantity.recipe.scale == 1:
        return "times the number of tokens"
    text = {
        ("sum", "sum"): "of each response, times its tokens; sum over responses",
        ("sum", "mean"): "of each response, times its tokens; mean over responses",
        ("mean", "mean"): "of each response; mean over responses",
        ("pool", "pool"): "",
    }[operations]
    scaled = quantity.recipe.scale != 1 or any(quantity.recipe.named("scale"))
    return f"{text}, over the width" if scaled else text
