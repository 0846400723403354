"""Guards are compared by trying every configuration that they can tell apart."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lint.spec_text import BASE
from rlmetrics.codegen.lint.context import Context
from rlmetrics.codegen.lint.guardsets import witness
from rlmetrics.codegen.loader import load
from rlmetrics.names.settings.guards import GuardError, parse

CONTEXT = Context(load(BASE))
LEAVES = st.sampled_from(
    [
        "beta > 0",
        "beta == 1",
        "beta != 2",
        "window < 3",
        "window >= 2",
        "mode == 'token'",
        "mode in ['sequence']",
        "beta",
    ]
)
GUARDS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(lambda guard: f"not ({guard})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda part: f"({part[0]}) {part[1]} ({part[2]})"),
    ),
    max_leaves=4,
)


def find(*guards: str) -> dict[str, Any] | None:
    """A configuration of the base spec's trainer in which all guards hold."""
    return witness(CONTEXT, "acme", "trainer", *guards)


@pytest.mark.parametrize(
    ("guards", "possible"),
    [
        (("beta > 0", "beta < 1"), True),
        (("window > 0", "window < 1"), False),
        (("beta == 0", "beta != 0"), False),
        (("beta", "beta == 0"), False),
        (("not beta", "beta == null"), True),
        (("mode == 'token'", "mode == 'sequence'"), False),
        (("mode != 'token'", "mode != 'sequence'"), False),
        (("beta > -1", "beta < -0.5"), True),
        (("beta + 1 > 1", "beta < 0"), False),
        (("mode in ['token', 'sequence']",), True),
        (("true",), True),
        (("false",), False),
        ((), True),
    ],
)
def test_whether_guards_can_hold_together(guards: tuple[str, ...], possible: bool) -> None:
    """Whole numbers, numbers, choices and null are told apart as configurations can be."""
    assert possible == (find(*guards) is not None)


@given(GUARDS, GUARDS)
def test_the_search_agrees_with_trying_everything(first: str, second: str) -> None:
    """Over a grid of values that covers the guards' constants, brute force gives the same answer."""
    grid = itertools.product([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0], [-1, 0, 1, 2, 3, 4], ["token", "sequence"])
    possible = any(
        holds(first, config) and holds(second, config)
        for config in (dict(zip(["beta", "window", "mode"], values, strict=True)) for values in grid)
    )
    found = find(first, second)

    assert possible == (found is not None)
    if found is not None:
        config = {"beta": 0.0, "window": 0, "mode": "token", **found}
        assert holds(first, config)
        assert holds(second, config)


def holds(guard: str, config: dict[str, Any]) -> bool:
    """Whether a guard holds; one that cannot be evaluated does not."""
    try:
        return parse(guard).holds(config)
    except GuardError:
        return False
