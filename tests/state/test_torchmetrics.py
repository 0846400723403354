"""Metrics and suites as torchmetrics have them: collections, forward, reset, copies, ranks."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from generate_support import environment
from rlmetrics.state import MetricState
from rlmetrics.state.torchmetrics import as_metric
from rlmetrics.suites import GRPOSuite, PPOSuite
from suites.suite_support import Tensors, assert_same, make_batch
from torchmetrics import MetricCollection

KEYS = ["kl/old/k3", "reward/group_std", "rollout/token_weight/p50", "policy/ratio/distribution"]


def numbers(results: dict[str, torch.Tensor]) -> dict[str, float]:
    """Return results as Python numbers."""
    return {name: value.item() for name, value in results.items()}


def inputs_of(key: str, batch: Tensors) -> Tensors:
    """Return the inputs of one metric."""
    return {name: batch[name] for name, _, _ in MetricState(key).metric.inputs}


@pytest.mark.parametrize("make", [PPOSuite, GRPOSuite])
def test_suite_as_a_metric(make: Any) -> None:
    """A suite gives the same numbers through torchmetrics, over updates, with forward, after a reset, and copied."""
    suite, metric = make(), as_metric(make())
    batches = [make_batch(suite, seed) for seed in range(3)]
    for batch in batches:
        alone = metric(**batch)
        assert_same(make().update(**batch).compute(), numbers(alone))
        suite.update(**batch)

    assert_same(suite.compute(), numbers(metric.compute()), rel=1e-9)
    assert_same(suite.compute(), numbers(copy.deepcopy(metric).compute()), rel=1e-9)
    assert_same(suite.compute(), numbers(pickle.loads(pickle.dumps(metric)).compute()), rel=1e-9)
    metric.reset()
    metric.update(**batches[1])
    assert_same(suite.reset().update(**batches[1]).compute(), numbers(metric.compute()))


@pytest.mark.parametrize("key", KEYS)
def test_one_metric(key: str) -> None:
    """One metric is a tensor, whatever its state keeps."""
    metric, state = as_metric(key), MetricState(key)
    suite = GRPOSuite()
    for seed in range(2):
        given = inputs_of(key, make_batch(suite, seed))
        metric.update(**given)
        state.update(**given)

    torch.testing.assert_close(state.compute(), metric.compute(), equal_nan=True)


def test_collection() -> None:
    """In a collection, names of a suite stand beside those of single metrics."""
    metrics = MetricCollection({"suite": as_metric(GRPOSuite()), "k2": as_metric("kl/old/k2")}, compute_groups=False)
    batch = make_batch(GRPOSuite(), 0)
    metrics["suite"].update(**batch)
    metrics["k2"].update(**inputs_of("kl/old/k2", batch))

    results = metrics.compute()

    assert {"k2", "policy/loss", "reward/group_std"} <= {name.removeprefix("suite_") for name in results}


def test_cut_groups() -> None:
    """A group that is cut over updates is refused here, too, also by forward."""
    metric = as_metric("reward/group_std")
    metric(rewards=torch.tensor([1.0, 2.0]), group_ids=torch.tensor([3, 3]))
    metric(rewards=torch.tensor([1.0, 2.0]), group_ids=torch.tensor([-(2**40), -(2**40)]))
    metric.compute()
    metric(rewards=torch.tensor([1.0, 2.0]), group_ids=torch.tensor([3, 3]))

    with pytest.raises(ValueError, match=r"reward/group_std: group_ids: expected each group whole .* parts of 3 in"):
        metric.compute()


WORKER = """
import json, sys
from datetime import timedelta
import torch
import torch.distributed as dist
from rlmetrics.state.torchmetrics import as_metric
from rlmetrics.suites import GRPOSuite, PPOSuite
from suites.suite_support import make_batch, rows_of
from state.test_torchmetrics import inputs_of

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


@pytest.mark.slow
def test_ranks(tmp_path: Path) -> None:
    """Over ranks, one of which has seen nothing, torchmetrics gives the whole; other parameters are refused."""
    env = environment(OMP_NUM_THREADS="1")
    env["PYTHONPATH"] = ":".join([env["PYTHONPATH"], str(Path(__file__).resolve().parents[1]), *sys.path[-1:]])
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
        assert pytest.approx(median) == found.pop("median")
        assert_same(expected, found, rel=1e-9)
