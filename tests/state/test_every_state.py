"""Whatever happens to a state on its way, it stays the same: for every metric that has one."""

from __future__ import annotations

import io
import pickle
from typing import Any

import pytest
import torch
from metric_inputs import make_inputs, make_parameters
from metric_selection import BY_FAMILY
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricState
from rlmetrics.state.slots import beside
from state.compiled import check_compiled, one_of_each_merge
from torch.utils._python_dispatch import TorchDispatchMode


def state_of(key: str, seed: int) -> MetricState:
    """Return a state of a metric that has seen a batch."""
    metric = REGISTRY[key]
    return MetricState(key, device=None, **make_parameters(metric, seed)).update(**make_inputs(metric, seed))


@pytest.mark.parametrize("family", list(BY_FAMILY))
def test_survives_pickle_checkpoint_and_devices(family: str) -> None:
    """Pickled, saved and loaded, moved: the same numbers, and the next update goes on from them."""
    for key in BY_FAMILY[family]:
        state = state_of(key, 1)
        stream = io.BytesIO()
        torch.save(state.state_dict(), stream)
        stream.seek(0)
        resumed = MetricState(key, device=None, **state.parameters)
        resumed.load_state_dict(torch.load(stream, weights_only=True))
        moved = pickle.loads(pickle.dumps(state)).to("cpu")
        expected = state.update(**make_inputs(REGISTRY[key], 3)).values

        for other in (resumed, moved):
            torch.testing.assert_close(
                other.update(**make_inputs(REGISTRY[key], 3)).values, expected, rtol=0, atol=0, equal_nan=True
            )
        assert state.to("meta").values.device.type == "meta"


@pytest.mark.parametrize("family", list(BY_FAMILY))
def test_runs_without_data(family: str) -> None:
    """Updating, merging and computing need no number on the host: all of it runs on a device without data."""
    for key in BY_FAMILY[family]:
        metric = REGISTRY[key]
        if not metric.formula:
            continue  # Hand-written code may read its inputs on the host, and says so.
        inputs = {name: value.to("meta") for name, value in make_inputs(metric, 0).items()}
        state = MetricState(key, device=None, **make_parameters(metric, 0)).update(**inputs)
        assert state.merge(state).compute().device.type == "meta", key


class Copies(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts copies between devices: those that may go on while the host does, and those that it waits for."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.waiting = self.going_on = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if func is torch.ops.aten._to_copy.default and given.get("device", args[0].device) != args[0].device:
            free = bool(given.get("non_blocking"))
            self.going_on += free
            self.waiting += not free
        return func(*args, **given)


@pytest.mark.parametrize("family", list(BY_FAMILY))
def test_never_waits_for_the_device(family: str) -> None:
    """A state on the host follows its first batch to a device, or merges into one there, without waiting."""
    for key in BY_FAMILY[family]:
        metric = REGISTRY[key]
        if not metric.formula:
            continue
        inputs = {name: value.to("meta") for name, value in make_inputs(metric, 0).items()}
        host = state_of(key, 0)
        with Copies() as copies:
            MetricState(key, device=None, **make_parameters(metric, 0)).update(**inputs).merge(host)
        assert copies.waiting == 0, key
        assert copies.going_on >= 2, key


def test_host_waits_for_what_it_reads() -> None:
    """Numbers that come from a device to the host are there when they are used: that copy waits."""
    with Copies() as copies:
        beside(torch.empty(2, device="meta"), torch.ones(2))
    assert (copies.waiting, copies.going_on) == (0, 1)
    with Copies() as copies, pytest.raises(NotImplementedError, match="no data"):
        beside(torch.ones(2), torch.empty(2, device="meta"))
    assert (copies.waiting, copies.going_on) == (1, 0)


@pytest.mark.parametrize("key", one_of_each_merge()[::8])
def test_update_compiles_to_one_graph(key: str) -> None:
    """``torch.compile(fullgraph=True)`` takes the whole update, merging included, and nothing changes."""
    check_compiled(key)


def test_every_metric_that_is_computed_has_a_state() -> None:
    """Also what is written by hand, what is sorted and what is picked: there is no function without one."""
    assert [metric.id for metric in REGISTRY.values() if not metric.slots] == []


def test_over_ranks_wants_whole_states() -> None:
    """What was gathered must be a state for each rank; the error says how long one is."""
    state = state_of("kl/old/k1", 0)

    twice = state.over_ranks(torch.stack([state.values, state.values]))
    assert torch.equal(2 * state.values, twice.values)
    with pytest.raises(ValueError, match=r"kl/old/k1: gathered: expected 2 numbers per rank, got shape \[3\]"):
        state.over_ranks(torch.zeros(3))
