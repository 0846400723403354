"""Guards are compared by trying every configuration that they can tell apart."""

from __future__ import annotations

from lint.spec_text import BASE
from rlmetrics.codegen.lint.context import Context
from rlmetrics.codegen.lint.guardsets import impossible
from rlmetrics.codegen.loader import load

CONTEXT = Context(load(BASE))


def test_what_is_not_certain_is_not_claimed() -> None:
    """Arithmetic and very long searches may miss a configuration, so nothing is said to be impossible then."""
    numbers = [f"beta not in {list(range(start, start + 50))}" for start in range(0, 400, 50)]
    numbers += [f"window not in {list(range(start, start + 50))}" for start in range(0, 400, 50)]

    assert impossible(CONTEXT, "acme", "trainer", "beta == 1", "beta == 2")
    assert not impossible(CONTEXT, "acme", "trainer", "beta * beta == 2")
    assert not impossible(CONTEXT, "acme", "trainer", *numbers, "beta > window", "beta < window")
