"""Conditions for readers: shorter, and true in exactly the same configurations."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.codegen.generate.conditions import LONG, Conditions, either

NAMES = ("a", "b", "c", "d")


def expressions() -> st.SearchStrategy[str]:
    """Return guards over four switches and one choice."""
    leaves = st.sampled_from([*NAMES, "mode == 'x'", "mode != 'x'", "mode in ['x', 'y']", "mode not in ['x', 'z']"])

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.one_of(
            inner.map(lambda one: f"not ({one})"),
            st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
                lambda both: f"({both[0]}) {both[1]} ({both[2]})"
            ),
        )

    return st.recursive(leaves, extend, max_leaves=6)


@given(st.lists(expressions(), min_size=1, max_size=5))
def test_either_holds_where_one_of_the_guards_does(guards: list[str]) -> None:
    """In every configuration the one condition is as true as the guards together."""
    condition = either(tuple(guards))

    for values in product([False, True], repeat=len(NAMES)):
        for mode in ("x", "y", "z"):
            configuration = {**dict(zip(NAMES, values, strict=True)), "mode": mode}
            wanted = any(eval(guard, {}, configuration) for guard in guards)
            assert wanted == (condition == "" or bool(eval(condition, {}, configuration)))


@pytest.mark.parametrize(
    ("guards", "expected"),
    [
        (["a and b", "a and not b"], "a"),
        (["a and b", "not a"], "b or not a"),
        (["kind == 'x' and a", "kind == 'x' and not a and b"], "kind == 'x' and (a or b)"),
        (["a", "a and b"], "a"),
        (["a", "not a"], ""),
        (["b and a != 1 and a != 0", "b and a != 1 and a == 0 and c"], "b and (a not in [0, 1] or a == 0 and c)"),
        (
            ["not (kind == 'x') and not (kind == 'y' and a)", "kind == 'z'"],
            "kind != 'x' and (kind != 'y' or not a)",
        ),
        (["a and kind == 'x'", "b", "a and kind in ['y', 'z']"], "a and kind in ['x', 'y', 'z'] or b"),
        (["kind == 'x' and kind != 'y' and a"], "kind == 'x' and a"),
        (["loss == 'ipo' and (f == 'kl' or liger)", "loss == 'ipo' and f != 'kl' and not liger"], "loss == 'ipo'"),
    ],
)
def test_either_leaves_out_what_does_not_matter(guards: list[str], expected: str) -> None:
    """Switches that were multiplied out come together again."""
    assert expected == either(tuple(guards))


def test_long_conditions_are_listed_once() -> None:
    """A short condition stands where it applies; a long one has a number, the same at every place."""
    conditions = Conditions()
    long = "`" + " and ".join(f"setting_{number}" for number in range(LONG // 10)) + "`"

    shown = [conditions(text) for text in ("`beta != 0`", long, long)]

    assert ["`beta != 0`", "[condition 1](#c1)", "[condition 1](#c1)"] == shown
    assert {long: 1} == conditions.listed
