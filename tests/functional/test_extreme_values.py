"""Functions that use every operation agree with their references on extreme data in float32."""

from __future__ import annotations

import pytest
import torch
from functional.extremes import SCENARIOS, VARIANCE, check_agreement, prepared
from metric_inputs import make_parameters
from metric_selection import SELECTED
from rlmetrics.functional import REGISTRY


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("key", SELECTED)
def test_agrees_with_the_reference(key: str, scenario: str) -> None:
    """The result is that of the reference within the tolerance, infinite or NaN exactly where that is."""
    check_agreement(key, scenario)


@pytest.mark.parametrize("scenario", list(SCENARIOS))
def test_scenarios_change_something(scenario: str) -> None:
    """Each scenario reaches many metrics, and most results stay numbers."""
    reached = finite = 0
    for key in REGISTRY:
        plain, inputs = prepared(REGISTRY[key], scenario, 0)
        if any(not torch.equal(plain[name], inputs[name]) for name in plain):
            reached += 1
            finite += bool(REGISTRY[key].function(**inputs, **make_parameters(REGISTRY[key], 0)).isfinite().all())
    assert reached > 30
    assert finite > reached / 2


def test_variance_far_from_zero() -> None:
    """Values around 1e4 with a spread of 1e-2 have the variance of what float32 holds, which sums of squares lose."""
    values = 1e4 + 1e-2 * torch.randn((64, 256), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(values, dtype=torch.bool)
    expected = values.double().var()
    found = REGISTRY["value/variance"](values, mask)
    assert abs(found - expected) <= VARIANCE * expected
    naive = (values.square().mean() - values.mean().square()).double()
    assert abs(naive - expected) > 0.5 * expected
