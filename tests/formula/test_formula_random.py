"""Random formulas over random ragged data: compiler and reference agree, and parts merge to the whole."""

from __future__ import annotations

from functools import reduce

import pytest
import torch
from formula.formula_support import (
    Tensors,
    assert_same,
    compiled,
    expected,
    finalize,
    make,
    run,
    update_function,
    used,
)
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from rlmetrics.codegen.formula import Compiled
from rlmetrics.state import slots

QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])

NUMBERS = st.sampled_from(["0", "1", "2", "0.5", "1.25", "-1", "clip", "limit"])
LEAVES = {
    "token": ["logprobs", "old_logprobs", "advantages", "tokens", "per_token(scores)", "entropy(logits)"],
    "sequence": ["scores", "lengths", "seq_sum(logprobs)", "seq_max(advantages, over=everything)"],
    "group": ["group_mean(scores)", "group_sum(lengths)", "group_count()", "difficulty"],
}
MASKS = {
    "token": ["mask", "mask & special", "everything", "mask & per_token(terminated)"],
    "sequence": ["everything", "terminated", "seq_any(mask)"],
    "group": ["everything", "group_count() > 1"],
}


def numeric(domain: str) -> st.SearchStrategy[str]:
    """Return formulas with a number per element, kept within bounds so that rounding stays small."""

    def grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        pair = st.tuples(inner, st.one_of(inner, NUMBERS))
        return st.one_of(
            st.tuples(pair, st.sampled_from("+-*")).map(lambda t: f"({t[0][0]} {t[1]} {t[0][1]})"),
            pair.map(lambda t: f"{t[0]} / (1 + square({t[1]}))"),
            st.tuples(
                inner, st.sampled_from(["sigmoid", "abs", "sign", "square", "log_sigmoid", "-", "is_finite"])
            ).map(
                lambda t: (
                    f"(-{t[0]})"
                    if t[1] == "-"
                    else f"where({t[1]}({t[0]}), 1, 0)"
                    if t[1] == "is_finite"
                    else f"{t[1]}({t[0]})"
                )
            ),
            inner.map(lambda x: f"exp(clamp({x}, -2, 2))"),
            inner.map(lambda x: f"log1p(abs({x}))"),
            st.tuples(pair, st.sampled_from(["minimum", "maximum"])).map(lambda t: f"{t[1]}({t[0][0]}, {t[0][1]})"),
            st.tuples(condition(inner), pair).map(lambda t: f"where({t[0]}, {t[1][0]}, {t[1][1]})"),
            inner.map(lambda x: f"clamp({x}, -2, 2) ** 2"),
        )

    return st.recursive(st.sampled_from(LEAVES[domain]), grow, max_leaves=4)


def condition(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return comparisons and what joins them."""
    simple = st.tuples(inner, st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), st.one_of(inner, NUMBERS)).map(
        lambda t: f"({t[0]} {t[1]} {t[2]})"
    )
    return st.one_of(
        simple,
        simple.map(lambda x: f"~{x}"),
        st.tuples(simple, st.sampled_from("&|"), simple).map(lambda t: f"({' '.join(t)})"),
    )


@st.composite
def reductions(draw: st.DrawFn) -> str:
    """Return a reduction of a random domain over a random population."""
    domain = draw(st.sampled_from(sorted(LEAVES)))
    x = draw(numeric(domain))
    over = draw(st.sampled_from(["", *(f", over={mask}" for mask in MASKS[domain])]))
    kind = draw(st.sampled_from(["mean", "sum", "min", "max", "var", "std", "count", "fraction", "cov", "at_max"]))
    if kind == "count":
        return f"count({draw(condition(st.just(x)))}{over})"
    if kind == "fraction":
        return f"mean({draw(condition(st.just(x)))}{over})"
    if kind in ("cov", "at_max"):
        return f"{kind}({x}, {draw(st.sampled_from(LEAVES[domain]))}{over})"
    return f"{kind}({x}{over})"


@st.composite
def formulas(draw: st.DrawFn) -> str:
    """Return a whole formula: reductions and arithmetic on them, a histogram, or a quantile."""
    if draw(st.integers(0, 5)) == 0:
        domain = draw(st.sampled_from(sorted(LEAVES)))
        kept = draw(st.sampled_from(["histogram({}, low=-1.5, high=2.25, bins=5)", "quantile({}, level=0.3)"]))
        return str(kept.format(draw(numeric(domain))))
    first, second = draw(reductions()), draw(reductions())
    shape = draw(
        st.sampled_from(["{0}", "{0} + {1}", "{0} - 2 * {1}", "where({0} > {1}, {0}, 0)", "minimum({0}, {1})"])
    )
    return shape.format(first, second)


SEEDS = st.integers(0, 10_000)
SIZES = st.tuples(st.integers(0, 6), st.integers(0, 5), st.sampled_from([0.0, 0.2, 0.7, 1.0]))


def sample(seed: int, sizes: tuple[int, int, float]) -> Tensors:
    """Return random data of the drawn size."""
    batch, width, density = sizes
    return make(seed, batch=batch, width=width, density=density)


@pytest.mark.slow
@QUICK
@given(formulas(), SEEDS, SIZES, st.sampled_from([None, "nan", 0, "omit"]))
def test_compiler_and_reference_agree(
    formula: str, seed: int, sizes: tuple[int, int, float], empty: str | int | None
) -> None:
    """Whatever the formula, the data and the value over nothing, both evaluators say the same."""
    tensors = sample(seed, sizes)
    actual = run(compiled(formula, empty=empty), tensors)
    assert_same(expected(formula, tensors, empty=empty), actual, formula, tolerance=1e-7)


def parts(source: Compiled, tensors: Tensors, labels: list[int]) -> list[Tensors]:
    """Split tensors by a label per sequence; groups stay whole, and the order of labels is that of the parts."""
    ids = tensors["group_ids"]
    if source.atom == "group":
        labels = [labels[int(group) // 7] for group in ids.tolist()]
    split = []
    for label in sorted(set(labels)):
        rows = torch.tensor([place for place, one in enumerate(labels) if one == label], dtype=torch.long)
        part = {
            name: tensors[name][rows] for name in tensors if tensors[name].dim() and name not in ("times", "difficulty")
        }
        present = sorted(set(ids.tolist()))
        kept = [place for place, group in enumerate(present) if group in part["group_ids"].tolist()]
        split.append({**tensors, **part, "difficulty": tensors["difficulty"][kept]})
    return split


@pytest.mark.slow
@QUICK
@given(formulas(), SEEDS, st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_parts_merge_to_the_whole(formula: str, seed: int, labels: list[int]) -> None:
    """However whole atoms are dealt to parts, the merged state gives the result of everything at once."""
    if "at_max" in formula:
        # Of equals the earlier one counts, so parts must come in the order of their rows.
        labels.sort()
    source = compiled(formula)
    tensors = make(seed, batch=6)
    update = update_function(source)
    states = [update(**used(source, part)) for part in parts(source, tensors, labels)]
    merged = reduce(lambda left, right: slots.merge(source.slots, left, right), states, slots.initial(source.slots))
    note(f"{len(states)} parts")
    assert_same(expected(formula, tensors), finalize(source, merged), formula, 1e-7)


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
