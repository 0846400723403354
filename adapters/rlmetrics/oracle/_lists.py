"""Statistics of lists of numbers, by definition: every pass over the data is written out."""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = [
    "at_greatest",
    "correlation",
    "covariance",
    "entropy",
    "greatest",
    "histogram",
    "log_softmax",
    "logsumexp",
    "mean",
    "quantile",
    "smallest",
    "total",
    "variance",
]


def total(xs: Sequence[float]) -> float:
    """Return the sum."""
    result = 0.0
    for x in xs:
        result += x
    return result


def mean(xs: Sequence[float]) -> float:
    """Return the mean; NaN of nothing."""
    return total(xs) / len(xs) if xs else math.nan


def covariance(xs: Sequence[float], ys: Sequence[float], ddof: int) -> float:
    """Return the covariance in two passes; NaN unless there are more than ``ddof`` pairs."""
    if len(xs) <= ddof:
        return math.nan
    mean_x, mean_y = mean(xs), mean(ys)
    return total([(x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)]) / (len(xs) - ddof)


def variance(xs: Sequence[float], ddof: int) -> float:
    """Return the variance in two passes; NaN unless there are more than ``ddof`` numbers."""
    return covariance(xs, xs, ddof)


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float:
    """Return Pearson's correlation; NaN where either side does not vary."""
    spread = math.sqrt(variance(xs, 0)) * math.sqrt(variance(ys, 0)) if xs else 0.0
    return covariance(xs, ys, 0) / spread if spread else math.nan


def smallest(xs: Sequence[float]) -> float:
    """Return the minimum; NaN of nothing and where there is any."""
    return min(xs) if xs and not any(map(math.isnan, xs)) else math.nan


def greatest(xs: Sequence[float]) -> float:
    """Return the maximum; NaN of nothing and where there is any."""
    return max(xs) if xs and not any(map(math.isnan, xs)) else math.nan


def at_greatest(xs: Sequence[float], by: Sequence[float]) -> float:
    """Return what stands beside the first of the greatest; NaN of nothing, and where what is compared is NaN."""
    top, beside = -math.inf, math.nan
    for x, key in zip(xs, by, strict=True):
        if math.isnan(key):
            return math.nan
        if key > top:
            top, beside = key, x
    return beside


def quantile(xs: Sequence[float], level: float) -> float:
    """Return the quantile of a level, linearly interpolated between neighbours; NaN propagates."""
    if not xs or any(map(math.isnan, xs)):
        return math.nan
    ordered = sorted(xs)
    part, place = math.modf((len(xs) - 1) * level)
    low = ordered[int(place)]
    return low * (1 - part) + ordered[int(place) + 1] * part if part else low


def histogram(xs: Sequence[float], low: float, high: float, bins: int) -> dict[str, float | list[float]]:
    """Return the counts (below, bins, above) with minimum and maximum; NaN is counted nowhere."""
    counts = [0.0] * (bins + 2)
    for x in xs:
        if x < low:
            counts[0] += 1
        elif x > high:
            counts[-1] += 1
        elif x == x:
            counts[1 + min(int((x - low) / (high - low) * bins), bins - 1)] += 1
    return {"counts": counts, "min": smallest(xs), "max": greatest(xs)}


def logsumexp(xs: Sequence[float]) -> float:
    """Return the logarithm of the sum of exponentials."""
    top = max(xs)
    if math.isinf(top):
        return top
    return top + math.log(total([math.exp(x - top) for x in xs]))


def log_softmax(xs: Sequence[float]) -> list[float]:
    """Return the logarithms of the softmax."""
    norm = logsumexp(xs)
    return [x - norm for x in xs]


def entropy(xs: Sequence[float]) -> float:
    """Return the entropy in nats of the softmax; what has no probability adds nothing."""
    return -total([math.exp(x) * x for x in log_softmax(xs) if x > -math.inf])
