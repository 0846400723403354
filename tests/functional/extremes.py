"""Extreme data in float32: a function against its reference, which computes in float64, one number at a time.

A mean may be off by 1e-6 and a variance, or what is made of one, by 1e-5, relative to the result. Where terms of both
signs cancel, results below 1 may be off by as much in absolute terms, except where the data are narrow: there a
variance is 1e-4, and its digits are what is asked for.
"""

from __future__ import annotations

import re
from functools import partial

import torch
from metric_checks import cast
from metric_inputs import Tensors, make_inputs, make_parameters
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricFunction
from torch import Tensor

MEAN, VARIANCE = 1e-6, 1e-5
SEEDS = (0, 1, 5)

BEYOND = {
    ("far_apart", "rollout/chi_squared/token"): "exp(100), a weight squared, is beyond float32",
    (
        "far_apart",
        "rollout/token_weight/effective_fraction@zeroed",
    ): "exp(-100), its square, is below float32",
}
"""What no float32 can hold: compared in float64."""


def far_apart(inputs: Tensors, generator: torch.Generator) -> Tensors:
    """Return log-probabilities of which one is 50 nats from the others, either way, or not at all.

    They are whole eighths, so that their differences are exact in float32 too: a difference of 50 that is rounded is
    off by 2e-6, and its exponential by as much, relative to it.
    """
    names = [name for name, value in inputs.items() if name.endswith("logprobs") and value.is_floating_point()]
    changed = {name: (inputs[name] * 8).round() / 8 for name in names}
    if names:
        name = names[int(torch.randint(len(names), (), generator=generator))]
        step = torch.tensor([-50.0, 0.0, 50.0])[torch.randint(3, changed[name].shape, generator=generator)]
        changed[name] = changed[name] + step.to(changed[name].dtype)
    return {**inputs, **changed}


def large(inputs: Tensors, generator: torch.Generator) -> Tensors:
    """Return rewards, scores, values and returns of a million."""
    return {**inputs, **{name: value * 1e6 for name, value in inputs.items() if _is_reward(name, value)}}


def narrow(inputs: Tensors, generator: torch.Generator) -> Tensors:
    """Return rewards, scores, values and returns around 1e4 with a spread of 1e-2, of which float32 has ten steps."""
    return {
        **inputs,
        **{
            name: 1e4 + 1e-2 * torch.randn(value.shape, generator=generator, dtype=value.dtype)
            for name, value in inputs.items()
            if _is_reward(name, value)
        },
    }


def empty_responses(inputs: Tensors, generator: torch.Generator) -> Tensors:
    """Return a batch in which all responses but one have no token."""
    changed = {}
    for name, value in inputs.items():
        if name.endswith("mask"):
            changed[name] = value & (torch.arange(value.shape[0]) == 1).unsqueeze(-1)
        elif name.endswith("lengths"):
            changed[name] = value.masked_fill(torch.arange(value.shape[0]) != 1, 0)
    return {**inputs, **changed}


SCENARIOS = {scenario.__name__: scenario for scenario in (far_apart, large, narrow, empty_responses)}


def _is_reward(name: str, value: Tensor) -> bool:
    words = ("reward", "score", "value", "return")
    return value.is_floating_point() and any(word in name for word in words) and name != "score_seconds"


def prepared(metric: MetricFunction, scenario: str, seed: int) -> tuple[Tensors, Tensors]:
    """Return plain and extreme inputs in float32, or in float64 where that is not enough."""
    plain = make_inputs(metric, seed)
    extreme = SCENARIOS[scenario](plain, torch.Generator().manual_seed(seed))
    dtype = torch.float64 if (scenario, metric.id) in BEYOND else torch.float32
    return cast(plain, dtype), cast(extreme, dtype)


def tolerance_of(metric: MetricFunction) -> float:
    """Return the relative tolerance of a metric."""
    text = " ".join([metric.formula, *metric.let.values(), metric.own_reference])
    return VARIANCE if re.search(r"std|var|corr|cov", text) else MEAN


def check_agreement(key: str, scenario: str) -> None:
    """Compare a metric with its reference: within the tolerance, infinite or NaN exactly where that is."""
    metric = REGISTRY[key]
    allowed = tolerance_of(metric)
    for seed in SEEDS:
        plain, inputs = prepared(metric, scenario, seed)
        if all(torch.equal(plain[name], inputs[name]) for name in plain):
            continue
        parameters = make_parameters(metric, 0)
        expected, found = metric.reference(**inputs, **parameters), metric.function(**inputs, **parameters)
        absolute = 1e-12 if scenario == "narrow" else allowed
        torch.testing.assert_close(
            found, expected, rtol=allowed, atol=absolute, equal_nan=True, msg=partial("{}: {}".format, key)
        )
