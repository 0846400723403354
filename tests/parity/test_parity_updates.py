"""Real updates of verl: the numbers of their parts, and what the trainer logs of them."""

from __future__ import annotations

import dataclasses

import pytest

from .harness import Case, Parts, outcome
from .quantities import Quantity
from .runs import Run
from .verl_updates import RUNS

OLD, NEW = RUNS


def _titles(run: Run) -> str:
    return run.title


@pytest.mark.parametrize("run", RUNS, ids=_titles)
def test_every_number_of_the_updates_is_computed_or_explained(run: Run) -> None:
    """The cases and the reasons are exactly the numbers that the fixture holds, each once."""
    assert sorted(run.numbers) == sorted(entry.number for entry in run.entries)
    assert run.cases
    assert all(reason.why for reason in run.reasons)


@pytest.mark.parametrize("run", RUNS, ids=_titles)
def test_functions_and_reductions_give_the_numbers_of_the_updates(run: Run) -> None:
    """Parts agree by the function alone, wholes by the reduction that the signature states."""
    assert [f"{one.case.number}: off by {one.difference:.2g}" for one in run.outcomes if not one.agrees] == []
    assert {"one micro-batch", "reduced"} <= {case.where for case in run.cases}


@pytest.mark.parametrize(("run", "other"), [(OLD, NEW), (NEW, OLD)], ids=_titles)
@pytest.mark.parametrize("key", ["actor/pg_loss", "actor/kl_loss"])
def test_the_reduction_of_another_release_is_noticed(run: Run, other: Run, key: str) -> None:
    """0.5.0 averages micro-batches, 0.9.1 pools their tokens: with the reduction of the other, numbers are off."""
    cases = [case for case in run.cases if case.key == key and case.where == "reduced" and _is_split(case)]
    wrong = other.source.quantity(key)
    assert cases
    assert run.source.quantity(key).operation("micro_batch") != wrong.operation("micro_batch")
    assert not any(outcome(_reduced_as(case, wrong)).agrees for case in cases)


def _is_split(case: Case) -> bool:
    """Return whether an optimiser step has several micro-batches."""
    data = case.terms[0].data
    while isinstance(data, Parts) and data.level != "micro_batch":
        data = data.parts[0]
    return isinstance(data, Parts) and len(data.parts) > 1


def _reduced_as(case: Case, quantity: Quantity) -> Case:
    (term,) = case.terms
    reduced = term.quantity.changed(folds=quantity.recipe.folds)
    return dataclasses.replace(case, terms=[dataclasses.replace(term, quantity=reduced)])
