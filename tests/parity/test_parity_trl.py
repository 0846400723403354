"""Every number of the captured runs of TRL is computed by a function of this project, or explained."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from rlmetrics.names import keys

from .harness import TOLERANCE, Case, Leaf, Term, outcome
from .quantities import Quantity
from .runs import Run
from .trl_sections import RUNS

PPO_TWO_MINI_BATCHES, PPO_ONE_MINI_BATCH, GRPO = RUNS[1:4]

DEPARTURES = (
    (
        PPO_TWO_MINI_BATCHES,
        "objective/entropy",
        "entropy/surprisal_sum@padding_filled",
        "padding_filled_with_minus_one",
    ),
    (PPO_TWO_MINI_BATCHES, "policy/approxkl_avg", "kl/old/k2@padded", "padding_counted"),
    (PPO_TWO_MINI_BATCHES, "policy/entropy_avg", "entropy/policy@padded", "padding_counted"),
    (PPO_TWO_MINI_BATCHES, "val/ratio", "policy/ratio/mean@padded", "padding_counted"),
    (
        PPO_TWO_MINI_BATCHES,
        "val/ratio_var",
        "policy/ratio/variance_of_means@zero_filled",
        "unfilled_entries_in_variance",
    ),
    (GRPO, "kl", "kl/reference/k3@importance_weighted", "importance_weighted_kl"),
)
HALVED = ("policy/approxkl_avg", "policy/clipfrac_avg", "loss/policy_avg", "loss/value_avg", "val/clipfrac_avg",
          "policy/entropy_avg", "val/ratio")  # fmt: skip


def _titles(run: Run) -> str:
    return run.title


@pytest.mark.parametrize("run", RUNS, ids=_titles)
def test_every_number_of_the_fixture_is_computed_or_explained(run: Run) -> None:
    """The cases and the reasons are exactly the numbers that the fixture holds, each once."""
    assert sorted(run.numbers) == sorted(entry.number for entry in run.entries)
    assert run.cases
    assert all(reason.why for reason in run.reasons)


@pytest.mark.parametrize("run", RUNS, ids=_titles)
def test_every_key_that_the_run_logs_is_in_the_table(run: Run) -> None:
    """What the spec says that the run logs stands in the table: computed, explained, or not captured."""
    found = {entry.key for entry in run.entries} | run.absent.keys()
    listed = keys(run.source.at, config=dict(run.source.config))
    templates = {info.key for info in listed if "{" in info.key}
    found |= {run.source.resolution(key).template or "" for key in found if "rewards/rew_" in key} & templates
    assert [info.key for info in listed if info.logged and info.key not in found] == []
    assert sorted(run.absent.keys() - {info.key for info in listed}) == []


@pytest.mark.parametrize("run", RUNS, ids=_titles)
def test_functions_and_their_references_give_the_captured_numbers(run: Run) -> None:
    """Every case agrees with the capture up to float32 rounding, by the function and by its reference."""
    assert [
        f"{one.case.key} ({one.case.where}), {one.case.number}: off by {one.difference:.2g}"
        for one in run.outcomes
        if not one.agrees
    ] == []


@pytest.mark.parametrize(("run", "key", "function", "trait"), DEPARTURES, ids=[row[1] for row in DEPARTURES])
def test_departures_are_told_by_the_signature_and_missed_by_the_plain_metric(
    run: Run, key: str, function: str, trait: str
) -> None:
    """A variant reproduces the key, its signature has the trait, and the metric itself gives another number."""
    cases = [case for case in run.cases if case.key == key and case.where == "logged"]
    assert {case.terms[0].quantity.function for case in cases} == {function}
    assert trait in run.source.quantity(key).traits
    assert any(not outcome(_plain(case)).agrees for case in cases)


def _plain(case: Case) -> Case:
    """Return the case as the metric itself would compute it."""
    (term,) = case.terms
    metric = term.quantity.function.partition("@")[0]
    plain = Term(term.quantity.of_another(metric), term.data)
    return dataclasses.replace(case, terms=[plain])


@pytest.mark.parametrize("key", HALVED)
def test_unfilled_statistics_are_told_by_the_scale(key: str) -> None:
    """With two mini-batches the logged mean is half of the real one, which the signature says."""
    cases = [case for case in PPO_TWO_MINI_BATCHES.cases if case.key == key and case.where == "logged"]
    assert {case.terms[0].quantity.recipe.scale for case in cases} == {0.5}
    assert "unfilled_entries_scaled" in PPO_TWO_MINI_BATCHES.source.quantity(key).traits
    assert PPO_ONE_MINI_BATCH.source.quantity(key).recipe.scale == 1.0
    assert any(not outcome(_rescaled(case)).agrees for case in cases)


def _rescaled(case: Case) -> Case:
    (term,) = case.terms
    whole = term.quantity.changed(scale=1.0)
    return dataclasses.replace(case, terms=[dataclasses.replace(term, quantity=whole)])


def test_a_difference_beyond_rounding_is_noticed() -> None:
    """The tolerance lets a few roundings pass, and no more."""
    scores = Leaf({"scores": torch.tensor([1.0, 2.0])})
    case = Case("key", "logged", "number", 1.5, [Term(Quantity.of("reward/score/mean"), scores)])
    assert outcome(case).agrees
    assert not outcome(dataclasses.replace(case, expected=1.5 * (1 + 1.1 * TOLERANCE))).agrees
