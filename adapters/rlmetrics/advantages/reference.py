"""The estimators once more, standard library only: lists of numbers, one token after the other, by definition.

Nothing is shared with the estimators themselves, so that a mistake in one of the two shows. Slow on purpose.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

__all__ = ["best_of_group", "discounted_returns", "gae", "group_relative", "leave_one_out", "per_token", "whiten"]

Row = Sequence[float]
Rows = Sequence[Row]
Mask = Sequence[Sequence[bool]]


def gae(
    token_rewards: Rows, values: Rows, mask: Mask, *, gamma: float, lam: float, whiten: bool = False
) -> tuple[list[list[float]], list[list[float]]]:
    """Recompute :func:`rlmetrics.advantages.gae`: each advantage as the weighted sum of the errors after it."""
    advantages, returns = [], []
    for rewards, row, keep in zip(token_rewards, values, mask, strict=True):
        places = [place for place, kept in enumerate(keep) if kept]
        following = {place: row[later] for place, later in pairwise(places)}
        errors = [rewards[place] + gamma * following.get(place, 0.0) - row[place] for place in places]
        by_place = {
            place: math.fsum((gamma * lam) ** ahead * error for ahead, error in enumerate(errors[start:]))
            for start, place in enumerate(places)
        }
        advantages.append([by_place.get(place, 0.0) for place in range(len(row))])
        returns.append([by_place[place] + row[place] if place in by_place else 0.0 for place in range(len(row))])
    return (_whitened(advantages, mask) if whiten else advantages), returns


def discounted_returns(token_rewards: Rows, mask: Mask, *, gamma: float = 1.0) -> list[list[float]]:
    """Recompute :func:`rlmetrics.advantages.discounted_returns`."""
    result = []
    for rewards, keep in zip(token_rewards, mask, strict=True):
        places = [place for place, kept in enumerate(keep) if kept]
        row = [0.0] * len(keep)
        for start, place in enumerate(places):
            row[place] = math.fsum(gamma**ahead * rewards[later] for ahead, later in enumerate(places[start:]))
        result.append(row)
    return result


def group_relative(
    rewards: Row,
    group_ids: Sequence[int],
    *,
    std: str = "group",
    ddof: int = 1,
    epsilon: float = 1e-4,
    alone: str = "zero",
    lengths: Sequence[int] | None = None,
) -> list[float]:
    """Recompute :func:`rlmetrics.advantages.group_relative`."""
    result = []
    for reward, group in zip(rewards, group_ids, strict=True):
        members = [other for other, theirs in zip(rewards, group_ids, strict=True) if theirs == group]
        weights = [
            length for length, theirs in zip(lengths or [1] * len(rewards), group_ids, strict=True) if theirs == group
        ]
        lonely = len(members) == 1
        weighted = math.fsum(map(math.prod, zip(members, weights, strict=True)))
        mean = weighted / sum(weights) if any(weights) else statistics.fmean(members)
        centre = 0.0 if lonely and alone == "reward" else mean
        divisor = 1.0
        if std == "batch":
            divisor = _spread(rewards, ddof) + epsilon
        elif std == "group":
            divisor = (1.0 if lonely else _spread(members, ddof)) + epsilon
        result.append((reward - centre) / divisor)
    return result


def best_of_group(
    rewards: Row, group_ids: Sequence[int], *, std: str = "group", ddof: int = 1, epsilon: float = 1e-6
) -> list[float]:
    """Recompute :func:`rlmetrics.advantages.best_of_group`: the places of a group in order of their rewards."""
    result = [0.0] * len(rewards)
    for group in set(group_ids):
        places = [place for place, theirs in enumerate(group_ids) if theirs == group]
        best, *others = sorted(places, key=lambda place: (-rewards[place], place))
        if others:
            spread = _spread(rewards if std == "batch" else [rewards[place] for place in places], ddof)
            divisor = 1.0 if std == "none" else spread + epsilon
            result[best] = (rewards[best] - rewards[others[0]]) / divisor
    return result


def leave_one_out(rewards: Row, group_ids: Sequence[int], *, alone: str = "zero") -> list[float]:
    """Recompute :func:`rlmetrics.advantages.leave_one_out`: the others are averaged, one response at a time."""
    result = []
    for index, (reward, group) in enumerate(zip(rewards, group_ids, strict=True)):
        others = [
            other
            for elsewhere, (other, theirs) in enumerate(zip(rewards, group_ids, strict=True))
            if theirs == group and elsewhere != index
        ]
        if others:
            result.append(float(Fraction(reward) - sum(map(Fraction, others)) / len(others)))
        else:
            result.append(reward if alone == "reward" else 0.0)
    return result


def whiten(
    advantages: Rows, mask: Mask, *, ddof: int = 1, epsilon: float = 1e-8, shift_mean: bool = True
) -> list[list[float]]:
    """Recompute :func:`rlmetrics.advantages.whiten`."""
    return _whitened(advantages, mask, ddof, epsilon, shift_mean)


def per_token(sequence_advantages: Row, mask: Mask) -> list[list[float]]:
    """Recompute :func:`rlmetrics.advantages.per_token`."""
    return [
        [advantage if kept else 0.0 for kept in keep] for advantage, keep in zip(sequence_advantages, mask, strict=True)
    ]


def _whitened(
    rows: Rows, mask: Mask, ddof: int = 1, epsilon: float = 1e-8, shift_mean: bool = True
) -> list[list[float]]:
    chosen = [
        value for row, keep in zip(rows, mask, strict=True) for value, kept in zip(row, keep, strict=True) if kept
    ]
    centre = statistics.fmean(chosen) if chosen else 0.0
    scale = math.sqrt(_spread(chosen, ddof) ** 2 + epsilon)
    shift = 0.0 if shift_mean else centre
    return [
        [(value - centre) / scale + shift if kept else 0.0 for value, kept in zip(row, keep, strict=True)]
        for row, keep in zip(rows, mask, strict=True)
    ]


def _spread(values: Row, ddof: int) -> float:
    if not values:
        return 0.0
    centre = statistics.fmean(values)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in values) / max(1, len(values) - ddof))
