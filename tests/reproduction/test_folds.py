"""A number as it is logged follows from the levels at which a release puts its parts together."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from rlmetrics.functional import policy_clip_fraction
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.reproduction import as_logged
from rlmetrics.reproduction.folds import Together, fold, fold_with_replaced
from rlmetrics.reproduction.nested_parts import Batch, cut_batch, nested


def _batch(rows: int, tokens: int, seed: int) -> dict[str, torch.Tensor]:
    made = torch.Generator().manual_seed(seed)
    old = torch.randn(rows, tokens, generator=made)
    return {
        "logprobs": old + 0.3 * torch.randn(rows, tokens, generator=made),
        "old_logprobs": old,
        "advantages": torch.randn(rows, tokens, generator=made),
        "mask": torch.rand(rows, tokens, generator=made) < 0.7,
    }


def _number(batches: list[Batch]) -> torch.Tensor:
    """Return what stands in the only batch."""
    (batch,) = batches
    return torch.tensor(float(batch["x"]), dtype=torch.float64)


def _of(*values: float) -> list[Batch]:
    return [{"x": value} for value in values]


def test_micro_batches_count_equally_and_only_the_first_rank_counts():
    """In verl 0.5.0, the numbers of micro-batches on one rank are averaged, however many tokens each holds."""
    clipped = as_logged("actor/pg_clipfrac", at="verl[actor]==0.5.0")
    parts = [_batch(4, 7, seed) for seed in range(4)]
    wide: dict[str, Any] = {"clip_low": 0.2, "clip_high": 0.2}
    expected = torch.stack([policy_clip_fraction(**part, **wide) for part in parts[:2]]).mean()
    assert clipped.levels == ("rank", "epoch", "mini_batch", "micro_batch")
    assert expected == clipped([[[parts[:2]]], [[parts[2:]]]], **wide)


def test_one_mapping_is_the_only_part_of_every_level():
    """A mapping alone is the same as that mapping inside of a list for each level."""
    clipped = as_logged("actor/pg_clipfrac", at="verl[actor]==0.5.0")
    part = _batch(4, 7, 0)
    assert clipped([[[[part]]]]) == clipped(part) == clipped([part])


def test_a_batch_is_cut_into_equal_parts():
    """Cutting one batch is the same as handing over its parts."""
    clipped = as_logged("actor/pg_clipfrac", at="verl[actor]==0.9.1")
    batch = _batch(8, 7, 1)
    parts = [{name: tensor[start : start + 2] for name, tensor in batch.items()} for start in range(0, 8, 2)]
    assert clipped([[[parts[:2]]], [[parts[2:]]]]) == clipped(batch, cut={"ranks": 2, "micro_batches": 2})


def test_lists_are_cut_as_tensors_are():
    """Numbers in lists stand for tensors, and what is no input of a formula is handed on as it is."""
    clipped = as_logged("actor/pg_clipfrac", at="verl[actor]==0.9.1")
    batch = _batch(8, 7, 1)
    listed = {name: tensor.tolist() for name, tensor in batch.items()}
    assert clipped(listed, cut={"ranks": 2}) == clipped({**batch, "note": torch.zeros(3)}, cut={"ranks": 2})


@pytest.mark.parametrize(
    ("cut", "says"),
    [
        ({"ranks": 3}, "8 responses cannot be cut into 3 equal parts at the level rank"),
        ({"shards": 2}, "there is no level 'shards' to cut"),
        ({"ranks": 0}, "ranks must be a whole number of parts, not 0"),
    ],
)
def test_a_cut_that_cannot_be_made_says_why(cut: dict[str, int], says: str):
    """Unequal parts, unknown levels and no parts at all are refused."""
    with pytest.raises(ValueError, match=says):
        cut_batch(_batch(8, 3, 0), cut, ("rank", "micro_batch"))


@pytest.mark.parametrize("data", [[_of(1, 2), _of(3)], _of(1, 2), [[_of(1)], _of(1)], []])
def test_lists_that_do_not_fit_the_levels_are_refused(data: object):
    """Lists of another depth could mean any of the levels, so that none is taken."""
    with pytest.raises(ValueError, match=r"deep|empty"):
        nested(data, ("window", "rank", "micro_batch"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("folds", "data", "expected"),
    [
        ((("window", "mean"), ("micro_batch", "mean")), [_of(1), _of(2, 3)], 2.0),
        ((("window", "mean"), ("micro_batch", "sum")), [_of(1), _of(2, 3)], 3.0),
        ((("window", "max"), ("micro_batch", "mean")), [_of(4), _of(2, 8)], 5.0),
        ((("window", "last"), ("micro_batch", "first")), [_of(4), _of(2, 8)], 2.0),
        ((("window", "sum"), ("micro_batch", "min")), [_of(4, 3), _of(2, 8)], 5.0),
    ],
)
def test_levels_are_put_together_from_inside(
    folds: tuple[tuple[str, str], ...], data: list[list[Batch]], expected: float
):
    """Each level has its own operation; means that stand in one another are one mean over all values."""
    assert expected == fold(data, folds, _number)


def test_values_that_are_not_numbers_are_left_out_where_the_code_does():
    """A mean that skips NaN is that of the others, and NaN where nothing is left."""
    folds = (("window", "mean"),)
    assert fold(_of(math.nan, 1, 3), folds, _number, Together(skips_nan=True)) == 2
    assert math.isnan(fold(_of(math.nan), folds, _number, Together(skips_nan=True)))
    assert math.isnan(fold(_of(math.nan, 1), folds, _number))


def test_a_level_that_is_gathered_gives_one_number_a_part():
    """Steps count alike, however many micro-batches each has, where each is made one number first."""
    folds = (("mini_batch", "mean"), ("rank", "mean"), ("micro_batch", "mean"))
    steps = [[_of(1), _of(3)], [_of(4, 6, 8), _of(6, 6, 6)]]
    assert fold(steps, folds, _number) == (1 + 3 + 4 + 6 + 8 + 6 + 6 + 6) / 8
    assert fold(steps, folds, _number, Together(gathered="mini_batch")) == (2 + 6) / 2


def test_weights_replace_counting_alike():
    """A mean in which a part counts as often as it says."""
    batches = [{"x": 1.0, "samples": 3}, {"x": 5.0, "samples": 1}]
    weighed = Together(weight=lambda found: sum(float(batch["samples"]) for batch in found))
    assert fold(batches, (("micro_batch", "mean"),), _number, weighed) == 2


def test_processes_are_put_together_in_each_mini_batch_by_verls_engine():
    """The largest of mini-batches is that of their means over processes, not a mean of each process's largest."""
    largest = as_logged(
        "actor/rollout_corr/rollout_is_max",
        at="verl==0.9.1",
        config={
            "policy_loss.loss_mode": "bypass_mode",
            "actor_rollout_ref.actor.policy_loss.rollout_correction.rollout_is": "token",
        },
    )
    assert largest.levels == ("epoch", "mini_batch", "rank", "micro_batch")


