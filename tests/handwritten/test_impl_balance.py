"""How unevenly experts are used."""

from __future__ import annotations

import math

import pytest
import torch
from rlmetrics.handwritten import by_definition
from rlmetrics.handwritten.balance import mean_absolute_violation


@pytest.mark.parametrize(
    ("loads", "expected"),
    [([3, 3, 3, 3], 0.0), ([8, 0, 0, 0], 1.5), ([1, 3], 0.5)],
    ids=["even", "one expert", "two experts"],
)
def test_known_loads(loads: list[int], expected: float) -> None:
    """Even loads violate nothing; a single used expert of four is 3 above and three are 1 below the mean."""
    assert mean_absolute_violation(torch.tensor(loads)).item() == expected
    assert by_definition.mean_absolute_violation(loads) == expected


def test_nothing_routed() -> None:
    """Without any assignment there is no balance to speak of."""
    assert math.isnan(mean_absolute_violation(torch.zeros(4, dtype=torch.int64)).item())
    assert math.isnan(by_definition.mean_absolute_violation([0, 0]))
