"""References of the hand-written functions: standard library only, by definition, sharing nothing with them.

NumPy's legacy generator is the Mersenne Twister MT19937 of Matsumoto and Nishimura (1998), seeded by their
``init_genrand``; a bounded draw masks 32 random bits and tries again while the result is too large. Both are written
out here, so that the draws are checked too.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = [
    "aot",
    "aot_unpaired",
    "best_of_n_mean",
    "best_of_n_std",
    "kto_pair",
    "majority_of_n_mean",
    "majority_of_n_std",
    "mean_absolute_violation",
    "pass_at_k",
    "pass_power_k",
    "slow_rank_share",
    "worst_of_n_mean",
    "worst_of_n_std",
]


def pass_at_k(solved: Any, group_ids: Any, k: float) -> float:
    """Recompute :func:`rlmetrics.handwritten.passing.pass_at_k`: 1 minus the chance that all chosen are wrong."""
    return 1 - _over_chances(~solved, group_ids, int(k))


def pass_power_k(solved: Any, group_ids: Any, k: float) -> float:
    """Recompute :func:`rlmetrics.handwritten.passing.pass_power_k`."""
    return _over_chances(solved, group_ids, int(k))


def _over_chances(marked: Any, group_ids: Any, k: int) -> float:
    """Average over prompts the chance that k chosen samples are all marked, by counting choices."""
    prompts: dict[int, list[bool]] = {}
    for mark, prompt in zip(marked.tolist(), group_ids.tolist(), strict=True):
        prompts.setdefault(prompt, []).append(bool(mark))
    if not prompts or any(len(marks) < k for marks in prompts.values()):
        return math.nan
    return statistics.fmean(math.comb(sum(marks), k) / math.comb(len(marks), k) for marks in prompts.values())


def best_of_n_mean(sample_values: Any, group_ids: Any, n: float, resamples: float, seed: float) -> float:
    """Recompute :func:`rlmetrics.handwritten.validation.best_of_n_mean`."""
    return _bootstrap(_largest, statistics.fmean, [sample_values, group_ids], n, resamples, seed)


def best_of_n_std(sample_values: Any, group_ids: Any, n: float, resamples: float, seed: float) -> float:
    """Recompute :func:`rlmetrics.handwritten.validation.best_of_n_std`."""
    return _bootstrap(_largest, statistics.pstdev, [sample_values, group_ids], n, resamples, seed)


def worst_of_n_mean(sample_values: Any, group_ids: Any, n: float, resamples: float, seed: float) -> float:
    """Recompute :func:`rlmetrics.handwritten.validation.worst_of_n_mean`."""
    return _bootstrap(_smallest, statistics.fmean, [sample_values, group_ids], n, resamples, seed)


def worst_of_n_std(sample_values: Any, group_ids: Any, n: float, resamples: float, seed: float) -> float:
    """Recompute :func:`rlmetrics.handwritten.validation.worst_of_n_std`."""
    return _bootstrap(_smallest, statistics.pstdev, [sample_values, group_ids], n, resamples, seed)


def majority_of_n_mean(
    sample_values: Any, answers: Any, group_ids: Any, n: float, resamples: float, seed: float
) -> float:
    """Recompute :func:`rlmetrics.handwritten.validation.majority_of_n_mean`."""
    return _bootstrap(_voted, statistics.fmean, [sample_values, answers, group_ids], n, resamples, seed)


def majority_of_n_std(
    sample_values: Any, answers: Any, group_ids: Any, n: float, resamples: float, seed: float
) -> float:
    """Recompute :func:`rlmetrics.handwritten.validation.majority_of_n_std`."""
    return _bootstrap(_voted, statistics.pstdev, [sample_values, answers, group_ids], n, resamples, seed)


def aot(
    chosen_logprobs: Any,
    rejected_logprobs: Any,
    ref_chosen_logprobs: Any,
    ref_rejected_logprobs: Any,
    beta: float,
    label_smoothing: float,
) -> float:
    """Recompute :func:`rlmetrics.handwritten.preference.aot`."""
    policy, reference = _gaps(chosen_logprobs, rejected_logprobs), _gaps(ref_chosen_logprobs, ref_rejected_logprobs)
    return _mean(
        [_smoothed(beta * (x - y), label_smoothing) for x, y in zip(sorted(policy), sorted(reference), strict=True)]
    )


def aot_unpaired(
    chosen_logprobs: Any,
    rejected_logprobs: Any,
    ref_chosen_logprobs: Any,
    ref_rejected_logprobs: Any,
    beta: float,
    label_smoothing: float,
) -> float:
    """Recompute :func:`rlmetrics.handwritten.preference.aot_unpaired`."""
    preferred, other = _gaps(chosen_logprobs, ref_chosen_logprobs), _gaps(rejected_logprobs, ref_rejected_logprobs)
    return _mean(
        [_smoothed(beta * (x - y), label_smoothing) for x, y in zip(sorted(preferred), sorted(other), strict=True)]
    )


def kto_pair(
    chosen_logprobs: Any,
    rejected_logprobs: Any,
    ref_chosen_logprobs: Any,
    ref_rejected_logprobs: Any,
    beta: float,
) -> float:
    """Recompute :func:`rlmetrics.handwritten.preference.kto_pair`."""
    preferred, other = _gaps(chosen_logprobs, ref_chosen_logprobs), _gaps(rejected_logprobs, ref_rejected_logprobs)
    if not preferred:
        return math.nan
    baseline, other_baseline = max(_mean(preferred), 0.0), max(_mean(other), 0.0)
    terms = [1 - _sigmoid(beta * (x - other_baseline)) for x in preferred]
    terms += [1 - _sigmoid(beta * (baseline - y)) for y in other]
    return _mean(terms)


def mean_absolute_violation(expert_assignments: Any) -> float:
    """Recompute :func:`rlmetrics.handwritten.balance.mean_absolute_violation`."""
    loads = _numbers(expert_assignments)
    if not sum(loads):
        return math.nan
    mean = sum(loads) / len(loads)
    return sum(abs(load - mean) for load in loads) / mean / len(loads)


def slow_rank_share(rank_values: Any) -> float:
    """Recompute :func:`rlmetrics.handwritten.stragglers.slow_rank_share`."""
    times = sorted(_numbers(rank_values))
    if not times or any(map(math.isnan, times)):
        return math.nan
    part, place = math.modf(0.9 * (len(times) - 1))
    low, high = times[int(place)], times[min(int(place) + 1, len(times) - 1)]
    limit = low + part * (high - low)
    return sum(time > limit for time in times) / len(times)


Row = tuple[float, ...]


def _bootstrap(
    choose: Callable[[Sequence[Row]], float],
    reduce: Callable[[list[float]], float],
    inputs: Sequence[Any],
    n: float,
    resamples: float,
    seed: float,
) -> float:
    prompts: dict[float, list[Row]] = {}
    for *sample, group in zip(*(_numbers(values) for values in inputs), strict=True):
        prompts.setdefault(group, []).append(tuple(sample))
    results = []
    for samples in prompts.values():
        draws = _draws(int(seed), len(samples))
        subsets = ([samples[next(draws)] for _ in range(int(n))] for _ in range(int(resamples)))
        results.append(reduce([choose(subset) for subset in subsets]))
    return statistics.fmean(results) if results else math.nan


def _largest(subset: Sequence[Row]) -> float:
    return max(value for (value,) in subset)


def _smallest(subset: Sequence[Row]) -> float:
    return min(value for (value,) in subset)


def _voted(subset: Sequence[Row]) -> float:
    # Counter keeps the order of first appearance, and most_common is stable.
    winner, _ = Counter(answer for _, answer in subset).most_common(1)[0]
    return next(value for value, answer in subset if answer == winner)


def _numbers(values: Any) -> list[float]:
    return [float(value) for value in (values.tolist() if hasattr(values, "tolist") else values)]


def _gaps(left: Any, right: Any) -> list[float]:
    return [x - y for x, y in zip(_numbers(left), _numbers(right), strict=True)]


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def _smoothed(margin: float, label_smoothing: float) -> float:
    return (1 - label_smoothing) * _softplus(-margin) + label_smoothing * _softplus(margin)


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _draws(seed: int, size: int) -> Iterator[int]:
    """Yield indices below ``size`` as ``numpy.random.RandomState(seed).choice(size, …)`` draws them."""
    mask = (1 << (size - 1).bit_length()) - 1
    bits = _mersenne_twister(seed)
    while True:
        index = next(bits) & mask if mask else 0
        if index < size:
            yield index


def _mersenne_twister(seed: int) -> Iterator[int]:
    """Yield the 32-bit outputs of MT19937."""
    state = [seed & 0xFFFFFFFF]
    for number in range(1, 624):
        state.append((1812433253 * (state[-1] ^ state[-1] >> 30) + number) & 0xFFFFFFFF)
    while True:
        for index in range(624):
            joined = (state[index] & 0x80000000) | (state[(index + 1) % 624] & 0x7FFFFFFF)
            state[index] = state[(index + 397) % 624] ^ joined >> 1 ^ (0x9908B0DF if joined & 1 else 0)
        for word in state:
            word ^= word >> 11
            word ^= word << 7 & 0x9D2C5680
            word ^= word << 15 & 0xEFC60000
            yield word ^ word >> 18
