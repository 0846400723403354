"""Whatever is wrong with an input, one clear error names it: in every function, state, suite and estimator."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from metric_inputs import make_inputs, make_parameters
from metric_selection import BY_FAMILY
from rlmetrics import advantages, logprobs
from rlmetrics.functional import REGISTRY
from rlmetrics.state.suite import Suite
from suites.suite_support import SUITES, make_batch
from torch import Tensor

FAULTS = ("list", "none", "number", "dtype", "rank", "size", "device")
KEYS = list(REGISTRY)
TOKENS, ROWS = torch.zeros(3, 4), torch.zeros(3)
MASK, IDS = torch.ones(3, 4, dtype=torch.bool), torch.zeros(3, 4, dtype=torch.int64)
OTHERS: Mapping[str, tuple[Callable[..., Any], dict[str, Tensor], dict[str, float]]] = {
    "gae": (
        advantages.gae,
        {"token_rewards": TOKENS, "values": TOKENS, "mask": MASK},
        {"gamma": 1.0, "lam": 0.9},
    ),
    "discounted_returns": (advantages.discounted_returns, {"token_rewards": TOKENS, "mask": MASK}, {}),
    "group_relative": (advantages.group_relative, {"rewards": ROWS, "group_ids": IDS[:, 0]}, {}),
    "best_of_group": (advantages.best_of_group, {"rewards": ROWS, "group_ids": IDS[:, 0]}, {}),
    "leave_one_out": (advantages.leave_one_out, {"rewards": ROWS, "group_ids": IDS[:, 0]}, {}),
    "per_token": (advantages.per_token, {"sequence_advantages": ROWS, "mask": MASK}, {}),
    "whiten": (advantages.whiten, {"advantages": TOKENS, "mask": MASK}, {}),
    "log_prob": (logprobs.log_prob, {"logits": torch.zeros(3, 4, 5), "tokens": IDS, "mask": MASK}, {}),
    "entropy": (logprobs.entropy, {"logits": torch.zeros(3, 4, 5), "mask": MASK}, {}),
    "head_log_prob_entropy": (
        logprobs.head_log_prob_entropy,
        {"hidden": torch.zeros(3, 4, 2), "weight": torch.zeros(5, 2), "tokens": IDS, "mask": MASK},
        {},
    ),
}


def spoilt(value: Tensor, fault: str) -> object:
    """Return an input with something wrong."""
    changes: dict[str, Callable[[], object]] = {
        "list": value.tolist,
        "none": lambda: None,
        "number": lambda: 0.5,
        "dtype": lambda: value.to(torch.int64 if value.is_floating_point() else torch.float32),
        "rank": lambda: value.unsqueeze(0),
        "size": lambda: value[1:],
        "device": lambda: value.to("meta"),
    }
    return changes[fault]()


def check(call: Callable[..., object], inputs: Mapping[str, Tensor], name: str, fault: str, matters: bool) -> None:
    """Call with one input spoilt and check the error, unless the fault cannot show with these inputs."""
    if not matters:
        return
    wrong = spoilt(inputs[name], fault)
    with pytest.raises((TypeError, ValueError)) as caught:
        call(**{**inputs, name: wrong})
    message = str(caught.value)
    assert "\n" not in message
    # A wrong first input makes the second one the odd one out.
    assert any(
        message.startswith(f"{other}: expected ") for other in (inputs if fault in ("size", "device") else [name])
    )
    assert ", got " in message


@settings(max_examples=300)
@given(key=st.sampled_from(KEYS), data=st.data())
def test_of_a_metric(key: str, data: st.DataObject) -> None:
    """A list, None, a number, another dtype, rank, size or device in place of any input of any function and state."""
    metric = REGISTRY[key]
    inputs, parameters = make_inputs(metric, 0), make_parameters(metric, 0)
    name, axes, _ = data.draw(st.sampled_from(metric.inputs))
    fault = data.draw(st.sampled_from(FAULTS))
    with_axis = [other for other, sizes, _ in metric.inputs if axes[:1] == sizes[:1]]
    with_axes = [other for other, sizes, _ in metric.inputs if sizes]
    matters = {"size": bool(axes) and len(with_axis) > 1, "device": bool(axes) and len(with_axes) > 1}.get(fault, True)
    check(lambda **given: metric.function(**given, **parameters), inputs, name, fault, matters)
    if metric.slots:
        state = metric.state(device=None, **parameters)
        check(state.update, inputs, name, fault, matters)
        assert torch.equal(metric.state(device=None, **parameters).values, state.values)


@given(make=st.sampled_from(SUITES), data=st.data())
def test_of_a_suite(make: type[Suite], data: st.DataObject) -> None:
    """The same in place of any input of a suite, whose state stays as it was."""
    suite = make()  # type: ignore[call-arg]
    batch = make_batch(suite, 0)
    name = data.draw(st.sampled_from(list(batch)))
    fault = data.draw(st.sampled_from([fault for fault in FAULTS if fault != "none"]))
    axes, _ = suite.fusion.inputs[name]
    sharing = [other for other, (sizes, _) in suite.fusion.inputs.items() if axes[:1] == sizes[:1]]
    check(suite.update, batch, name, fault, matters=fault != "size" or len(sharing) > 1)
    assert torch.equal(make().values, suite.values)  # type: ignore[call-arg]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", list(OTHERS))
def test_of_an_estimator(name: str, fault: str) -> None:
    """The same in place of any input of an estimator of advantages, or of a function over the vocabulary."""
    function, inputs, options = OTHERS[name]
    optional = {word for word, one in inspect.signature(function).parameters.items() if one.default is None}
    for word in inputs:
        # The head has a size of its own, and its words are nobody else's.
        matters = not (fault == "none" and word in optional) and not (fault == "size" and word == "weight")
        check(lambda **given: function(**given, **options), inputs, word, fault, matters)


@pytest.mark.parametrize("family", list(BY_FAMILY))
def test_a_missing_input_is_named(family: str) -> None:
    """Leaving an input out is an error that names it."""
    for metric in map(REGISTRY.__getitem__, BY_FAMILY[family]):
        inputs, parameters = make_inputs(metric, 0), make_parameters(metric, 0)
        for name in inputs:
            rest = {other: value for other, value in inputs.items() if other != name}
            with pytest.raises(TypeError, match=f"missing .*'{name}'"):
                metric.function(**rest, **parameters)
