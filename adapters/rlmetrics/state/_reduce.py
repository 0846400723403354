"""Reductions over a population to the values of slots."""

from __future__ import annotations

from math import inf

import torch
from torch import Tensor

from ._inputs import as_float, wide_dtype


def total(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the sum over the population, float64 ``[]``."""
    return _selected(x, over).sum(dtype=wide_dtype(x))


def count(condition: Tensor) -> Tensor:
    """Return how many elements of a boolean tensor are true, float64 ``[]``."""
    # Counted in integers, which takes a third of the time of a sum in float64.
    return condition.sum().to(wide_dtype(condition))


def number_of(x: Tensor) -> Tensor:
    """Return how many elements ``x`` has, float64 ``[]`` on its device."""
    return torch.full((), x.numel(), dtype=wide_dtype(x), device=x.device)


def smallest(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the minimum over the population, float64 ``[]``; infinity if it is empty. NaN propagates."""
    return _extreme(x, over, inf).amin().to(wide_dtype(x))


def largest(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the maximum over the population, float64 ``[]``; minus infinity if it is empty. NaN propagates."""
    return _extreme(x, over, -inf).amax().to(wide_dtype(x))


def moments(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return count, mean and sum of squared deviations from the mean (M2) over the population, float64 ``[3]``."""
    n, mean, deviation = _centred(x, over)
    return torch.stack([n, mean, deviation.square().sum()])


def comoments(x: Tensor, y: Tensor, over: Tensor | None = None) -> Tensor:
    """Return count, both means, both M2 and the sum of products of deviations, float64 ``[6]``."""
    n, mean_x, dx = _centred(x, over)
    _, mean_y, dy = _centred(y, over)
    return torch.stack([n, mean_x, mean_y, dx.square().sum(), dy.square().sum(), (dx * dy).sum()])


def histogram(x: Tensor, over: Tensor | None = None, *, low: float, high: float, bins: int) -> Tensor:
    """Count the population in ``bins`` bins of equal width; the last includes ``high``.

    Returns:
        float64 ``[bins + 4]``: the count below ``low``, the counts of the bins, the count above ``high``, then minimum
        and maximum. NaN falls in no bin, but makes minimum and maximum NaN.
    """
    value = x.detach().to(wide_dtype(x))
    place = ((value - low) / (high - low) * bins).floor().clamp(0, bins - 1) + 1
    place = torch.where(value < low, 0, torch.where(value > high, bins + 1, place))
    counted = ~value.isnan() if over is None else over & ~value.isnan()
    place = torch.where(counted, place, 0).long()
    counts = torch.zeros(bins + 2, dtype=value.dtype, device=value.device)
    counts = counts.scatter_add(0, place.flatten(), counted.to(value.dtype).flatten())
    ends = torch.stack([smallest(value, over), largest(value, over)])
    return torch.cat([counts, ends])


def at_max(x: Tensor, by: Tensor, over: Tensor | None = None) -> Tensor:
    """Return the population's size, its largest ``by``, and ``x`` beside the first of the largest, float64 ``[3]``.

    A NaN in ``by`` counts as the largest. Over nothing, the largest is minus infinity, and 0 is beside it.
    """
    n = number_of(by) if over is None else count(over)
    if not by.numel():
        return torch.stack([n, torch.full_like(n, -inf), torch.zeros_like(n)])
    keys = (by if over is None else torch.where(over, by, -inf)).flatten()
    place = keys.argmax().view(1)
    largest, beside = keys.gather(0, place).to(n.dtype), x.flatten().gather(0, place).to(n.dtype)
    return torch.cat([n.view(1), largest, torch.where(largest > -inf, beside, 0)])


def kept(x: Tensor, over: Tensor | None = None) -> Tensor:
    """Return all values ``[n]``; outside the population minus infinity, which no count of the population reaches."""
    value = as_float(x)
    return (value if over is None else torch.where(over, value, -inf)).flatten()


def last(x: Tensor) -> Tensor:
    """Return a scalar as the value of a ``last`` slot: (1, value), float64 ``[2]``."""
    value = x.to(wide_dtype(x)).reshape(())
    return torch.stack([torch.ones_like(value), value])


def _selected(x: Tensor, over: Tensor | None) -> Tensor:
    return x if over is None else torch.where(over, x, 0)


def _extreme(x: Tensor, over: Tensor | None, identity: float) -> Tensor:
    selected = x if over is None else torch.where(over, x, identity)
    if selected.numel() == 0:
        return torch.full((1,), identity, dtype=wide_dtype(x), device=x.device)
    return selected


def _centred(x: Tensor, over: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Return count, mean and the deviations from the mean, zero outside the population."""
    value = x.to(wide_dtype(x))
    n = number_of(x) if over is None else count(over)
    mean = _selected(value, over).sum() / n.clamp(min=1)
    return n, mean, _selected(value - mean, over)
