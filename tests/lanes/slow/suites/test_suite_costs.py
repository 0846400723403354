"""What a suite costs, counted: waits for the device, copies to the host, graph breaks."""

from __future__ import annotations

import pickle

import pytest
import torch
from rlmetrics.suites import PPOSuite, make_suite
from suites.suite_support import assert_same, make_batch


@pytest.mark.parametrize("make", [PPOSuite, lambda: make_suite(["policy/loss", "value/loss", "reward/group_std"])])
def test_update_compiles_without_breaks(make) -> None:  # type: ignore[no-untyped-def]
    """``torch.compile(fullgraph=True)`` takes the whole update, merging included, and gives the same numbers."""
    torch.compiler.reset()
    plain, compiled = make(), make()
    update = torch.compile(compiled.update, fullgraph=True, backend="aot_eager")
    for seed in range(3):
        batch = make_batch(plain, seed, columns=4 + seed)
        plain.update(**batch)
        update(**batch)  # type: ignore[no-untyped-call]

    assert_same(plain.compute(), compiled.compute())


def test_more_suites_compile_than_recompilations_are_allowed() -> None:
    """Each suite compiles code of its own, and a pickled one comes back uncompiled with the same numbers."""
    torch.compiler.reset()
    keys = ["kl/old/k1", "kl/old/k2", "kl/old/k3", "advantage/mean", "advantage/max", "advantage/min"]
    choices = [keys[:1], keys[1:2], *(keys[: 2 + place] for place in range(5)), keys[1:], keys[2:], keys[3:]]
    for choice in choices:
        plain, compiled = make_suite(choice), make_suite(choice).compile(backend="aot_eager")
        batch = make_batch(plain, 0)
        expected = plain.update(**batch).compute()

        assert_same(expected, compiled.update(**batch).compute())
        assert pickle.loads(pickle.dumps(plain)).compute() == expected
        assert_same(expected, pickle.loads(pickle.dumps(compiled)).compute())
