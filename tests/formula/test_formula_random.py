"""Random formulas over random ragged data: compiler and reference agree, and parts merge to the whole."""

from __future__ import annotations

from functools import reduce

from formula.formula_support import (
    assert_same,
    compiled,
    expected,
    finalize,
    make,
    update_function,
    used,
)
from formula.random_formulas import QUICK, SEEDS, numeric
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.state import slots


@QUICK
@given(numeric("token"), SEEDS, st.lists(st.integers(0, 4), min_size=2, max_size=2))
def test_tokens_may_be_cut_where_the_atom_is_the_token(x: str, seed: int, cuts: list[int]) -> None:
    """A metric whose atom is the token may be split between the tokens of a sequence."""
    formula = f"mean({x}) + var({x}) - max({x})"
    source = compiled(formula)
    tensors = make(seed)
    update = update_function(source)
    first, second = sorted(cuts)
    states = []
    for start, stop in ((0, first), (first, second), (second, 5)):
        part = {name: tensor[:, start:stop] if tensor.dim() > 1 else tensor for name, tensor in tensors.items()}
        states.append(update(**used(source, part)))
    merged = reduce(lambda left, right: slots.merge(source.slots, left, right), states)
    assert source.atom == "token"
    assert_same(expected(formula, tensors), finalize(source, merged), formula, 1e-7)
