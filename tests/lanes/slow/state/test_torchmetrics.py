"""Metrics and suites as torchmetrics have them: collections, forward, reset, copies, ranks."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from folders import TESTS
from generate_support import environment
from rlmetrics.state import MetricState
from rlmetrics.suites import GRPOSuite
from suites.suite_support import Tensors, assert_same, make_batch


def inputs_of(key: str, batch: Tensors) -> Tensors:
    """Return the inputs of one metric."""
    return {name: batch[name] for name, _, _ in MetricState(key).metric.inputs}


WORKER = """
import json, sys
from datetime import timedelta
import torch
import torch.distributed as dist
from rlmetrics.state.torchmetrics import as_metric
from rlmetrics.suites import GRPOSuite, PPOSuite
from suites.suite_support import make_batch, rows_of
from lanes.slow.state.test_torchmetrics import inputs_of

folder, rank = sys.argv[1], int(sys.argv[2])
dist.init_process_group("gloo", init_method=f"file://{folder}/group", rank=rank, world_size=3,
                        timeout=timedelta(seconds=60))
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
with open(f"{folder}/{rank}.json", "w") as stream:
    json.dump(found, stream)
dist.destroy_process_group()
"""


def test_ranks(tmp_path: Path) -> None:
    """Over ranks, one of which has seen nothing, torchmetrics gives the whole; other parameters are refused."""
    env = environment(OMP_NUM_THREADS="1")
    env["PYTHONPATH"] = ":".join([env["PYTHONPATH"], str(TESTS), *sys.path[-1:]])
    ranks = [
        subprocess.Popen([sys.executable, "-c", WORKER, str(tmp_path), str(rank)], env=env, stderr=subprocess.PIPE)
        for rank in range(3)
    ]
    errors = [process.communicate(timeout=180)[1].decode() for process in ranks]
    assert [process.returncode for process in ranks] == [0, 0, 0], "\n".join(errors)
    batch = make_batch(GRPOSuite(), 3, rows=8)
    expected = GRPOSuite().update(**batch).compute()
    key = "rollout/token_weight/p50"
    median = MetricState(key).update(**inputs_of(key, batch)).compute().item()
    for rank in range(3):
        found = json.loads((tmp_path / f"{rank}.json").read_text())
        assert found.pop("error").startswith("PPOSuite: expected the same metrics and parameters on all ranks")
        assert found.pop("median") == pytest.approx(median)
        assert_same(expected, found, rel=1e-9)
