"""The references of :mod:`rlmetrics.impl.stragglers`: plain Python over lists."""

from __future__ import annotations

import math
from typing import Any

__all__ = [
    "slow_rank_share",
    "slowest_generation_time",
    "slowest_preemptions",
    "slowest_prompt_length",
    "slowest_response_length",
    "slowest_score_time",
    "slowest_tool_time",
]


def slowest_generation_time(generation_seconds: Any, tool_seconds: Any, score_seconds: Any) -> float:
    """Reference of :func:`rlmetrics.impl.stragglers.slowest_generation_time`."""
    return _first_of_slowest(generation_seconds, tool_seconds, score_seconds, generation_seconds)


def slowest_tool_time(generation_seconds: Any, tool_seconds: Any, score_seconds: Any) -> float:
    """Reference of :func:`rlmetrics.impl.stragglers.slowest_tool_time`."""
    return _first_of_slowest(generation_seconds, tool_seconds, score_seconds, tool_seconds)


def slowest_score_time(generation_seconds: Any, tool_seconds: Any, score_seconds: Any) -> float:
    """Reference of :func:`rlmetrics.impl.stragglers.slowest_score_time`."""
    return _first_of_slowest(generation_seconds, tool_seconds, score_seconds, score_seconds)


def slowest_preemptions(generation_seconds: Any, tool_seconds: Any, score_seconds: Any, preemptions: Any) -> float:
    """Reference of :func:`rlmetrics.impl.stragglers.slowest_preemptions`."""
    return _first_of_slowest(generation_seconds, tool_seconds, score_seconds, preemptions)


def slowest_prompt_length(generation_seconds: Any, tool_seconds: Any, score_seconds: Any, prompt_lengths: Any) -> float:
    """Reference of :func:`rlmetrics.impl.stragglers.slowest_prompt_length`."""
    return _first_of_slowest(generation_seconds, tool_seconds, score_seconds, prompt_lengths)


def slowest_response_length(generation_seconds: Any, tool_seconds: Any, score_seconds: Any, lengths: Any) -> float:
    """Reference of :func:`rlmetrics.impl.stragglers.slowest_response_length`."""
    return _first_of_slowest(generation_seconds, tool_seconds, score_seconds, lengths)


def slow_rank_share(rank_values: Any) -> float:
    """Reference of :func:`rlmetrics.impl.stragglers.slow_rank_share`."""
    times = sorted(float(value) for value in rank_values)
    if not times or any(math.isnan(time) for time in times):
        return math.nan
    part, place = math.modf(0.9 * (len(times) - 1))
    low, high = times[int(place)], times[min(int(place) + 1, len(times) - 1)]
    limit = low + part * (high - low)
    return sum(time > limit for time in times) / len(times)


def _first_of_slowest(generation: Any, tools: Any, scoring: Any, wanted: Any) -> float:
    slowest, found = -math.inf, math.nan
    for *seconds, value in zip(generation, tools, scoring, wanted, strict=True):
        total = float(seconds[0]) + float(seconds[1]) + float(seconds[2])
        if total > slowest:
            slowest, found = total, float(value)
    return found
