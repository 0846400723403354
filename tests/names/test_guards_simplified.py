"""Guards without repetitions: they hold where the guards hold that they were made of."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.names.settings.guards import parse
from rlmetrics.names.settings.negation import written
from rlmetrics.names.settings.simplification import decisive, simplified

SETTINGS = {
    "a": (False, True),
    "b": (False, True),
    "kind": ("x", "y", "z"),
    "count": (0, 1, 2),
    "name": (None, "x", "y"),
}
EVERY = [dict(zip(SETTINGS, values, strict=True)) for values in product(*SETTINGS.values())]
LEAVES = st.sampled_from(
    [
        "a",
        "b",
        "not a",
        "kind == 'x'",
        "kind != 'y'",
        "kind in ['x', 'z']",
        "kind not in ['x']",
        "count > 0",
        "count == 1",
        "name != null",
        "name == null",
        "name == 'x'",
        "name in ['x', 'y']",
    ]
)
GUARDS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from([" and ", " or "]), st.lists(inner, min_size=2, max_size=3)).map(
            lambda found: f"({found[0].join(found[1])})"
        ),
        inner.map(lambda guard: f"not ({guard})"),
    ),
    max_leaves=8,
)


@given(GUARDS)
def test_the_same_answers(guard):
    """Under every value of the settings."""
    short = simplified(parse(guard))

    assert [short.holds(values) for values in EVERY] == [parse(guard).holds(values) for values in EVERY]


@given(GUARDS)
def test_no_more_comparisons(guard):
    """What is said is at most as long as it was, counted in comparisons and settings that are asked for."""

    def asked(text):
        return len(re.findall(r"\b(?:a|b|kind|count|name)\b", text))

    assert asked(written(simplified(parse(guard)))) <= asked(guard)


@given(GUARDS, st.sampled_from(EVERY))
def test_what_decides_is_needed(guard, values):
    """It holds wherever the guard holds, so that "only if" is true of it, and does not hold where the guard fails."""
    whole = parse(guard)
    told = decisive(simplified(whole), values)

    assert [others for others in EVERY if whole.holds(others) and not told.holds(others)] == []
    assert told.holds(values) == whole.holds(values)


@pytest.mark.parametrize(
    ("guard", "short"),
    [
        ("(a or b) and (b or count > 0)", "b or (a and count > 0)"),
        ("a and ((a or b) and (count > 0 or a))", "a"),
        (
            "b and (kind == 'x' and a and count > 0 or kind == 'y' and a and count > 0)",
            "b and a and count > 0 and kind in ['x', 'y']",
        ),
        (
            "kind not in ['x', 'y'] and (kind != 'x' or a) and kind != 'z'",
            "kind not in ['x', 'y', 'z'] and (kind != 'x' or a)",
        ),
        ("(a or b) and a", "a"),
        ("not (a and not b)", "not a or b"),
        ("a or not a", "true"),
        ("(name != null or a or b) and name == 'x'", "name == 'x'"),
        ("(a or b or count > 0) and (b or a)", "b or a"),
        ("(a and b and count > 0) or (b and a)", "b and a"),
    ],
)
def test_what_is_left(guard, short):
    """Repetitions go, what all alternatives ask for stands once, and values of one setting are listed."""
    assert written(simplified(parse(guard))) == short
