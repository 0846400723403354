"""Metrics and suites as torchmetrics have them: collections, forward, reset, copies, ranks."""

from __future__ import annotations

from pathlib import Path

import pytest
from gloo_ranks import on_ranks
from rlmetrics.state import MetricState
from rlmetrics.suites import GRPOSuite
from suites.suite_support import Tensors, assert_same, make_batch


def inputs_of(key: str, batch: Tensors) -> Tensors:
    """Return the inputs of one metric."""
    return {name: batch[name] for name, _, _ in MetricState(key).metric.inputs}


WORKER = """
from gloo_ranks import join, report
from rlmetrics.state.torchmetrics import as_metric
from rlmetrics.suites import GRPOSuite, PPOSuite
from suites.suite_support import make_batch, rows_of
from lanes.slow.state.test_torchmetrics import inputs_of

rank = join()
batch = make_batch(GRPOSuite(), 3, rows=8)
metric, median = as_metric(GRPOSuite()), as_metric("rollout/token_weight/p50")
if rank:
    some = rows_of(batch, slice(4 * rank - 4, 4 * rank))
    metric.update(**some)
    median.update(**inputs_of("rollout/token_weight/p50", some))
found = {name: value.item() for name, value in metric.compute().items()}
found["median"] = median.compute().item()
other = as_metric(PPOSuite(clip_low=0.1 if rank else 0.2))
other.update(**make_batch(PPOSuite(), 0))
try:
    other.compute()
except ValueError as error:
    found["error"] = str(error)
report(found)
"""


def test_ranks(tmp_path: Path) -> None:
    """Over ranks, one of which has seen nothing, torchmetrics gives the whole; other parameters are refused."""
    batch = make_batch(GRPOSuite(), 3, rows=8)
    expected = GRPOSuite().update(**batch).compute()
    key = "rollout/token_weight/p50"
    median = MetricState(key).update(**inputs_of(key, batch)).compute().item()
    for found in on_ranks(tmp_path, WORKER):
        assert found.pop("error").startswith("PPOSuite: expected the same metrics and parameters on all ranks")
        assert found.pop("median") == pytest.approx(median)
        assert_same(expected, found, rel=1e-9)
