"""Large tensors take other ways through a suite than small ones: bit patterns and sums by rows, or a compiler."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, nan

import pytest
import torch
from rlmetrics.functional import REGISTRY
from rlmetrics.state.parts import _SMALL as SMALL
from rlmetrics.state.suite import Suite
from rlmetrics.suites import PPOSuite, make_suite
from suites.suite_support import SUITES, Tensors, make_batch

ROWS, COLUMNS = 40, 120


def large_batch(suite: Suite, seed: int) -> Tensors:
    """Return a float32 batch above the size that counts as small, with garbage wherever the mask is false."""
    batch = {
        name: tensor.float() if tensor.is_floating_point() else tensor
        for name, tensor in make_batch(suite, seed, ROWS, COLUMNS).items()
    }
    if "mask" in batch:
        batch["mask"][3] = False
        garbage = torch.tensor([nan, inf, -inf, 3e38]).repeat(ROWS * COLUMNS // 4).view(ROWS, COLUMNS)
        for name, tensor in batch.items():
            if tensor.shape == batch["mask"].shape and tensor.is_floating_point():
                batch[name] = torch.where(batch["mask"], tensor, garbage)
    return batch


def widened(batch: Tensors) -> Tensors:
    """Return a batch in float64, which has no way of its own but for selecting."""
    return {name: tensor.double() if tensor.is_floating_point() else tensor for name, tensor in batch.items()}


@pytest.mark.parametrize("make", SUITES)
@pytest.mark.parametrize("seed", range(3))
def test_float32_gives_what_float64_gives(make: Callable[[], Suite], seed: int) -> None:
    """Whatever stands in padding: extremes and fractions are equal but for ties, everything else to float32."""
    suite, wide = make(), make()
    batch = large_batch(suite, seed)
    assert max(tensor.numel() for tensor in batch.values()) > SMALL or "mask" not in batch

    results, expected = suite.update(**batch).compute(), wide.update(**widened(batch)).compute()

    assert expected.keys() == results.keys()
    for name, value in expected.items():
        assert results[name] == pytest.approx(value, rel=2e-5, abs=2e-6, nan_ok=True), name
        if name.endswith(("/max", "/min")) and name.startswith(("advantage", "return", "length", "reward/score")):
            assert value == results[name], name


@pytest.mark.parametrize("make", SUITES)
def test_whole_is_the_merge_of_its_rows(make: Callable[[], Suite]) -> None:
    """A large update equals updates of few rows each, which take the other way: counts exactly, means to 1e-6."""
    whole, parts = make(), make()
    batch = large_batch(whole, 0)
    whole.update(**batch)
    for start in range(0, ROWS, 8):
        parts.update(**{name: tensor[start : start + 8] for name, tensor in batch.items()})

    for slot, value, other in zip(whole.fusion.packing.slots, whole.values, parts.values, strict=False):
        if slot.kind in ("min", "max") or (slot.kind == "count" and not slot.name.endswith("updates")):
            assert value == other, slot
    for name, value in parts.compute().items():
        assert whole.compute()[name] == pytest.approx(value, rel=1e-6, abs=1e-7, nan_ok=True), name


def test_compiled_code_gives_what_eager_code_gives() -> None:
    """Compiled, masks are integers and reductions go by rows: garbage in padding stays out, and extremes are equal."""
    torch.compiler.reset()
    plain, compiled = PPOSuite(), PPOSuite().compile(backend="aot_eager")
    batch = large_batch(plain, 0)

    expected, results = plain.update(**batch).compute(), compiled.update(**batch).compute()

    assert expected.keys() == results.keys()
    for name, value in expected.items():
        assert results[name] == pytest.approx(value, rel=1e-6, abs=1e-7, nan_ok=True), name
        if name.endswith(("/max", "/min")) and name.startswith(("advantage", "return", "length")):
            assert value == results[name], name


@pytest.mark.parametrize("compiled", [False, True])
def test_moments_are_stable(compiled: bool) -> None:
    """Float32 with mean 1e4 and standard deviation 1e-2 keeps its variance to 1e-5 of that of the same numbers."""
    torch.compiler.reset()
    suite = make_suite(["return/variance", "return/mean"])
    if compiled:
        suite.compile(backend="aot_eager")
    returns = (1e4 + 1e-2 * torch.randn(64, 256, generator=torch.Generator().manual_seed(0))).float()
    mask = torch.rand(64, 256, generator=torch.Generator().manual_seed(1)) < 0.8

    results = suite.update(returns=returns.masked_fill(~mask, nan), mask=mask).compute()

    kept = returns[mask].double()
    assert results["return/variance"] == pytest.approx(kept.var().item(), rel=1e-5)
    assert results["return/mean"] == pytest.approx(kept.mean().item(), rel=1e-7)


def test_extreme_ratios() -> None:
    """Log-ratios of plus and minus 50, and returns as large as their ratios, neither overflow nor spoil counts."""
    suite = make_suite(["policy/ratio/mean", "return/variance", "policy/clip_fraction_low", "kl/old/k3"])
    logprobs = torch.zeros(64, 128)
    logprobs[:, ::2], logprobs[:, 1::2] = 50.0, -50.0
    tensors = {"old_logprobs": torch.zeros(64, 128), "advantages": -torch.ones(64, 128), "returns": logprobs.exp()}
    mask = torch.ones(64, 128, dtype=torch.bool)

    results = suite.update(logprobs=logprobs, mask=mask, **tensors).compute()

    ratios = logprobs.exp().double()
    assert results["policy/ratio/mean"] == pytest.approx(ratios.mean().item(), rel=1e-6)
    assert results["return/variance"] == pytest.approx(ratios.var().item(), rel=1e-5)
    assert results["policy/clip_fraction_low"] == 0.5


def test_nothing_is_masked_that_is_not() -> None:
    """NaN where the mask holds makes NaN of what is computed from it, and of nothing else."""
    suite = PPOSuite()
    batch = large_batch(suite, 1)
    expected = suite.update(**batch).compute()
    row, column = batch["mask"].nonzero()[7].tolist()
    batch["advantages"][row, column] = nan

    results = suite.reset().update(**batch).compute()

    spoiled = {name for name, value in results.items() if value != value}
    assert {"policy/loss", "advantage/mean", "advantage/max", "advantage/min"} <= spoiled
    assert {name: value for name, value in expected.items() if "kl/" in name} == {
        name: value for name, value in results.items() if "kl/" in name
    }


@pytest.mark.parametrize("other", ["reward/total/max", "group/clip_fraction_low/sequence_min", "entropy/surprisal_sum"])
def test_metrics_of_rows_beside_metrics_of_tokens(other: str) -> None:
    """What needs rows keeps them, and what does not leaves padding behind, in one suite with the same numbers."""
    keys = [other, "advantage/mean", "policy/clip_fraction", "return/variance", "kl/old/k3"]
    suite = make_suite(keys)
    batch = large_batch(suite, 0)

    results = suite.update(**batch).compute()

    for key in keys:
        metric = REGISTRY[key]
        expected = metric.function(*[batch[name] for name, _, _ in metric.inputs]).item()
        assert results[key] == pytest.approx(expected, rel=1e-6, abs=1e-9), key


def test_long_rows_are_added_exactly() -> None:
    """A centred mean of long rows is that of float64, in the suite as in the function."""
    generator = torch.Generator().manual_seed(0)
    advantages = torch.randn(4, 65536, generator=generator)
    advantages -= advantages.double().mean().float()
    mask = torch.rand(4, 65536, generator=generator) < 0.9
    suite = make_suite(["advantage/mean", "reward/total/max", "reward/total/mean"])

    results = suite.update(advantages=advantages, token_rewards=advantages, mask=mask).compute()

    exact = advantages[mask].double().mean().item()
    assert results["advantage/mean"] == pytest.approx(exact, rel=1e-9)
    sums = (advantages.double() * mask).sum(1)
    assert results["reward/total/max"] == pytest.approx(sums.max().item(), rel=1e-9)
    assert results["reward/total/mean"] == pytest.approx(sums.mean().item(), rel=1e-9)
