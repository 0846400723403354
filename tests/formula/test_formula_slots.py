"""States: their layout, their algebra, and what empty populations give."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch
from formula.formula_support import assert_same, compiled, expected, finalize, make, run, update_function, used
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.codegen.formula import Slot
from rlmetrics.state import slots
from rlmetrics.state.kinds import SLOT_KINDS
from rlmetrics.state.slot_layout import Layout, identity, offsets, width

ALL = tuple(Slot(kind, kind, bins=3 if kind == "bins" else 0, low=0.0, high=1.0) for kind in SLOT_KINDS)
WIDTHS = {"sum": 1, "count": 1, "min": 1, "max": 1, "moments": 3, "comoments": 6, "bins": 7, "last": 2}
WIDTHS |= {"at_max": 3, "values": 0}


def test_layout() -> None:
    """Slots lie one after the other, as wide as their kind says."""
    assert {slot.kind: width(slot) for slot in ALL} == WIDTHS
    assert offsets(ALL) == (0, 1, 2, 3, 4, 7, 13, 20, 22, 25, 25)
    layout = Layout(ALL)
    assert offsets(ALL)[-1] == layout.width
    assert [place for slot, place in layout if slot.kind == "moments"] == [slice(4, 7)]
    assert layout.identity == tuple(slots.initial(ALL).tolist())
    assert identity(ALL[6])[-2:] == (math.inf, -math.inf)


def test_pack_and_unpack() -> None:
    """Unpacking gives back what was packed: scalars for narrow slots, vectors for wide ones."""
    values = [torch.rand(() if width(slot) == 1 else (width(slot),), dtype=torch.float64) for slot in ALL]
    for before, after in zip(values, slots.unpack(ALL, slots.pack(values)), strict=True):
        assert before.shape == after.shape
        assert before.tolist() == after.tolist()


FORMULA = (
    "mean(logprobs) + count(logprobs > 0) + min(logprobs) + max(logprobs) + var(logprobs)"
    " + corr(logprobs, advantages) + last(coefficient)"
    " + at_max(logprobs, advantages) + quantile(advantages, level=0.3)"
)


@st.composite
def states(draw: st.DrawFn, number: int) -> Sequence[torch.Tensor]:
    """Return packed states of random updates, some of which saw nothing."""
    source = compiled(FORMULA)
    update = update_function(source)
    return [
        update(**used(source, make(draw(st.integers(0, 999)), density=draw(st.sampled_from([0.0, 0.6])))))
        for _ in range(number)
    ]


@settings(max_examples=60, deadline=None)
@given(states(3))
def test_merge_is_associative_with_an_identity(three: Sequence[torch.Tensor]) -> None:
    """Brackets do not matter, and a state that saw nothing changes nothing, to the bit."""
    layout = compiled(FORMULA).slots
    first, second, third = three
    left = slots.merge(layout, slots.merge(layout, first, second), third)
    right = slots.merge(layout, first, slots.merge(layout, second, third))
    torch.testing.assert_close(left, right, rtol=1e-12, atol=1e-12)
    nothing = slots.initial(layout)
    assert first.tolist() == slots.merge(layout, first, nothing).tolist()
    assert first.tolist() == slots.merge(layout, nothing, first).tolist()


def test_the_later_value_is_the_last() -> None:
    """``last`` slots keep the right side unless it has nothing."""
    layout = (Slot("last", "last"),)
    first, second = torch.tensor([1.0, 5.0]), torch.tensor([1.0, 7.0])
    assert slots.merge(layout, first, second).tolist() == [1.0, 7.0]
    assert slots.merge(layout, first, torch.zeros(2)).tolist() == [1.0, 5.0]


def test_of_equals_the_first_is_at_the_maximum() -> None:
    """``at_max`` slots keep the left side unless the right one is larger or NaN; their sizes add up."""
    layout = (Slot("at_max", "at_max"),)
    left, right = [2.0, 5.0, 1.0], [3.0, 5.0, 7.0]
    for first, second, value in (
        (left, right, 1.0),
        (right, left, 7.0),
        ([2.0, 4.0, 1.0], right, 7.0),
        (left, [3.0, math.nan, 7.0], 7.0),
        ([2.0, math.nan, 1.0], right, 1.0),
    ):
        merged = slots.merge(layout, torch.tensor(first), torch.tensor(second))
        assert [merged[0].item(), merged[2].item()] == [5.0, value]


def test_values_are_kept_in_their_order() -> None:
    """``values`` slots put the right side's after the left side's, and whatever stands before them merges as ever."""
    layout = (Slot("n", "count"), Slot("least", "min"), Slot("values", "values"))
    merged = slots.merge(layout, torch.tensor([2.0, 1.0, 3.0, 1.0]), torch.tensor([1.0, 0.5, 0.5]))
    assert merged.tolist() == [3.0, 0.5, 3.0, 1.0, 0.5]
    assert slots.unpack(layout, merged)[2].tolist() == [3.0, 1.0, 0.5]


@pytest.mark.parametrize("seen", [[2.0, math.inf, math.nan], [2.0, 1e200, 0.0]])
def test_an_empty_part_spoils_nothing(seen: list[float]) -> None:
    """Merging a part that saw nothing keeps infinite and huge means as they are, whose squares overflow."""
    layout = (Slot("moments", "moments"),)
    state, nothing = torch.tensor(seen, dtype=torch.float64), torch.zeros(3, dtype=torch.float64)
    for left, right in ((state, nothing), (nothing, state)):
        assert slots.merge(layout, left, right).tolist() == pytest.approx(seen, nan_ok=True)


def test_equal_parts_share_slots() -> None:
    """Reductions of equal values over equal populations keep one slot; a variance brings its mean along."""
    kinds = [slot.kind for slot in compiled("sum(logprobs) / mean(logprobs) + mean(old_logprobs)").slots]
    assert kinds == ["sum", "count", "sum"]
    assert [slot.kind for slot in compiled("mean(logprobs) / std(logprobs)").slots] == ["moments"]
    assert [slot.kind for slot in compiled("mean(logprobs > 0) + count(mask)").slots] == ["count", "count"]


@pytest.mark.parametrize("empty", [None, "nan", "omit", 0])
@pytest.mark.parametrize(
    "formula",
    [
        "mean(logprobs)",
        "sum(logprobs)",
        "count(logprobs > 0)",
        "min(logprobs)",
        "max(logprobs) + 1",
        "var(logprobs)",
        "corr(logprobs, advantages)",
        "at_max(logprobs, advantages)",
        "quantile(logprobs, level=0.75) - quantile(logprobs, level=0.25)",
        "sum(logprobs) / count(special)",
        "mean(logprobs) + sum(scores)",
        "where(mean(logprobs) > 0, 1, 2)",
        "mean(logprobs) ** 0",
        "sign(mean(logprobs))",
        "where(is_finite(mean(logprobs)), mean(logprobs), sum(logprobs))",
        "mean(logprobs, over=mask & (advantages > 0)) + mean(logprobs)",
    ],
)
def test_value_over_nothing(formula: str, empty: str | int | None) -> None:
    """An empty population gives the declared value in both evaluators, also through operations that swallow NaN."""
    tensors = make(0, density=0.0)
    source = compiled(formula, empty=empty)
    value = run(source, tensors)
    assert_same(expected(formula, tensors, empty=empty), value, formula)
    if empty is not None:
        assert (0.0 if empty == 0 else pytest.approx(math.nan, nan_ok=True)) == value.item()
    state = slots.initial(source.slots)
    if "scores" not in formula:
        assert_same(value.item(), finalize(source, state), formula)
    if source.empty_test is not None:
        values = dict(zip([slot.name for slot in source.slots], slots.unpack(source.slots, state), strict=True))
        assert eval(source.empty_test, values)
    assert (empty == "omit") == source.omit


def test_empty_is_told_apart_from_nan() -> None:
    """``empty_test`` is false over a population that has elements, even if the result is NaN."""
    source = compiled("mean(logprobs)", empty="omit")
    tensors = make(0, density=1.0)
    tensors["logprobs"][0, 0] = math.nan
    state = update_function(source)(**used(source, tensors))
    assert source.empty_test is not None
    values = dict(zip([slot.name for slot in source.slots], slots.unpack(source.slots, state), strict=True))
    assert not eval(source.empty_test, values)
    assert math.isnan(finalize(source, state).item())


@pytest.mark.parametrize(
    ("formula", "atom"),
    [
        ("mean(logprobs)", "token"),
        ("mean(logprobs * per_token(scores))", "token"),
        ("mean(seq_sum(logprobs))", "sequence"),
        ("mean(logprobs - per_token(seq_mean(logprobs)))", "sequence"),
        ("mean(scores)", "sequence"),
        ("mean(logprobs) + mean(scores)", "sequence"),
        ("mean(group_mean(scores))", "group"),
        ("mean(scores - per_sequence(group_mean(scores)))", "group"),
        ("mean(difficulty)", "group"),
        ("mean(times)", "batch"),
        ("last(coefficient)", "batch"),
        ("last(coefficient) * mean(logprobs)", "batch"),
    ],
)
def test_atom(formula: str, atom: str) -> None:
    """The atom is the least that parts must keep whole for their merge to be exact."""
    assert atom == compiled(formula).atom
