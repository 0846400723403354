"""Metrics and suites as torchmetrics have them: collections, forward, reset, copies, ranks."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch
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
