"""Rows come padded, packed, nested or split: the numbers are those of padded rows, or one error says why not."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.functional import REGISTRY
from rlmetrics.state import MetricState, unpack
from rlmetrics.state.suite import Suite
from rlmetrics.suites import GRPOSuite, PPOSuite, make_suite
from suites.suite_support import SUITES, Tensors, assert_same, make_batch

KEYS = ["kl/old/k3", "kl/old_reference_sum/k1", "group/clip_fraction_low/sequence_min", "entropy/surprisal_sum"]


def tokens_of(suite: Suite, batch: Tensors) -> list[str]:
    """Return the inputs that have tokens."""
    return [name for name in batch if "T" in "".join(suite.fusion.inputs[name][0])]


def ragged(suite: Suite, seed: int, rows: int = 6, columns: int = 7) -> tuple[Tensors, list[int]]:
    """Return a batch whose rows are as long as the second value says, with the mask false and zero beyond."""
    batch = make_batch(suite, seed, rows, columns)
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(0, columns + 1, (rows,), generator=generator)
    lengths[seed % rows] = columns
    inside = torch.arange(columns) < lengths.unsqueeze(1)
    for name in tokens_of(suite, batch):
        rows_of = batch[name][:, :columns]
        batch[name] = rows_of.masked_fill(~inside.view(rows, columns, *[1] * (rows_of.dim() - 2)), 0)
    return batch, lengths.tolist()


def packed(suite: Suite, batch: Tensors, lengths: list[int], way: str) -> Tensors:
    """Return the same batch in another form."""
    found = dict(batch)
    for name in tokens_of(suite, batch):
        rows = [row[:length] for row, length in zip(batch[name], lengths, strict=True)]
        if way.startswith("nested"):
            layout = torch.jagged if way == "nested, jagged" else torch.strided
            found[name] = torch.nested.nested_tensor(rows, layout=layout)
        else:
            found[name] = torch.cat(rows) if way.endswith("flat") else torch.cat(rows).unsqueeze(0)
    if way.startswith("cu_seqlens"):
        found["cu_seqlens"] = torch.tensor([0, *accumulate(lengths)], dtype=torch.int32)
    elif way.startswith("position_ids"):
        places = torch.cat([torch.arange(length) for length in lengths])
        found["position_ids"] = places if way.endswith("flat") else places.unsqueeze(0)
    return found


WAYS = ["cu_seqlens", "cu_seqlens, flat", "position_ids", "position_ids, flat", "nested, jagged", "nested"]


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(WAYS), st.integers(0, 99), st.sampled_from([PPOSuite, GRPOSuite, lambda: make_suite(KEYS)]))
def test_packed_is_padded(way: str, seed: int, make: Callable[[], Suite]) -> None:
    """One row that holds all responses, flat tensors and nested ones give the numbers of padded rows."""
    suite, other = make(), make()
    batch, lengths = ragged(suite, seed)
    if way.startswith("position_ids"):
        # Positions cannot tell of a response without tokens, nor two responses of one token from padding.
        lengths = [max(length, 2) for length in lengths]

    expected = suite.update(**batch).compute()

    assert_same(expected, other.update(**packed(suite, batch, lengths, way)).compute())


def test_packed_row_that_looks_like_one_response() -> None:
    """What a metric of sequences makes of a packed row differs from the truth, which ``cu_seqlens`` brings."""
    suite = make_suite(["kl/old_reference_sum/k1"])
    batch, lengths = ragged(suite, 0)
    row = packed(suite, batch, lengths, "cu_seqlens")
    one_row = {name: tensor for name, tensor in row.items() if name != "cu_seqlens"}

    truth = suite.update(**batch).compute()["kl/old_reference_sum/k1"]

    assert suite.reset().update(**one_row).compute()["kl/old_reference_sum/k1"] == pytest.approx(truth * len(lengths))
    assert suite.reset().update(**row).compute()["kl/old_reference_sum/k1"] == pytest.approx(truth)


def test_packed_row_with_sequences_that_disagree() -> None:
    """A packed row is refused where the same update has something for each response."""
    suite = GRPOSuite()
    batch, lengths = ragged(suite, 0)
    row = packed(suite, batch, lengths, "cu_seqlens")
    del row["cu_seqlens"]

    with pytest.raises(ValueError, match=r"expected a tensor \[B\] with B = 1 as in logprobs \[1, "):
        suite.update(**row)


def test_rows_with_several_responses_each() -> None:
    """Positions tell responses apart in each of several packed rows."""
    positions = torch.tensor([[0, 1, 2, 0, 1], [0, 1, 0, 1, 2]])
    values = torch.arange(10.0).view(2, 5)

    padded = unpack(position_ids=positions, values=values, mask=torch.ones(2, 5, dtype=torch.bool))

    assert padded["values"].tolist() == [[0, 1, 2], [3, 4, 0], [5, 6, 0], [7, 8, 9]]
    assert padded["mask"].sum(1).tolist() == [3, 2, 2, 3]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", ["kl/old_reference_sum/k1", "kl/old/k2", "reward/non_score/sum"])
def test_states_take_packed_tokens(way: str, key: str) -> None:
    """The state of one metric unpacks tokens as suites do."""
    suite = make_suite([key])
    batch, lengths = ragged(suite, 1)
    lengths = [max(length, 2) for length in lengths]

    expected = MetricState(key).update(**batch).compute()

    assert MetricState(key).update(**packed(suite, batch, lengths, way)).compute().item() == pytest.approx(
        expected.item()
    )


@pytest.mark.parametrize("way", WAYS)
def test_metrics_of_padding_refuse_packed_rows(way: str) -> None:
    """Where padding counts, packed rows would give another number, and are refused."""
    suite = make_suite(["kl/old/k2@padded", "kl/old/k3"])
    batch, lengths = ragged(suite, 1)

    for update in (suite.update, MetricState("kl/old/k2@padded").update):
        with pytest.raises(ValueError, match="kl/old/k2@padded looks at padding too"):
            update(**packed(suite, batch, lengths, way))


ROW = torch.zeros(1, 6)
MASK = torch.ones(1, 6, dtype=torch.bool)


@pytest.mark.parametrize(
    ("change", "error", "says"),
    [
        ({"cu_seqlens": torch.tensor([0, 4])}, ValueError, "logprobs: expected a packed tensor of 4 tokens as in cu_"),
        ({"cu_seqlens": torch.tensor([1, 6])}, ValueError, "cu_seqlens: expected numbers that rise from 0, got"),
        ({"cu_seqlens": torch.tensor([0, 4, 3, 6])}, ValueError, "cu_seqlens: expected numbers that rise from 0, got"),
        ({"cu_seqlens": torch.tensor([[0, 6]])}, ValueError, r"cu_seqlens: expected an int tensor \[B \+ 1\], got"),
        ({"cu_seqlens": torch.tensor([0.0, 6.0])}, TypeError, r"cu_seqlens: expected an int tensor, got float32 \[2\]"),
        ({"cu_seqlens": [0, 6]}, TypeError, "cu_seqlens: expected a tensor, got list"),
        ({"position_ids": torch.tensor([[0, 1, 2, 1, 2, 3]])}, ValueError, "position_ids: expected each response to b"),
        ({"position_ids": torch.tensor([[0, 1, 2, 0, 0, 0]])}, ValueError, "position_ids: expected no position 0 twi"),
        ({"position_ids": torch.zeros(2, 1, 6, dtype=torch.int64)}, ValueError, "position_ids: expected an int tens"),
        (
            {"position_ids": torch.arange(6), "cu_seqlens": torch.tensor([0, 6])},
            TypeError,
            "cu_seqlens: expected either this or position_ids, got both",
        ),
        (
            {"logprobs": torch.nested.nested_tensor([torch.zeros(6)], layout=torch.jagged)},
            TypeError,
            "old_logprobs: expected a nested tensor as logprobs, got shape",
        ),
        ({"mask": MASK[0], "logprobs": ROW[0], "old_logprobs": ROW[0]}, ValueError, "packed tokens need cu_seqlens"),
    ],
)
def test_wrong_packing(change: dict[str, object], error: type[Exception], says: str) -> None:
    """One line says what is wrong with packed inputs, and the state stays as it was."""
    suite = make_suite(["kl/old/k3"])
    given: dict[str, object] = {"logprobs": ROW, "old_logprobs": ROW, "mask": MASK, **change}

    with pytest.raises(error, match=says) as caught:
        suite.update(**given)  # type: ignore[arg-type]

    assert "\n" not in str(caught.value)
    assert suite.compute() == {}


def test_nested_rows_that_disagree() -> None:
    """Nested tensors whose rows differ in length are refused, also where the longest is equally long."""
    suite = make_suite(["kl/old/k3"])
    one = torch.nested.nested_tensor([torch.zeros(3), torch.zeros(2)], layout=torch.jagged)
    other = torch.nested.nested_tensor([torch.zeros(3), torch.zeros(1)], layout=torch.jagged)

    with pytest.raises(ValueError, match=r"old_logprobs: expected rows as long as those of logprobs, \[3, 2\], got"):
        suite.update(logprobs=one, old_logprobs=other, mask=one.bool())


def test_functions_say_what_to_do_with_other_forms() -> None:
    """Functions take padded rows; for nested and flat tensors the error names the way."""
    function = REGISTRY["kl/old/k1"].function
    nested = torch.nested.nested_tensor([torch.zeros(3)], layout=torch.jagged)

    for logprobs, error in ((nested, TypeError), (torch.zeros(3), ValueError)):
        with pytest.raises(error, match=r"logprobs: expected .*rlmetrics\.state\.unpack"):
            function(logprobs, torch.zeros(1, 3), torch.ones(1, 3, dtype=torch.bool))


@pytest.mark.parametrize("make", SUITES)
def test_rows_that_disagree(make: type[Suite]) -> None:
    """Whatever belongs to responses has as many rows as everything else in the update."""
    batch = make_batch(make(), 0)  # type: ignore[call-arg]
    first, *others = batch
    for name in others:
        with pytest.raises(ValueError, match=f"{name}: expected a tensor .* = 6 as in {first}"):
            make().update(**{**batch, name: batch[name][:-1]})  # type: ignore[call-arg]


def test_vocabulary_is_unpacked() -> None:
    """Logits in one row become rows of responses, too."""
    suite = make_suite(["entropy/policy"])
    batch, lengths = ragged(suite, 2)

    expected = suite.update(**batch).compute()

    assert "logits" in batch
    assert_same(expected, suite.reset().update(**packed(suite, batch, lengths, "cu_seqlens")).compute())
