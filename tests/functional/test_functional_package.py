"""The package of compute functions as a whole: lazy, complete, compilable."""

from __future__ import annotations

import dis
import pickle
import subprocess
import sys
from itertools import combinations

import pytest
import torch
from generate_support import environment
from metric_checks import cast
from metric_inputs import make_inputs, make_parameters
from rlmetrics import functional
from rlmetrics.functional import REGISTRY

ADDITIVE = [key for key in REGISTRY if REGISTRY[key].formula]


def operations_of(key: str) -> frozenset[str]:
    """Return what a function is made of: the names that it uses and the instructions of its control flow."""
    update, finalize = REGISTRY[key].update, REGISTRY[key].finalize
    assert update is not None
    assert finalize is not None
    codes = (REGISTRY[key].function.__code__, update.__code__, finalize.__code__)
    jumps = {*dis.hasjrel, *dis.hasjabs}
    steps = {step.opname for code in codes for step in dis.get_instructions(code) if step.opcode in jumps}
    return frozenset(steps.union(update.__code__.co_names, finalize.__code__.co_names))


def one_for_each_pair() -> list[str]:
    """Return metrics such that any two operations that some function uses together are used together by one of them."""
    pairs = {key: set(combinations(sorted(operations_of(key)), 2)) for key in ADDITIVE}
    left = set[tuple[str, str]]().union(*pairs.values())
    chosen: list[str] = []
    while left:
        chosen.append(max(pairs, key=lambda key: len(pairs[key] & left)))
        left -= pairs[chosen[-1]]
    return chosen


def loaded_after(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after a statement."""
    code = f"import sys; {statement}; print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_import_is_lazy() -> None:
    """Importing the package loads neither torch nor a family; the registry loads no family before one is asked for."""
    package = loaded_after("import rlmetrics.functional")
    registry = loaded_after("from rlmetrics.functional import REGISTRY; len(REGISTRY); 'kl/old/k1' in REGISTRY")
    one = loaded_after("from rlmetrics.functional import REGISTRY; REGISTRY['kl/old/k1']")

    assert "torch" not in package
    families = {f"rlmetrics.functional.{name}" for name in ("kl", "policy", "value")}
    assert families.isdisjoint(registry)
    assert {"rlmetrics.functional.kl"} == families & one


def test_every_function_is_reachable() -> None:
    """Every entry's function is an attribute of the package, in its listing, and exported."""
    names = {REGISTRY[key].function.__name__ for key in REGISTRY}

    assert len(REGISTRY) == len(names)
    assert names <= set(dir(functional))
    assert {"REGISTRY", *names} == set(functional.__all__)
    for name in names:
        assert callable(getattr(functional, name))


def test_unknown_names() -> None:
    """Unknown attributes and ids raise the usual errors; an id that looks like a known one is helped."""
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = functional.nothing  # type: ignore[attr-defined]
    with pytest.raises(KeyError, match=r"did you mean .*kl/old/k1"):
        _ = REGISTRY["kl/old/k9"]


@pytest.mark.parametrize("key", list(REGISTRY))
def test_entry_matches_its_function(key: str) -> None:
    """The registry's facts agree with the function: argument names, defaults, documentation."""
    metric = REGISTRY[key]
    code = metric.function.__code__
    arguments = code.co_varnames[: code.co_argcount]
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]

    assert tuple(name for name, _, _ in metric.inputs) == arguments
    assert tuple(metric.parameters) == keywords
    defaults = metric.function.__kwdefaults__ or {}
    assert {name: value for name, value in metric.parameters.items() if value is not None} == defaults
    for section in ("Args:", "Returns:", "Raises:"):
        assert section in (metric.function.__doc__ or "")
    assert metric is pickle.loads(pickle.dumps(metric))


@pytest.mark.parametrize("key", one_for_each_pair())
def test_compiles_to_one_graph(key: str) -> None:
    """``torch.compile(fullgraph=True)`` traces the function without a break, and the result stays the same."""
    metric = REGISTRY[key]
    inputs, parameters = cast(make_inputs(metric, 0), torch.float32), make_parameters(metric, 0)
    torch.compiler.reset()
    compiled = torch.compile(metric.function, fullgraph=True, backend="eager", dynamic=True)

    for seed in (0, 1):
        inputs = cast(make_inputs(metric, seed), torch.float32)
        expected = metric.function(**inputs, **parameters)
        torch.testing.assert_close(compiled(**inputs, **parameters), expected, equal_nan=True)


@pytest.mark.parametrize("key", ADDITIVE)
def test_never_waits_for_the_device(key: str) -> None:
    """Functions run on tensors without data, so nothing in them depends on a value or copies one to the host."""
    metric = REGISTRY[key]
    inputs = {name: value.to("meta") for name, value in make_inputs(metric, 0).items()}

    result = metric.function(**inputs, **make_parameters(metric, 0))

    assert result.device.type == "meta"