def test_a_loss_that_is_not_finite_is_replaced_as_transformers_does():
    """In its place stands what the window holds so far, by its steps, the present one included."""
    folds = (("window", "mean"), ("rank", "mean"), ("micro_batch", "mean"))
    window = [[_of(2)], [_of(4)], [_of(math.nan)]]
    assert fold_with_replaced(window, folds, _number) == (2 + 4 + 6 / 3) / 3
    assert fold_with_replaced([[_of(math.nan)], [_of(4)]], folds, _number) == 2


def test_a_constant_needs_no_tensors():
    """What is always the same is given without tensors."""
    placeholder = as_logged(
        "actor/pg_clipfrac_lower", at="verl[actor]==0.9.1", config={"policy_loss.loss_mode": "gspo"}
    )
    assert (placeholder.inputs, float(placeholder())) == ((), 0.0)


def test_a_missing_tensor_is_named():
    """The message names what is needed and what is missing."""
    clipped = as_logged("actor/pg_clipfrac", at="verl[actor]==0.5.0")
    with pytest.raises(ValueError, match="missing: mask"):
        clipped({name: tensor for name, tensor in _batch(2, 3, 0).items() if name != "mask"})


@pytest.mark.parametrize(
    ("key", "at", "says"),
    [
        ("actor/no_such_key", "verl==0.9.1", "does not log"),
        ("kl", "trl==1.16.0", "another number in each of"),
        ("kl", "canonical", "name a release"),
    ],
)
def test_a_key_without_one_meaning_is_refused(key: str, at: str, says: str):
    """A key that is unknown, or another number in several components, has no function."""
    with pytest.raises(NamesError, match=says):
        as_logged(key, at=at)
