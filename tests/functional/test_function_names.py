"""Every key leads to the function that computes its number, and every metric has one or says why not."""

from __future__ import annotations

from importlib import import_module

import pytest
from rlmetrics.functional import REGISTRY
from rlmetrics.names import keys, releases, resolve
from rlmetrics.names.tables.loading import load_tables


def test_every_metric_has_a_function_or_is_measured() -> None:
    """A metric has a function in the registry, or its text says what is measured instead; never both or neither."""
    tables = load_tables(None)
    for name in tables.metrics:
        assert (name in REGISTRY) != bool(tables.texts[name].get("measured")), name


@pytest.mark.parametrize("framework", ["trl", "verl"])
def test_resolved_functions_exist(framework: str) -> None:
    """In the newest release, what a key resolves to is a function, also where only variants of a metric have one."""
    at = f"{framework}=={releases(framework)[-1].release}"
    named = 0
    # Keys that end in a name of the user's choice cannot be resolved as they stand.
    for found in resolve(sorted({entry.key for entry in keys(at) if "{" not in entry.key}), at):
        signature = found.signature
        assert signature is not None, found.key
        key = f"{found.metric}@{signature.reproduced_by}" if signature.reproduced_by else found.metric
        assert (key in REGISTRY) == (found.function is not None), found.key
        if found.function is not None:
            module, _, name = found.function.rpartition(".")
            assert REGISTRY[str(key)].function is getattr(import_module(module), name)
            named += 1
    assert named > 20


def test_variant_of_a_metric_that_is_not_computed_itself() -> None:
    """No tensor gives every trainer's loss, but the loss of GRPO has a function."""
    (found,) = resolve("loss", "trl[GRPOTrainer]==1.16.0")
    assert (found.metric, found.signature and found.signature.reproduced_by) == ("loss/total", "grpo")
    assert found.function == "rlmetrics.functional.loss.loss_total_grpo"
