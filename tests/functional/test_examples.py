"""The examples in docstrings, typed and compared with what they print."""

from __future__ import annotations

import doctest
import math

import pytest
from metric_selection import BY_FAMILY
from rlmetrics import functional
from rlmetrics.functional import REGISTRY
from torch import tensor

NAMES = {"F": functional, "tensor": tensor, "exp": math.exp, "log": math.log, "sqrt": math.sqrt}
"""What the docstring of the package says that examples have imported."""


@pytest.mark.parametrize("family", list(BY_FAMILY))
def test_every_function_has_an_example_that_holds(family: str) -> None:
    """Each function has one example, which calls it through the package and prints exactly what it says."""
    finder, runner = doctest.DocTestFinder(recurse=False), doctest.DocTestRunner(verbose=False)
    for key in BY_FAMILY[family]:
        function = REGISTRY[key].function
        (example,) = finder.find(function, function.__name__, globs=dict(NAMES))
        assert f"F.{function.__name__}(" in str(example.docstring), key
        said: list[str] = []
        assert runner.run(example, out=said.append).failed == 0, "".join(said)
