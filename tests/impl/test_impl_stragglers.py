"""The slowest response of a batch and the slow ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.impl import stragglers, stragglers_reference

TIMES = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=12)


@given(TIMES)
def test_the_first_of_the_slowest_counts(rows: list[tuple[int, int, int]]) -> None:
    """The response is the one that NumPy's argmax of the added times finds, ties included."""
    columns = np.array(rows, dtype=np.float64).T
    place = int(np.argmax(columns.sum(0)))
    generation, tools, scoring = (torch.from_numpy(column.copy()) for column in columns)
    position = torch.arange(len(rows))
    assert place == stragglers.slowest_preemptions(generation, tools, scoring, position).item()
    assert place == stragglers_reference.slowest_preemptions(generation, tools, scoring, position)
    assert columns[1][place] == stragglers.slowest_tool_time(generation, tools, scoring).item()


@given(st.lists(st.floats(0, 100, width=32), min_size=1, max_size=40))
def test_slow_ranks_are_those_above_the_90th_percentile(times: list[float]) -> None:
    """The share agrees with NumPy's percentile, interpolated linearly."""
    values = np.array(times, dtype=np.float64)
    expected = (values > np.quantile(values, 0.9)).mean()
    assert pytest.approx(expected) == stragglers.slow_rank_share(torch.from_numpy(values)).item()


def test_nothing_to_rank() -> None:
    """Without ranks or responses there is no result, and one NaN makes the share unknown."""
    nothing = torch.zeros(0)
    assert math.isnan(stragglers.slow_rank_share(nothing).item())
    assert math.isnan(stragglers.slow_rank_share(torch.tensor([1.0, math.nan])).item())
    assert math.isnan(stragglers.slowest_score_time(nothing, nothing, nothing).item())
