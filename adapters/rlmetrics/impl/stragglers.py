"""Who holds up the batch: the slowest response, and the slow ranks.

The slowest response is the one whose times in engine, tools and scoring add up to the most, the first of several.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = [
    "slow_rank_share",
    "slowest_generation_time",
    "slowest_preemptions",
    "slowest_prompt_length",
    "slowest_response_length",
    "slowest_score_time",
    "slowest_tool_time",
]


def slowest_generation_time(generation_seconds: Tensor, tool_seconds: Tensor, score_seconds: Tensor) -> Tensor:
    """Return the time in the engine of the slowest response.

    Args:
        generation_seconds: Time in the engine of each response ``[B]``, float, in seconds.
        tool_seconds: Time in tools of each response ``[B]``, float, in seconds.
        score_seconds: Time of scoring each response ``[B]``, float, in seconds.

    Returns:
        A float64 scalar, NaN without responses.
    """
    return _of_slowest(generation_seconds, generation_seconds, tool_seconds, score_seconds)


def slowest_tool_time(generation_seconds: Tensor, tool_seconds: Tensor, score_seconds: Tensor) -> Tensor:
    """Return the time in tools of the slowest response; see :func:`slowest_generation_time`."""
    return _of_slowest(tool_seconds, generation_seconds, tool_seconds, score_seconds)


def slowest_score_time(generation_seconds: Tensor, tool_seconds: Tensor, score_seconds: Tensor) -> Tensor:
    """Return the time of scoring the slowest response; see :func:`slowest_generation_time`."""
    return _of_slowest(score_seconds, generation_seconds, tool_seconds, score_seconds)


def slowest_preemptions(
    generation_seconds: Tensor, tool_seconds: Tensor, score_seconds: Tensor, preemptions: Tensor
) -> Tensor:
    """Return how often the slowest response was interrupted; see :func:`slowest_generation_time`."""
    return _of_slowest(preemptions, generation_seconds, tool_seconds, score_seconds)


def slowest_prompt_length(
    generation_seconds: Tensor, tool_seconds: Tensor, score_seconds: Tensor, prompt_lengths: Tensor
) -> Tensor:
    """Return the number of prompt tokens of the slowest response; see :func:`slowest_generation_time`."""
    return _of_slowest(prompt_lengths, generation_seconds, tool_seconds, score_seconds)


def slowest_response_length(
    generation_seconds: Tensor, tool_seconds: Tensor, score_seconds: Tensor, lengths: Tensor
) -> Tensor:
    """Return the number of response tokens of the slowest response; see :func:`slowest_generation_time`."""
    return _of_slowest(lengths, generation_seconds, tool_seconds, score_seconds)


def slow_rank_share(rank_values: Tensor) -> Tensor:
    """Return the share of ranks whose time lies above the interpolated 90th percentile of all ranks.

    Args:
        rank_values: Time of each rank ``[N]``, float, in seconds.

    Returns:
        A float64 scalar, NaN without ranks or where a time is NaN.
    """
    times = rank_values.detach().to(torch.float64)
    if not times.numel():
        return _nothing(times)
    limit = torch.quantile(times, 0.9)
    return torch.where(limit.isnan(), limit, (times > limit).to(torch.float64).mean())


def _of_slowest(wanted: Tensor, generation: Tensor, tools: Tensor, scoring: Tensor) -> Tensor:
    if not wanted.numel():
        return _nothing(wanted)
    total = generation.to(torch.float64) + tools.to(torch.float64) + scoring.to(torch.float64)
    return wanted.detach().to(torch.float64)[total.detach().argmax()]


def _nothing(like: Tensor) -> Tensor:
    return torch.full((), torch.nan, dtype=torch.float64, device=like.device)
