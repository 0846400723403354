"""Every function agrees with its reference on extreme data in float32."""

from __future__ import annotations

import pytest
from functional.extremes import SCENARIOS, check_agreement
from metric_selection import BY_FAMILY


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("family", BY_FAMILY)
def test_agrees_with_the_reference(family: str, scenario: str) -> None:
    """The result is that of the reference within the tolerance, infinite or NaN exactly where that is."""
    for key in BY_FAMILY[family]:
        check_agreement(key, scenario)
