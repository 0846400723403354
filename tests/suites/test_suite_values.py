"""A suite gives the numbers that its metrics give one by one, whatever way the data comes."""

from __future__ import annotations

import math
from functools import partial
from itertools import pairwise
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.functional import REGISTRY
from rlmetrics.state.suite import Suite
from rlmetrics.suites import DPOSuite, GRPOSuite, PPOSuite, make_suite
from suites.suite_support import SUITES, assert_same, make_batch, rows_of, separately

BOUNDS = {"limit": 5, "end_token": 3, "unfilled": 4, "lower": -0.3, "upper": 0.4, "n": 3, "version": 2}


@pytest.mark.parametrize("make", SUITES)
@pytest.mark.parametrize("seed", range(4))
def test_suite_equals_functions_and_references(make: type[Suite], seed: int) -> None:
    """Each result equals the metric's own function and its reference in plain Python."""
    suite = make()  # type: ignore[call-arg]
    batch = make_batch(suite, seed, rows=4 + 2 * seed, columns=3 + seed)

    results = suite.update(**batch).compute()

    assert list(suite.metrics) == list(results)
    assert_same(separately(suite, batch), results)
    assert_same(separately(suite, batch, reference=True), results, rel=1e-9)


@pytest.mark.parametrize("make", SUITES)
def test_each_set_of_inputs_alone(make: type[Suite]) -> None:
    """An update of the inputs of some metrics gives those metrics, and no others; None counts as left out."""
    batch = make_batch(make(), 3)  # type: ignore[call-arg]
    for block in make.fusion.blocks:
        some = {name: batch[name] for name in block.inputs}
        suite = make()  # type: ignore[call-arg]

        results = suite.update(**{**dict.fromkeys(batch), **some}).compute()

        assert_same(separately(suite, some), results)


@pytest.mark.parametrize("make", SUITES)
def test_block_by_block(make: type[Suite]) -> None:
    """Fed one set of inputs after the other, in any number of updates, the results are those of everything at once."""
    batch = make_batch(make(), 3, rows=8)  # type: ignore[call-arg]
    whole, parts = make(), make()  # type: ignore[call-arg]
    given = set[frozenset[str]]()
    for block in sorted(make.fusion.blocks, key=lambda block: -len(block.inputs)):
        if not any(frozenset(block.inputs) <= other for other in given):
            given.add(frozenset(block.inputs))
    expected = whole.update(**batch).compute()
    for inputs in given:
        for first in (0, 2, 6):
            rows = slice(first, {0: 2, 2: 6, 6: 8}[first])
            parts.update(**{name: tensor[rows] for name, tensor in batch.items() if name in inputs})

    assert_same(expected, parts.compute(), rel=1e-9)


def test_optional_input_in_some_updates() -> None:
    """A metric is over the updates that gave its inputs, also where it shares its population with others."""
    suite = PPOSuite()
    first, second = make_batch(suite, 0), make_batch(suite, 1)
    suite.update(**first)
    suite.update(**{**second, "ref_logprobs": None, "values": None})

    results = suite.compute()

    assert separately(suite, first)["kl/reference/k3"] == pytest.approx(results["kl/reference/k3"], rel=1e-12)
    assert separately(suite, first)["value/loss"] == pytest.approx(results["value/loss"], rel=1e-12)
    both = {name: torch.cat([first[name], second[name]]) for name in first}
    assert separately(suite, both)["policy/loss"] == pytest.approx(results["policy/loss"], rel=1e-12)
    assert separately(suite, both)["value/mean"] == pytest.approx(results["value/mean"], rel=1e-12)


def test_every_metric_can_be_fused() -> None:
    """Every metric that suites take, fused on its own, is what its function returns."""
    for key, metric in REGISTRY.items():
        if metric.kind == "distribution":
            continue  # Distributions are no numbers: see test_suite_histograms.
        if metric.keeps_values or (metric.atom == "group" and not metric.formula):
            continue  # These are refused.
        parameters: dict[str, Any] = {name: BOUNDS[name] for name in metric.parameters if name in BOUNDS}
        parameters = {name: 0.5 for name, default in metric.parameters.items() if default is None} | parameters
        suite = make_suite({key: parameters})
        batch = make_batch(suite, 2)

        assert suite.compute() == {}, key
        result = suite.update(**batch).compute()[key]

        expected = metric(*batch.values(), **suite.parameters).item()
        assert result == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True), key


