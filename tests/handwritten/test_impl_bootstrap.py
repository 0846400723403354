"""Bootstrap metrics over validation samples, and their references."""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.handwritten import by_definition, validation
from torch import Tensor

PAIRS = [
    (validation.best_of_n_mean, by_definition.best_of_n_mean),
    (validation.best_of_n_std, by_definition.best_of_n_std),
    (validation.worst_of_n_mean, by_definition.worst_of_n_mean),
    (validation.worst_of_n_std, by_definition.worst_of_n_std),
    (validation.majority_of_n_mean, by_definition.majority_of_n_mean),
    (validation.majority_of_n_std, by_definition.majority_of_n_std),
]
VERL = {"resamples": 1000, "seed": 42}
SAMPLES = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 1.0]), st.integers(0, 2), st.integers(0, 2)), max_size=12)


def inputs_of(function: Callable[..., Tensor], rows: list[tuple[float, int, int]]) -> list[Tensor]:
    """Return values, answers and prompts as the function takes them."""
    values = torch.tensor([row[0] for row in rows], dtype=torch.float64)
    answers, groups = (torch.tensor([row[place] for row in rows], dtype=torch.int64) for place in (1, 2))
    return [values, answers, groups] if "majority" in function.__name__ else [values, groups]


@pytest.mark.parametrize(("function", "reference"), PAIRS, ids=lambda function: function.__name__)
@settings(deadline=None, max_examples=25)
@given(rows=SAMPLES, n=st.integers(1, 6), seed=st.integers(0, 2**32 - 1))
def test_agrees_with_reference(
    function: Callable[..., Tensor],
    reference: Callable[..., float],
    rows: list[tuple[float, int, int]],
    n: int,
    seed: int,
) -> None:
    """The function and its reference, which draws with a generator of its own, give the same number."""
    inputs = inputs_of(function, rows)
    expected = reference(*inputs, n=n, resamples=20, seed=seed)
    assert pytest.approx(function(*inputs, n=n, resamples=20, seed=seed).item(), nan_ok=True) == expected


@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 70))
@settings(deadline=None, max_examples=50)
def test_draws_are_those_of_numpy(seed: int, size: int) -> None:
    """The generator that is written out yields what NumPy's legacy generator yields."""
    draws = by_definition._draws(seed, size)
    expected = np.random.RandomState(seed).choice(size, size=(7, 3), replace=True).flatten().tolist()
    assert [next(draws) for _ in range(21)] == expected


def test_one_success_in_eight_is_not_a_pass() -> None:
    """Drawing with replacement misses a single success about a third of the time, unlike pass@8."""
    values = torch.tensor([1.0] + [0.0] * 7)
    group = torch.zeros(8, dtype=torch.int64)
    assert pytest.approx(validation.best_of_n_mean(values, group, n=8, **VERL).item()) == 0.651


def test_prompts_weigh_the_same() -> None:
    """A prompt with many samples counts no more than one with a single sample."""
    values = torch.tensor([1.0, 0.0, 0.0, 0.0])
    groups = torch.tensor([5, 2, 2, 2])
    assert validation.worst_of_n_mean(values, groups, n=2, **VERL).item() == 0.5


def test_majority_takes_the_first_sample_of_the_most_frequent_answer() -> None:
    """With one answer in two values, the value of the sample that was drawn first counts."""
    values = torch.tensor([0.0, 1.0])
    same = torch.zeros(2, dtype=torch.int64)
    first = np.random.RandomState(42).choice(2, size=(1000, 3), replace=True)[:, 0]
    assert first.mean() == validation.majority_of_n_mean(values, same, same, n=3, **VERL).item()


def test_tied_answers_go_to_the_one_drawn_first() -> None:
    """Of two answers with one vote each, the one drawn first wins."""
    values = torch.tensor([0.0, 1.0])
    answers = torch.tensor([4, 9])
    group = torch.zeros(2, dtype=torch.int64)
    first = np.random.RandomState(42).choice(2, size=(1000, 2), replace=True)[:, 0]
    assert first.mean() == validation.majority_of_n_mean(values, answers, group, n=2, **VERL).item()


@pytest.mark.parametrize(("n", "resamples"), [(0, 10), (2, 0)])
def test_sizes_below_one_are_refused(n: int, resamples: int) -> None:
    """Subsets need a sample, and estimates a subset."""
    one = torch.ones(1)
    with pytest.raises(ValueError, match="at least 1"):
        validation.best_of_n_mean(one, one.long(), n=n, resamples=resamples, seed=42)


def test_missing_numpy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without NumPy the error says what to install."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    one = torch.ones(1)
    with pytest.raises(ImportError, match="pip install numpy"):
        validation.best_of_n_mean(one, one.long(), n=1, **VERL)


@pytest.mark.parametrize("function", [function for function, _ in PAIRS], ids=lambda function: function.__name__)
def test_draws_are_one_operator_to_the_compiler(function: Callable[..., Tensor]) -> None:
    """A graph without breaks holds the draws as they are, and gives the same number."""
    inputs = inputs_of(function, [(0.5, 1, 3), (2.0, 1, 3), (1.0, 2, 3), (4.0, 0, 7)])

    compiled = torch.compile(
        lambda *given: function(*given, n=2, resamples=20, seed=1), fullgraph=True, backend="eager"
    )

    assert torch.equal(function(*inputs, n=2, resamples=20, seed=1), compiled(*inputs))
