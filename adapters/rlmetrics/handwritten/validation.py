"""Bootstrap estimates over the samples of a validation prompt, drawn exactly as verl draws them.

verl seeds NumPy's legacy generator anew for every prompt and draws ``resamples`` subsets of ``n`` samples with
replacement (``verl.trainer.ppo.metric_utils.bootstrap_metric``). The same draws need the same generator, so these
functions need NumPy. They read their inputs on the host and carry no gradient. To ``torch.compile`` the draws are one
operator that it does not look into (with torch 2.4 and newer).
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


def best_of_n_mean(sample_values: Tensor, group_ids: Tensor, *, n: int, resamples: int, seed: int) -> Tensor:
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
    return _over_prompts("best", "mean", (sample_values, group_ids), n, resamples, seed)


def best_of_n_std(sample_values: Tensor, group_ids: Tensor, *, n: int, resamples: int, seed: int) -> Tensor:
    """Return the standard deviation of the best of ``n`` samples over subsets; see :func:`best_of_n_mean`."""
    return _over_prompts("best", "std", (sample_values, group_ids), n, resamples, seed)


def worst_of_n_mean(sample_values: Tensor, group_ids: Tensor, *, n: int, resamples: int, seed: int) -> Tensor:
    """Return the mean of the worst of ``n`` samples, averaged over prompts; see :func:`best_of_n_mean`."""
    return _over_prompts("worst", "mean", (sample_values, group_ids), n, resamples, seed)


def worst_of_n_std(sample_values: Tensor, group_ids: Tensor, *, n: int, resamples: int, seed: int) -> Tensor:
    """Return the standard deviation of the worst of ``n`` samples over subsets; see :func:`best_of_n_mean`."""
    return _over_prompts("worst", "std", (sample_values, group_ids), n, resamples, seed)


def majority_of_n_mean(
    sample_values: Tensor,
    answers: Tensor,
    group_ids: Tensor,
    *,
    n: int,
    resamples: int,
    seed: int,
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
    return _over_prompts("majority", "mean", (sample_values, answers, group_ids), n, resamples, seed)


def majority_of_n_std(
    sample_values: Tensor,
    answers: Tensor,
    group_ids: Tensor,
    *,
    n: int,
    resamples: int,
    seed: int,
) -> Tensor:
    """Return the standard deviation of the majority answer's value over subsets; see :func:`majority_of_n_mean`."""
    return _over_prompts("majority", "std", (sample_values, answers, group_ids), n, resamples, seed)


def _over_prompts(rule: str, statistic: str, inputs: tuple[Tensor, ...], n: int, resamples: int, seed: int) -> Tensor:
    """Average a statistic of the chosen values over prompts; the last input holds the prompts."""
    if int(n) < 1 or int(resamples) < 1:
        msg = f"expected n and resamples to be at least 1, got n={n} and resamples={resamples}"
        raise ValueError(msg)
    return _bootstrap([tensor.detach() for tensor in inputs], rule, statistic, int(n), int(resamples), int(seed))


def _drawn(inputs: list[Tensor], rule: str, statistic: str, size: int, draws: int, seed: int) -> Tensor:
    np = _numpy()
    *columns, groups = (tensor.cpu().double().numpy() for tensor in inputs)
    results = []
    for group in np.unique(groups):
        members = [column[groups == group] for column in columns]
        picks = np.random.RandomState(seed).choice(len(members[0]), size=(draws, size), replace=True)
        results.append(getattr(np, statistic)(_RULES[rule](picks, *members)))
    return torch.tensor(np.mean(results) if results else float("nan"), dtype=torch.float64, device=inputs[0].device)


def _best(picks: Any, values: Any) -> Floats:
    chosen: Floats = values[picks].max(axis=1)
    return chosen


def _worst(picks: Any, values: Any) -> Floats:
    chosen: Floats = values[picks].min(axis=1)
    return chosen


def _majority(picks: Any, values: Any, answers: Any) -> Floats:
    drawn = answers[picks]
    votes = (drawn[:, :, None] == drawn[:, None, :]).sum(axis=2)
    # The first of the largest counts is the first sample of the winning answer.
    winners = votes.argmax(axis=1)
    chosen: Floats = values[picks[range(len(picks)), winners]]
    return chosen


_RULES: dict[str, Callable[..., Floats]] = {"best": _best, "worst": _worst, "majority": _majority}


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as error:
        msg = "bootstrap metrics draw with NumPy's generator, which is missing: pip install numpy"
        raise ImportError(msg) from error
    return numpy


def _as_operator() -> Callable[..., Tensor]:
    if not hasattr(torch.library, "custom_op"):
        return _drawn
    operator = torch.library.custom_op(
        "rlmetrics::bootstrap",
        _drawn,
        mutates_args=(),
        schema="(Tensor[] inputs, str rule, str statistic, int size, int draws, int seed) -> Tensor",
    )
    operator.register_fake(lambda inputs, *_: inputs[0].new_empty((), dtype=torch.float64))
    return operator


_bootstrap = _as_operator()
