"""Random formulas over random ragged data: compiler and reference agree, and parts merge to the whole."""

from __future__ import annotations

from functools import reduce

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
from formula.random_formulas import LEAVES, QUICK, SEEDS, condition, numeric
from hypothesis import given, note
from hypothesis import strategies as st
from rlmetrics.codegen.formula import Compiled
from rlmetrics.state import slots

MASKS = {
    "token": ["mask", "mask & special", "everything", "mask & per_token(terminated)"],
    "sequence": ["everything", "terminated", "seq_any(mask)"],
    "group": ["everything", "group_count() > 1"],
}


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


SIZES = st.tuples(st.integers(0, 6), st.integers(0, 5), st.sampled_from([0.0, 0.2, 0.7, 1.0]))


def sample(seed: int, sizes: tuple[int, int, float]) -> Tensors:
    """Return random data of the drawn size."""
    batch, width, density = sizes
    return make(seed, batch=batch, width=width, density=density)


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
