"""What the tests of suites share: inputs for a whole suite, and counters of what costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import pytest
import torch
import torch.distributed as dist
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricFunction
from rlmetrics.state.suite import Suite
from rlmetrics.suites import DPOSuite, GRPOSuite, PPOSuite, SFTSuite, make_suite
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

SUITES: list[type[PPOSuite] | type[GRPOSuite] | type[DPOSuite] | type[SFTSuite]] = [
    PPOSuite,
    GRPOSuite,
    DPOSuite,
    SFTSuite,
]

SLOWEST = [f"interaction/slowest/{name}" for name in ("generation_time", "tool_time", "preemptions", "response_length")]

BY_NAME: Mapping[str, Callable[[], Suite]] = {
    "PPOSuite": PPOSuite,
    "GRPOSuite": GRPOSuite,
    "slowest": partial(make_suite, SLOWEST),
}

Tensors = dict[str, Tensor]

_TO_HOST = {"tolist", "item", "cpu", "numpy", "__bool__", "__float__", "__int__", "__index__", "to", "cuda"}


def make_batch(suite: Suite, seed: int, rows: int = 6, columns: int = 5, *, centre: float = 0.0) -> Tensors:
    """Make inputs of a suite: float64, ragged masks, pairs of tensors that tie here and there, groups of two."""
    generator = torch.Generator().manual_seed(seed)
    sizes = {"B": rows, "T": columns, "V": 9, "N": 3, "G": 2}
    batch = {}
    for name, (axes, dtype) in suite.fusion.inputs.items():
        # Chosen and rejected responses need not be equally long.
        shape = [sizes[axis[0]] + (axis[1:] == "2" and axis[0] == "T") for axis in axes]
        if dtype == "float":
            value = torch.randn(shape, generator=generator, dtype=torch.float64)
            value = (value * 8).round() / 8 if seed % 2 else value
            batch[name] = centre + value * (0.01 if centre else 1.0)
        elif dtype == "bool":
            batch[name] = torch.rand(shape, generator=generator) < 0.7
        elif name == "group_ids":
            batch[name] = torch.arange(rows) // 2 + 100 * seed
        else:
            batch[name] = torch.randint(1, 9, shape, generator=generator)
    return batch


def rows_of(batch: Mapping[str, Tensor], rows: slice) -> Tensors:
    """Return some of the rows of a batch."""
    return {name: tensor[rows] for name, tensor in batch.items()}


def entry_of(suite: Suite, name: str) -> MetricFunction:
    """Return the metric that a result of a suite is."""
    return REGISTRY["entropy/policy@from_token_entropy" if name == "entropy/policy" else name]


def separately(suite: Suite, batch: Tensors, *, reference: bool = False) -> dict[str, float]:
    """Compute every metric of a suite by its own function, or by its independent reference."""
    results = {}
    for name in suite.metrics:
        metric = entry_of(suite, name)
        inputs = [batch[word] for word, _, _ in metric.inputs if word in batch]
        if len(inputs) == len(metric.inputs):
            parameters = {word: suite.parameters[word] for word in metric.parameters}
            function = metric.reference if reference else metric.function
            results[name] = function(*inputs, **parameters).item()
    return results


def assert_same(expected: Mapping[str, float], actual: Mapping[str, float], rel: float = 1e-12) -> None:
    """Check that two results have the same names and almost the same values."""
    assert expected.keys() == actual.keys()
    for name, value in expected.items():
        assert actual[name] == pytest.approx(value, rel=rel, abs=1e-13, nan_ok=True), name


class CopiesToHost(TorchFunctionMode):
    """Notes calls that bring numbers from a device to the host, or that may, as ``to`` does; and the names of all."""

    def __init__(self) -> None:
        super().__init__()
        self.all: list[str] = []
        self.calls: list[str] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        self.all.append(name)
        if name in _TO_HOST and not (name == "to" and isinstance(args[1], torch.dtype)):
            self.calls.append(name)
        return func(*args, **(kwargs or {}))


class Synchronisations(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts operations that wait for the device."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func.overloadpacket.__name__ in (
            "_local_scalar_dense",
            "nonzero",
            "unique_dim",
            "_unique2",
            "masked_select",
        ):
            self.calls.append(str(func))
        return func(*args, **(kwargs or {}))


def counted_collectives() -> list[str]:
    """Replace the collectives of ``torch.distributed`` by ones that add their name to the list."""
    calls: list[str] = []

    def counting(name: str) -> None:
        original = getattr(dist, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            calls.append(name)
            return original(*args, **kwargs)

        setattr(dist, name, call)

    starts = ("all_", "reduce", "gather", "broadcast", "scatter", "barrier", "send", "recv", "isend", "irecv")
    for name in dir(dist):
        if name.startswith(starts) and callable(getattr(dist, name)):
            counting(name)
    return calls
