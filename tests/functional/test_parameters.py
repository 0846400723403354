"""Parameters that are no numbers, or make no sense, are one clear error in functions, states and suites."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from rlmetrics import advantages
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricState
from rlmetrics.suites import GRPOSuite, make_suite

TOKENS = torch.zeros(2, 3)
MASK = torch.tensor([[1, 1, 0], [1, 0, 0]])
INPUTS = {"logprobs": TOKENS, "old_logprobs": TOKENS, "advantages": TOKENS, "mask": MASK}


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (None, TypeError, "missing parameter 'clip_low'"),
        ("0.2", TypeError, "clip_low: expected a number, got str"),
        (torch.tensor(0.2), TypeError, "clip_low: expected a number, got Tensor"),
        (-0.2, ValueError, r"clip_low: expected at least 0, got -0\.2"),
        (math.nan, ValueError, "clip_low: expected at least 0, got nan"),
    ],
)
def test_wrong_bounds(value: object, error: type[Exception], says: str) -> None:
    """The error names the metric or suite, the parameter, what was expected and what came."""
    key = "policy/clip_fraction"
    calls: list[tuple[str, Callable[[], object]]] = [
        (key, lambda: REGISTRY[key](**INPUTS, clip_low=value)),
        (key, lambda: MetricState(key, clip_low=value)),  # type: ignore[arg-type]
        (key, lambda: make_suite([key], clip_low=value)),  # type: ignore[arg-type]
        ("GRPOSuite", lambda: GRPOSuite(clip_low=value)),  # type: ignore[arg-type]
    ]
    for title, call in calls:
        with pytest.raises(error, match=f"{title}: {says}"):
            call()


def test_whole_numbers() -> None:
    """The number of samples is an int, in the signature as in fact."""
    function = REGISTRY["validation/pass_at_k"]
    given = {"solved": torch.tensor([True, False]), "group_ids": torch.zeros(2, dtype=torch.int64)}

    assert inspect.signature(function.function).parameters["k"].annotation == "int"
    assert function(**given, k=2).item() == 1
    with pytest.raises(TypeError, match=r"validation/pass_at_k: k: expected a whole number, got 1\.5"):
        function(**given, k=1.5)
    with pytest.raises(ValueError, match="validation/pass_at_k: k: expected at least 1, got 0"):
        function(**given, k=0)


def test_integer_masks() -> None:
    """Masks of integers are masks of truth values, in metrics and in estimators of advantages."""
    rewards = torch.randn(2, 3)
    calls: list[tuple[Callable[..., Any], dict[str, Any]]] = [
        (advantages.gae, {"token_rewards": rewards, "values": rewards, "gamma": 0.9, "lam": 0.9}),
        (advantages.discounted_returns, {"token_rewards": rewards}),
        (advantages.whiten, {"advantages": rewards}),
        (advantages.per_token, {"sequence_advantages": rewards[:, 0]}),
    ]
    for mask in (MASK, MASK.int(), MASK.to(torch.uint8)):
        for function, given in calls:
            expected, found = function(**given, mask=MASK.bool()), function(**given, mask=mask)
            assert torch.equal(torch.stack(tuple(expected)), torch.stack(tuple(found)))
        assert GRPOSuite().update(**{**INPUTS, "mask": mask}).compute() == (
            GRPOSuite().update(**{**INPUTS, "mask": MASK.bool()}).compute()
        )
    with pytest.raises(TypeError, match=r"mask: expected a bool tensor \[B, T\], got torch\.float32; pass mask\.bool"):
        advantages.whiten(rewards, MASK.float())


def test_former_names() -> None:
    """An input that was renamed is still taken by its former name, with a warning that says the new one."""
    with pytest.warns(
        DeprecationWarning, match="discounted_returns: token_level_rewards is deprecated, .* token_rewards"
    ):
        found = advantages.discounted_returns(token_level_rewards=TOKENS + 1, mask=MASK)  # type: ignore[call-arg]
    assert found.tolist() == [[2, 1, 0], [1, 0, 0]]
    with pytest.warns(DeprecationWarning, match="optional is deprecated"):
        make_suite(["kl/old/k1"], optional=["mask"])
