"""Percentiles of tokens' weights and of responses' times."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.impl import quantiles, references

WEIGHTS = {"weight_p25": 0.25, "weight_p50": 0.5, "weight_p75": 0.75, "weight_p95": 0.95, "weight_p99": 0.99}
SECONDS = {"seconds_p50": 0.5, "seconds_p95": 0.95, "seconds_p99": 0.99}


def test_neighbours_are_interpolated() -> None:
    """Between two times the percentile lies on the straight line."""
    seconds = torch.tensor([4.0, 1.0, 3.0, 2.0])
    assert 2.5 == pytest.approx(quantiles.seconds_p50(seconds).item())
    assert 3.85 == pytest.approx(quantiles.seconds_p95(seconds).item())
    assert 3.85 == pytest.approx(references.seconds_p95(seconds))


def test_only_counted_tokens_matter() -> None:
    """The median weight ignores padding, whatever stands there."""
    old = torch.tensor([[math.log(0.5), 0.0, math.nan], [math.log(4.0), math.inf, 0.0]])
    rollout = torch.zeros(2, 3)
    mask = torch.tensor([[True, True, False], [True, False, False]])
    assert 1.0 == pytest.approx(quantiles.weight_p50(old, rollout, mask).item())
    assert 1.0 == pytest.approx(references.weight_p50(old, rollout, mask))


def test_nothing_to_rank() -> None:
    """Without a counted token there is no percentile, and one NaN makes it unknown."""
    tokens = torch.zeros(1, 2)
    assert math.isnan(quantiles.weight_p99(tokens, tokens, torch.zeros(1, 2, dtype=torch.bool)).item())
    assert math.isnan(quantiles.seconds_p50(torch.tensor([1.0, math.nan])).item())
    assert math.isnan(references.seconds_p50([1.0, math.nan]))


@given(st.lists(st.floats(min_value=-5.0, max_value=5.0), min_size=1, max_size=20))
def test_as_torch_interpolates(values: list[float]) -> None:
    """Each percentile is the one that torch finds."""
    times = torch.tensor(values, dtype=torch.float64)
    for name, level in SECONDS.items():
        assert torch.quantile(times, level).item() == pytest.approx(getattr(quantiles, name)(times).item())
    tokens = times.unsqueeze(0)
    everything = torch.ones_like(tokens, dtype=torch.bool)
    for name, level in WEIGHTS.items():
        found = getattr(quantiles, name)(tokens, torch.zeros_like(tokens), everything)
        assert torch.quantile(times.exp(), level).item() == pytest.approx(found.item())
