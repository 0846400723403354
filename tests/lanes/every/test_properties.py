"""What holds of functions beside their values and merges: for every function of each family."""

from __future__ import annotations

import pytest
from generated_cases import CASES
from metric_checks import PROPERTIES, check
from metric_selection import BY_FAMILY


@pytest.mark.parametrize("name", PROPERTIES)
@pytest.mark.parametrize("family", BY_FAMILY)
def test_a_property_holds(family: str, name: str) -> None:
    """The declared value over nothing, garbage in padding without effect, half precision, gradients, named errors."""
    for key in BY_FAMILY[family]:
        check(name, CASES[key])
