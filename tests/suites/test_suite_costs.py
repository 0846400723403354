"""What a suite costs, counted: waits for the device, copies to the host, graph breaks."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from generate_support import environment
from rlmetrics.state.suite import Suite
from rlmetrics.suites import PPOSuite, make_suite
from suites.suite_support import SUITES, CopiesToHost, Synchronisations, make_batch


@pytest.mark.parametrize("make", SUITES)
def test_update_never_waits(make: type[Suite]) -> None:
    """Neither the first update, nor a later one, nor a merge reads a number from the device."""
    suite, other = make(), make()  # type: ignore[call-arg]
    batch = make_batch(suite, 0)
    suite.update(**batch)
    with Synchronisations() as waits, CopiesToHost() as copies:
        other.update(**batch)
        suite.update(**batch).merge(other)

    assert waits.calls == []
    assert {"to"} >= set(copies.calls)  # the state follows its data, which is no copy where it is there already


@pytest.mark.parametrize("make", SUITES)
def test_compute_copies_once(make: type[Suite]) -> None:
    """However many metrics there are, computing reads the state once."""
    suite = make()  # type: ignore[call-arg]
    suite.update(**make_batch(suite, 0))
    with Synchronisations() as waits, CopiesToHost() as copies:
        suite.compute()

    assert waits.calls == []
    assert copies.calls == ["tolist"]


def test_counters_count() -> None:
    """The counters see what they are for: reading a number is a wait and a copy."""
    with Synchronisations() as waits, CopiesToHost() as copies:
        torch.ones(1).item()

    assert waits.calls == ["aten._local_scalar_dense.default"]
    assert copies.calls == ["item"]


def test_all_state_is_one_tensor() -> None:
    """The state is one flat float64 tensor, and nothing else in a suite holds numbers of the data."""
    suite = PPOSuite().update(**make_batch(PPOSuite(), 0))

    assert (suite.values.dtype, suite.values.dim()) == (torch.float64, 1)
    assert [name for name, value in vars(suite).items() if isinstance(value, torch.Tensor)] == ["values"]


def test_state_holds_no_graph() -> None:
    """Inputs that need gradients leave no graph behind."""
    suite = PPOSuite()
    batch = make_batch(suite, 0)
    batch["logprobs"].requires_grad_()

    assert not suite.update(**batch).values.requires_grad


def test_shared_parts_are_computed_once() -> None:
    """Five metrics of one ratio take one exponential, and one population is counted once."""
    keys = ["policy/loss", "policy/clip_fraction", "policy/clip_fraction_low", "policy/ratio/mean", "kl/old/k3"]
    suite = make_suite(keys)
    with CopiesToHost() as calls:
        suite.update(**make_batch(suite, 0))

    assert calls.all.count("exp") == 1
    counts = [slot.name for slot in suite.fusion.packing.slots if slot.name.endswith("token_count")]
    assert counts == ["policy_ratio_mean_token_count", "policy_loss_token_count"]  # for each set of inputs one


def test_fusing_needs_no_code_generator() -> None:
    """``make_suite`` runs with torch and the standard library alone."""
    code = (
        "import sys\nfor name in ('pydantic', 'jinja2', 'yaml', 'numpy'): sys.modules[name] = None\n"
        "from rlmetrics.suites import make_suite\nprint(make_suite(['kl/old/k1']).metrics[0])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], env=environment(), capture_output=True, text=True, check=False
    )

    assert (done.stderr, done.stdout) == ("", "kl/old/k1\n")


def test_package_is_lazy() -> None:
    """Importing the package does not import torch; an unknown name is an ordinary error."""
    code = "import sys, rlmetrics.suites; print('torch' in sys.modules, hasattr(rlmetrics.suites, 'nothing'))"
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)

    assert done.stdout == "False False\n"
