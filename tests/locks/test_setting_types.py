"""What a setting can be is what its choices and defaults show, unless it is said."""

from __future__ import annotations

from typing import Any

import pytest
from rlmetrics.codegen.model.config_key import ConfigKey


@pytest.mark.parametrize(
    ("said", "classes", "expected"),
    [
        ({"choices": ["a", "b"]}, ["a"], "choice"),
        ({}, [True, None], "bool"),
        ({}, [1, 2], "int"),
        ({"defaults": [{"value": 1}]}, [0.5], "float"),
        ({"defaults": [{"value": 0}]}, [], "int"),
        ({}, ["x"], "str"),
        ({"type": "float"}, [1], "float"),
        ({}, [None], None),
        ({}, [True, 1], None),
        ({}, ["x", 1], None),
    ],
)
def test_the_type_is_shown(said: dict[str, Any], classes: list[object], expected: str | None) -> None:
    """By all values together: whole numbers beside others are numbers, and mixed kinds show nothing."""
    setting = ConfigKey.model_validate({"brief": "B.", **said})
    assert setting.typed(classes).type == expected
