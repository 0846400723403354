"""What type checkers and editors see of a suite: the inputs of an update, each by its name."""

from __future__ import annotations

import inspect

import pytest
from rlmetrics.state.suite import Suite
from suites.suite_support import SUITES


@pytest.mark.parametrize("make", SUITES)
def test_signature_names_the_inputs(make: type[Suite]) -> None:
    """Help and completion at run time show every input, and how packed tokens are told apart."""
    names = list(inspect.signature(make.update).parameters)

    assert names == ["self", *make.fusion.inputs, "cu_seqlens", "position_ids"]
    assert all(f"{name}: " in (make.update.__doc__ or "") for name in names[1:])
