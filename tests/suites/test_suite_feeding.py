"""However a batch comes to a suite, block by block, cut, padded or packed, on one rank or three: the same numbers."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from random import Random

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.state.suite import Suite
from rlmetrics.state.torchmetrics import as_metric
from rlmetrics.suites import PPOSuite, make_suite
from suites.feeding import draw_batch, draw_updates, draw_wrong
from suites.suite_support import SUITES, assert_same
from suites.test_suite_rows import KEYS

MAKES: list[Callable[[], Suite]] = [*SUITES, partial(make_suite, KEYS)]


@pytest.mark.parametrize("make", MAKES)
@settings(deadline=None, max_examples=60)
@given(rng=st.randoms(use_true_random=False))
def test_any_feeding_on_one_rank(make: Callable[[], Suite], rng: Random) -> None:
    """Updates in any order, of any rows, inputs and forms, in one suite or in several that are merged later."""
    batch, lengths = draw_batch(rng, make())
    expected = make().update(**batch).compute()
    suites = [make() for _ in range(rng.randint(1, 3))]
    for update in draw_updates(rng, suites[0], batch, lengths):
        place = rng.randrange(len(suites))
        suites[place].update(**update)
        if rng.random() < 0.2:
            suites[place] = rng.choice([copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])(suites[place])
    first, *others = suites
    for other in others:
        first.merge(other)

    assert_same(expected, first.compute(), rel=1e-6)


@pytest.mark.parametrize("make", MAKES)
@settings(deadline=None, max_examples=15)
@given(rng=st.randoms(use_true_random=False))
def test_any_feeding_through_torchmetrics(make: Callable[[], Suite], rng: Random) -> None:
    """The same updates give the same numbers through the adapter."""
    batch, lengths = draw_batch(rng, make())
    metric = as_metric(make())
    for update in draw_updates(rng, make(), batch, lengths):
        metric.update(**update)

    found = {name: number.item() for name, number in metric.compute().items()}
    assert_same(make().update(**batch).compute(), found, rel=1e-6)


@pytest.mark.parametrize("make", MAKES)
@settings(deadline=None, max_examples=40)
@given(rng=st.randoms(use_true_random=False))
def test_what_is_wrong_leaves_no_trace(make: Callable[[], Suite], rng: Random) -> None:
    """An update with one wrong thing is one error of one line, and what comes before and after counts as before."""
    batch, lengths = draw_batch(rng, make())
    suite = make()
    for update in draw_updates(rng, suite, batch, lengths):
        with pytest.raises((TypeError, ValueError)) as caught:
            suite.update(**draw_wrong(rng, suite, update))  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
        suite.update(**update)

    assert_same(make().update(**batch).compute(), suite.compute(), rel=1e-6)


def test_more_scores_than_rows() -> None:
    """A packed row that nothing marks is refused where more scores came than rows, in any order; marked it is right."""
    scores = torch.tensor([1.0, 2.0, 3.0])
    row = {"token_rewards": torch.tensor([[1.0, 2.0, 0.0, 3.0]]), "mask": torch.ones(1, 4, dtype=torch.bool)}
    marked = {**row, "cu_seqlens": torch.tensor([0, 1, 2, 4])}
    for first, second in (({"scores": scores}, row), (row, {"scores": scores})):
        suite, metric = PPOSuite().update(**first).update(**second), as_metric(PPOSuite())
        merged = PPOSuite().update(**first).merge(PPOSuite().update(**second))
        metric.update(**first)
        metric.update(**second)
        resumed = PPOSuite()
        resumed.load_state_dict(suite.state_dict())
        says = (
            r"PPOSuite: expected each row of tokens \[B, T\] to be one response, got one row for 3 responses of scores"
        )
        for compute in (suite.compute, merged.compute, metric.compute, resumed.compute, suite.histograms):
            with pytest.raises(ValueError, match=says):
                compute()
        assert suite.reset().compute() == {}
    assert PPOSuite().update(scores=scores).update(**marked).compute()["reward/total/mean"] == 2.0


def test_rows_of_one_response() -> None:
    """Micro-batches of one response, with tools between its tokens, are no packed rows, and can say so themselves."""
    row = {"token_rewards": torch.ones(1, 4), "mask": torch.tensor([[1, 0, 1, 1]])}
    together, apart, said = PPOSuite(), PPOSuite().update(scores=torch.ones(3)), PPOSuite().update(scores=torch.ones(3))
    for _ in range(3):
        together.update(**row, scores=torch.ones(1))
        apart.update(**row)
    said.update(**row, cu_seqlens=torch.tensor([0, 4]))

    for suite in (together, apart, said):
        assert suite.compute()["reward/total/mean"] == 3.0
    tokens = {"advantages": torch.ones(1, 4), "mask": row["mask"]}
    assert PPOSuite().update(scores=torch.ones(3)).update(**tokens).compute()["advantage/mean"] == 1.0
