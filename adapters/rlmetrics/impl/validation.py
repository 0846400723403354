"""Bootstrap estimates over the samples of a validation prompt, drawn exactly as verl draws them.

verl seeds NumPy's legacy generator anew for every prompt and draws ``resamples`` subsets of ``n`` samples with
replacement (``verl.trainer.ppo.metric_utils.bootstrap_metric``). The same draws need the same generator, so these
functions need NumPy. They read their inputs on the host and carry no gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "best_of_n_mean",
    "best_of_n_std",
    "majority_of_n_mean",
    "majority_of_n_std",
    "worst_of_n_mean",
    "worst_of_n_std",
]


def best_of_n_mean(sample_values: Tensor, group_ids: Tensor, *, n: float, resamples: float, seed: float) -> Tensor:
    """Return the mean of the best of ``n`` samples, averaged over prompts.

    Args:
        sample_values: Value of each sample ``[B]``, float.
        group_ids: Prompt of each sample ``[B]``, int.
        n: Size of each subset.
        resamples: Number of subsets that are drawn for each prompt.
        seed: Seed of the generator, set anew for each prompt.

    Returns:
        A float64 scalar, NaN without samples.

    Raises:
        ImportError: NumPy is missing.
        ValueError: ``n`` or ``resamples`` is below 1.
    """
    return _over_prompts(_extremes("max"), "mean", (sample_values, group_ids), n, resamples, seed)


def best_of_n_std(sample_values: Tensor, group_ids: Tensor, *, n: float, resamples: float, seed: float) -> Tensor:
    """Return the standard deviation of the best of ``n`` samples over subsets; see :func:`best_of_n_mean`."""
    return _over_prompts(_extremes("max"), "std", (sample_values, group_ids), n, resamples, seed)


def worst_of_n_mean(sample_values: Tensor, group_ids: Tensor, *, n: float, resamples: float, seed: float) -> Tensor:
    """Return the mean of the worst of ``n`` samples, averaged over prompts; see :func:`best_of_n_mean`."""
    return _over_prompts(_extremes("min"), "mean", (sample_values, group_ids), n, resamples, seed)


def worst_of_n_std(sample_values: Tensor, group_ids: Tensor, *, n: float, resamples: float, seed: float) -> Tensor:
    """Return the standard deviation of the worst of ``n`` samples over subsets; see :func:`best_of_n_mean`."""
    return _over_prompts(_extremes("min"), "std", (sample_values, group_ids), n, resamples, seed)


def majority_of_n_mean(
    sample_values: Tensor,
    answers: Tensor,
    group_ids: Tensor,
    *,
    n: float,
    resamples: float,
    seed: float,
) -> Tensor:
    """Return the mean value of the majority answer among ``n`` samples, averaged over prompts.

    The most frequent answer of a subset wins, of equally frequent ones the one drawn first, and the value of its first
    sample counts.

    Args:
        sample_values: Value of each sample ``[B]``, float.
        answers: Id of each sample's answer ``[B]``, int.
        group_ids: Prompt of each sample ``[B]``, int.
        n: Size of each subset.
        resamples: Number of subsets that are drawn for each prompt.
        seed: Seed of the generator, set anew for each prompt.

    Returns:
        A float64 scalar, NaN without samples.

    Raises:
        ImportError: NumPy is missing.
        ValueError: ``n`` or ``resamples`` is below 1.
    """
    return _over_prompts(_majority, "mean", (sample_values, answers, group_ids), n, resamples, seed)


def majority_of_n_std(
    sample_values: Tensor,
    answers: Tensor,
    group_ids: Tensor,
    *,
    n: float,
    resamples: float,
    seed: float,
) -> Tensor:
    """Return the standard deviation of the majority answer's value over subsets; see :func:`majority_of_n_mean`."""
    return _over_prompts(_majority, "std", (sample_values, answers, group_ids), n, resamples, seed)


def _over_prompts(
    choose: Callable[..., Floats], statistic: str, inputs: tuple[Tensor, ...], n: float, resamples: float, seed: float
) -> Tensor:
    """Average a statistic of the chosen values over prompts; the last input holds the prompts."""
    size, draws = int(n), int(resamples)
    if size < 1 or draws < 1:
        msg = f"expected n and resamples to be at least 1, got n={n} and resamples={resamples}"
        raise ValueError(msg)
    np = _numpy()
    *columns, groups = (tensor.detach().cpu().double().numpy() for tensor in inputs)
    results = []
    for group in np.unique(groups):
        members = [column[groups == group] for column in columns]
        picks = np.random.RandomState(int(seed)).choice(len(members[0]), size=(draws, size), replace=True)
        results.append(getattr(np, statistic)(choose(picks, *members)))
    return torch.tensor(np.mean(results) if results else float("nan"), dtype=torch.float64, device=inputs[0].device)


def _extremes(name: str) -> Callable[..., Floats]:
    def choose(picks: Any, values: Any) -> Floats:
        chosen: Floats = getattr(values[picks], name)(axis=1)
        return chosen

    return choose


def _majority(picks: Any, values: Any, answers: Any) -> Floats:
    drawn = answers[picks]
    votes = (drawn[:, :, None] == drawn[:, None, :]).sum(axis=2)
    # The first of the largest counts is the first sample of the winning answer.
    winners = votes.argmax(axis=1)
    chosen: Floats = values[picks[range(len(picks)), winners]]
    return chosen


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as error:
        msg = "bootstrap metrics draw with NumPy's generator, which is missing: pip install numpy"
        raise ImportError(msg) from error
    return numpy
