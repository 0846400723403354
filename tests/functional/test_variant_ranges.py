"""A variant of a formula lies where the spec says that it does: in the metric's range or in one of its own."""

from __future__ import annotations

import pytest
import torch
from metric_inputs import make_inputs, make_parameters
from rlmetrics.functional import REGISTRY
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.wording.metric_facts import range_of
from torch import Tensor

TABLES = load_tables()
_NEVER_NEGATIVE = ("entropy", "weight", "mass", "loss", "norm")
_ROUNDING = 1e-5
BOUNDED = [
    key for key in REGISTRY if "@" in key and range_of(key.partition("@")[0], None, TABLES) not in (None, (None, None))
]


def possible(name: str, value: Tensor) -> Tensor:
    """An input with numbers that it can have: log-probabilities are never positive, entropies never negative."""
    if "logprob" in name:
        return -value.abs()
    return value.abs() if value.is_floating_point() and any(word in name for word in _NEVER_NEGATIVE) else value


@pytest.mark.parametrize("key", BOUNDED)
def test_values_lie_in_the_range(key):
    """Whatever the batch is like."""
    metric, _, variant = key.partition("@")
    low, high = range_of(metric, variant, TABLES) or (None, None)
    found = []
    for seed in range(24):
        inputs = {name: possible(name, given) for name, given in make_inputs(REGISTRY[key], seed).items()}
        value = REGISTRY[key](**inputs, **make_parameters(REGISTRY[key], seed))
        found += [value.double()] if isinstance(value, Tensor) and value.ndim == 0 else []
    values = torch.stack(found) if found else torch.empty(0)
    values = values[values.isfinite()]

    assert [float(value) for value in values if low is not None and value < low - _ROUNDING] == []
    assert [float(value) for value in values if high is not None and value > high + _ROUNDING] == []