def test_batches_count_alike() -> None:
    """Losses that sort their batch are means over updates, among formulas too; compiled, merged, and without rows."""
    torch.compiler.reset()
    keys = ["preference/loss/aot", "preference/loss/kto_pair", "preference/loss/sigmoid", "stage/slow_rank_share"]
    make = partial(make_suite, keys, beta=0.1, label_smoothing=0.2)
    eager, compiled, other = make(), make().compile(backend="aot_eager"), make()
    batches = [make_batch(eager, seed, rows) for seed, rows in enumerate((5, 1, 8))]
    del batches[1]["rank_values"]
    for batch in batches[:2]:
        eager.update(**batch)
        compiled.update(**batch)
    nothing = {name: tensor[:0] for name, tensor in batches[0].items() if name != "rank_values"}

    results = eager.merge(other.update(**batches[2]).update(**nothing)).compute()

    for key in keys:
        metric = REGISTRY[key]
        given = {name: {"beta": 0.1, "label_smoothing": 0.2}[name] for name in metric.parameters}
        state = metric.state(device=None, **given)
        for batch in batches:
            if all(name in batch for name, _, _ in metric.inputs):
                state.update(**{name: batch[name] for name, _, _ in metric.inputs})
        assert results[key] == pytest.approx(state.compute().item(), rel=1e-12), key
    assert_same(results, compiled.update(**batches[2]).compute())


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_any_partition_merges_to_the_whole(data: st.DataObject) -> None:
    """However rows are cut into updates, and those spread over suites and merged, the result is that of the whole."""
    make = data.draw(st.sampled_from([PPOSuite, GRPOSuite, DPOSuite]))
    whole = make()
    rows = 12
    batch = make_batch(whole, data.draw(st.integers(0, 50)), rows=rows)
    cuts = sorted(data.draw(st.sets(st.integers(0, rows // 2), max_size=5)))
    edges = [0, *(2 * cut for cut in cuts), rows]
    parts = [make() for _ in range(3)]
    for first, last in pairwise(edges):
        parts[data.draw(st.integers(0, 2))].update(**rows_of(batch, slice(first, last)))

    merged = parts[0].merge(parts[1]).merge(parts[2])

    assert_same(whole.update(**batch).compute(), merged.compute(), rel=1e-9)


@pytest.mark.parametrize("make", [PPOSuite, GRPOSuite])
def test_numerically_hard_data(make: type[Suite]) -> None:
    """A spread of 1e-2 around 1e4 survives float64 states over many updates."""
    suite = make()  # type: ignore[call-arg]
    batches = [make_batch(suite, 2 * seed, centre=1e4) for seed in range(20)]
    for batch in batches:
        suite.update(**batch)

    whole = {name: torch.cat([batch[name] for batch in batches]) for name in batches[0]}
    for name, value in separately(suite, whole).items():
        if not math.isnan(value):
            assert suite.compute()[name] == pytest.approx(value, rel=1e-7), name


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_low_precision_inputs(dtype: torch.dtype) -> None:
    """Inputs of lower precision give what the metrics' own functions give, in float64 states."""
    suite = PPOSuite()
    batch = {
        name: tensor.to(dtype) if tensor.is_floating_point() else tensor
        for name, tensor in make_batch(suite, 1).items()
    }

    results = suite.update(**batch).compute()

    assert torch.float64 == suite.values.dtype
    assert_same(separately(suite, batch), results, rel=1e-6)


def test_garbage_in_padding_does_no_harm() -> None:
    """NaN and infinity outside the mask change no bit of any result."""
    suite, other = PPOSuite(), PPOSuite()
    batch = make_batch(suite, 4)
    spoilt = {
        name: tensor.masked_fill(~batch["mask"], math.nan) if tensor.dim() == 2 and name != "mask" else tensor
        for name, tensor in batch.items()
    }

    assert suite.update(**batch).compute() == other.update(**spoilt).compute()
