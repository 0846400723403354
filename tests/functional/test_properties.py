"""What holds of functions beside their values and merges: for each combination of operations."""

from __future__ import annotations

import pytest
from generated_cases import CASES
from metric_checks import PROPERTIES, check
from metric_selection import SELECTED
from rlmetrics.functional import REGISTRY


def test_there_are_facts_about_every_function() -> None:
    """No function is without its generated facts."""
    assert set(CASES) == set(REGISTRY)


@pytest.mark.parametrize("name", PROPERTIES)
@pytest.mark.parametrize("key", SELECTED)
def test_a_property_holds(key: str, name: str) -> None:
    """The declared value over nothing, garbage in padding without effect, half precision, gradients, named errors."""
    check(name, CASES[key])
