"""From slot values to results. All values are float64."""

from __future__ import annotations

from math import inf, nan

import torch
from torch import Tensor


def or_nan(value: Tensor, *counts: Tensor) -> Tensor:
    """Return the value, or NaN if one of the counts is zero."""
    return unless_empty(value, nan, *counts)


def unless_empty(value: Tensor, otherwise: float, *counts: Tensor) -> Tensor:
    """Return the value, or ``otherwise`` if one of the counts is zero."""
    for number in counts:
        value = torch.where(number > 0, value, otherwise)
    return value


def mean_of(moments: Tensor) -> Tensor:
    """Return the mean that moments ``[3]`` hold; NaN over nothing."""
    return or_nan(moments[1], moments[0])


def variance(moments: Tensor, *, ddof: int) -> Tensor:
    """Return M2 / (count - ddof) of moments ``[3]``; NaN unless count exceeds ddof."""
    degrees = moments[0] - ddof
    return or_nan(moments[2] / degrees.clamp(min=1), degrees)


def standard_deviation(moments: Tensor, *, ddof: int) -> Tensor:
    """Return the root of the variance; its gradient is zero where the variance is."""
    return root(variance(moments, ddof=ddof))


def covariance(comoments: Tensor, *, ddof: int) -> Tensor:
    """Return C_xy / (count - ddof) of comoments ``[6]``; NaN unless count exceeds ddof."""
    degrees = comoments[0] - ddof
    return or_nan(comoments[5] / degrees.clamp(min=1), degrees)


def correlation(comoments: Tensor) -> Tensor:
    """Return Pearson's correlation of comoments ``[6]``; NaN where either side does not vary."""
    return comoments[5] / (torch.sqrt(comoments[3]) * torch.sqrt(comoments[4]))


def last_value(slot: Tensor) -> Tensor:
    """Return the value of a ``last`` slot; NaN if it has none."""
    return or_nan(slot[1], slot[0])


def value_at_max(slot: Tensor) -> Tensor:
    """Return the value beside the largest of an ``at_max`` slot; NaN if the largest is NaN or minus infinity."""
    return torch.where(slot[1] > -inf, slot[2], nan)


def quantile(values: Tensor, size: Tensor, *, level: float) -> Tensor:
    """Return a quantile of the last ``size`` of the sorted values ``[n]``; NaN if one is NaN, or there are none.

    Between two neighbours it is linearly interpolated.
    """
    if not values.numel():
        return size * nan
    ordered = values.sort().values
    place = ((size - 1) * level).clamp(min=0)
    below = place.floor()
    first = values.numel() - size + below
    low, high = ordered.gather(0, torch.stack([first, first + 1]).long().clamp(max=values.numel() - 1)).unbind()
    part = place - below
    between = torch.where(part == 0, low, low * (1 - part) + high * part)
    return or_nan(torch.where(ordered[-1].isnan(), nan, between), size)


def histogram_result(slot: Tensor) -> Tensor:
    """Return a ``bins`` slot with NaN for minimum and maximum if nothing was counted."""
    ends = slot[-2:]
    # Only an empty population leaves the minimum above the maximum.
    return torch.cat([slot[:-2], torch.where(ends[0] > ends[1], nan, ends)])


def root(variance: Tensor) -> Tensor:
    """Return the square root, with a gradient of zero (not infinity) at zero."""
    positive = variance > 0
    return torch.where(positive, torch.sqrt(torch.where(positive, variance, 1)), variance)
