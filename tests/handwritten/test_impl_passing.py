"""Exact pass@k and pass^k, and their references."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.handwritten import by_definition, passing, validation
from torch import Tensor

PAIRS = [(passing.pass_at_k, by_definition.pass_at_k), (passing.pass_power_k, by_definition.pass_power_k)]
SAMPLES = st.lists(st.tuples(st.booleans(), st.integers(0, 2)), max_size=14)


def columns(rows: list[tuple[bool, int]]) -> tuple[Tensor, Tensor]:
    """Return which samples are right and whose they are."""
    return torch.tensor([row[0] for row in rows], dtype=torch.bool), torch.tensor(
        [row[1] for row in rows], dtype=torch.int64
    )


@pytest.mark.parametrize(("function", "reference"), PAIRS, ids=lambda function: function.__name__)
@settings(deadline=None, max_examples=60)
@given(rows=SAMPLES, k=st.integers(1, 5))
def test_agrees_with_binomials(
    function: Callable[..., Tensor], reference: Callable[..., float], rows: list[tuple[bool, int]], k: int
) -> None:
    """The product of factors is the ratio of binomials, also where a prompt has too few samples."""
    solved, groups = columns(rows)
    expected = reference(solved, groups, k=k)
    assert pytest.approx(function(solved, groups, k=k).item(), nan_ok=True) == expected


@settings(deadline=None, max_examples=40)
@given(solved=st.lists(st.booleans(), min_size=3, max_size=7), k=st.integers(1, 3))
def test_counts_every_choice(solved: list[bool], k: int) -> None:
    """Both are shares of the choices of k samples, written out one by one."""
    choices = list(combinations(solved, k))
    tensor, groups = torch.tensor(solved), torch.zeros(len(solved), dtype=torch.int64)
    some, every = (sum(map(test, choices)) / len(choices) for test in (any, all))
    assert some == pytest.approx(passing.pass_at_k(tensor, groups, k=k).item())
    assert every == pytest.approx(passing.pass_power_k(tensor, groups, k=k).item())


def test_by_hand() -> None:
    """2 right of 4, k = 2: 1 - C(2,2)/C(4,2) = 5/6, and 1/6; a prompt never solved halves both."""
    solved = torch.tensor([True, False, False, True, False, False])
    groups = torch.tensor([3, 8, 3, 3, 8, 3])
    assert passing.pass_at_k(solved, groups, k=2).item() == pytest.approx(5 / 12)
    assert passing.pass_power_k(solved, groups, k=2).item() == pytest.approx(1 / 12)


def test_one_sample_is_the_accuracy() -> None:
    """With k = 1 both are the mean over prompts of the share of right samples."""
    solved, groups = torch.tensor([True, False, True]), torch.tensor([0, 0, 1])
    for function, _ in PAIRS:
        assert function(solved, groups, k=1).item() == 0.75


def test_one_success_in_eight_is_a_pass() -> None:
    """Unlike verl's draws with replacement, all eight samples together always hold the one that is right."""
    solved, groups = torch.tensor([True] + [False] * 7), torch.zeros(8, dtype=torch.int64)
    assert passing.pass_at_k(solved, groups, k=8).item() == 1.0
    assert validation.best_of_n_mean(solved.double(), groups, n=8, resamples=1000, seed=42).item() < 0.7


def test_many_samples_do_not_overflow() -> None:
    """C(4000, 2000) is beyond every float; the chance is not."""
    solved, groups = torch.arange(4000) == 0, torch.zeros(4000, dtype=torch.int64)
    assert pytest.approx(passing.pass_at_k(solved, groups, k=2000).item()) == 0.5


def test_too_few_samples_have_no_chance() -> None:
    """A prompt with fewer than k samples makes the mean NaN instead of being left out in silence."""
    solved, groups = torch.tensor([True, True, True]), torch.tensor([0, 0, 1])
    for function, _ in PAIRS:
        assert math.isnan(function(solved, groups, k=2).item())
        with pytest.raises(ValueError, match="k to be at least 1, got 0"):
            function(solved, groups, k=0)
