"""The slow ranks."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.handwritten import by_definition, stragglers


@given(st.lists(st.floats(0, 100, width=32), min_size=1, max_size=40))
def test_slow_ranks_are_those_above_the_90th_percentile(times: list[float]) -> None:
    """The share agrees with NumPy's percentile, interpolated linearly."""
    values = np.array(times, dtype=np.float64)
    expected = (values > np.quantile(values, 0.9)).mean()
    assert stragglers.slow_rank_share(torch.from_numpy(values)).item() == pytest.approx(expected)
    assert by_definition.slow_rank_share(times) == pytest.approx(expected)


def test_nothing_to_rank() -> None:
    """Without ranks there is no result, and one NaN makes the share unknown."""
    assert math.isnan(stragglers.slow_rank_share(torch.zeros(0)).item())
    assert math.isnan(stragglers.slow_rank_share(torch.tensor([1.0, math.nan])).item())
