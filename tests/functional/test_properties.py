"""What holds of functions beside their values and merges: for each combination of operations, or for every function."""

from __future__ import annotations

import pytest
from generated_cases import CASES
from metric_checks import CHECKS, check
from metric_selection import SELECTIONS
from rlmetrics.functional import REGISTRY


def test_there_are_facts_about_every_function() -> None:
    """No function is without its generated facts."""
    assert set(CASES) == set(REGISTRY)


@pytest.mark.parametrize("name", CHECKS[2:])
@pytest.mark.parametrize("keys", SELECTIONS)
def test_a_property_holds(keys: tuple[str, ...], name: str) -> None:
    """The declared value over nothing, garbage in padding without effect, half precision, gradients, named errors."""
    for key in keys:
        check(name, CASES[key])
