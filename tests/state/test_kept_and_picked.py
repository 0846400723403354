"""Quantiles and what stands beside a maximum, over any partition, against NumPy on all data at once."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricState

CUTS = st.lists(st.integers(0, 30), max_size=5)
TIMES = st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=30)
LEVELS = {"p25": 0.25, "p50": 0.5, "p75": 0.75, "p95": 0.95, "p99": 0.99}


def over_parts(state: MetricState, inputs: dict[str, torch.Tensor], cuts: list[int]) -> MetricState:
    """Return the merged states of the parts of some rows, in their order; equal cuts give parts without rows."""
    rows = len(next(iter(inputs.values())))
    edges = [0, *sorted(min(cut, rows) for cut in cuts), rows]
    for start, stop in pairwise(edges):
        part = MetricState(state.metric, device=None, **state.parameters)
        state.merge(part.update(**{name: tensor[start:stop] for name, tensor in inputs.items()}))
    return state


@settings(max_examples=60, deadline=None)
@given(TIMES, CUTS)
def test_the_first_of_the_slowest_counts(rows: list[tuple[int, int, int]], cuts: list[int]) -> None:
    """The response is the one that NumPy's argmax of the added times finds, ties between parts included."""
    columns = np.array(rows, dtype=np.float64).T
    place = int(np.argmax(columns.sum(0)))
    names = ("generation_seconds", "tool_seconds", "score_seconds")
    inputs = {name: torch.from_numpy(column.copy()) for name, column in zip(names, columns, strict=True)}

    tools = over_parts(REGISTRY["interaction/slowest/tool_time"].state(), inputs, cuts)
    inputs["preemptions"] = torch.arange(len(rows))
    where = over_parts(REGISTRY["interaction/slowest/preemptions"].state(), inputs, cuts)

    assert place == where.compute().item()
    assert columns[1][place] == tools.compute().item()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(width=32, allow_nan=False), min_size=1, max_size=30), CUTS)
def test_quantiles_of_parts_are_those_of_the_whole(dtype: torch.dtype, values: list[float], cuts: list[int]) -> None:
    """However values are cut, to the bit what the function gives, and what NumPy gives; infinities are values."""
    seconds = torch.tensor(values, dtype=dtype)
    for name, level in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
        metric = REGISTRY[f"asynchrony/generation_time/{name}"]
        found = over_parts(metric.state(), {"generation_seconds": seconds}, cuts)

        assert found.values.tolist() == [len(values), *seconds.double().tolist()]
        torch.testing.assert_close(found.compute(), metric(seconds), rtol=0, atol=0, equal_nan=True)
        if np.isfinite(values).all():
            expected = np.quantile(np.array(values), level)
            assert found.compute().item() == pytest.approx(expected, rel=1e-12, abs=1e-300)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 99), CUTS)
def test_padding_is_no_value(seed: int, cuts: list[int]) -> None:
    """Quantiles of tokens are those of what the mask holds, whatever stands in padding, over nothing NaN."""
    generator = torch.Generator().manual_seed(seed)
    old, rollout = torch.randn((2, 9, 4), generator=generator, dtype=torch.float64)
    mask = torch.rand((9, 4), generator=generator) < seed % 4 / 3
    inputs = {"old_logprobs": old.masked_fill(~mask, torch.nan), "rollout_logprobs": rollout, "mask": mask}
    weights = (old - rollout).exp()[mask].numpy()
    for name, level in LEVELS.items():
        found = over_parts(REGISTRY[f"rollout/token_weight/{name}"].state(), inputs, cuts).compute().item()
        expected = np.quantile(weights, level) if len(weights) else np.nan
        assert found == pytest.approx(expected, rel=1e-12, nan_ok=True)
