"""Numbers of steps in plain Python are those that `as_logged` gives for the same tensors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
import torch
from rlmetrics import as_logged
from rlmetrics.codegen.judge.plain_numbers import LEVELS, logged_number
from rlmetrics.codegen.judge.reference_steps import ReferenceStep, steps
from rlmetrics.codegen.model import Situation
from rlmetrics.names.tables.loading import load_tables

KEYS = [
    ("loss", "trl[GRPOTrainer]==0.15.2"),
    ("loss", "trl[GRPOTrainer]==1.16.0"),
    ("kl", "trl[GRPOTrainer]==1.16.0"),
    ("entropy", "trl[GRPOTrainer]==1.16.0"),
    ("reward_std", "trl[GRPOTrainer]==1.16.0"),
    ("frac_reward_zero_std", "trl[GRPOTrainer]==1.16.0"),
    ("completions/clipped_ratio", "trl[GRPOTrainer]==1.16.0"),
    ("val/contain_eos_token", "trl[OnlineDPOTrainer]==1.16.0"),
    ("rewards/accuracies", "trl[DPOTrainer]==0.29.0"),
    ("actor/pg_loss", "verl[actor]==0.9.1"),
    ("actor/pg_clipfrac", "verl[actor]==0.5.0"),
    ("actor/ppo_kl", "verl[actor]==0.9.1"),
    ("actor/entropy", "verl[actor]==0.9.1"),
    ("critic/vf_explained_var", "verl==0.9.1"),
    ("critic/score/mean", "verl==0.9.1"),
]


def _inputs() -> tuple[tuple[str, str, str], ...]:
    return tuple((name, row["domain"], row["dtype"]) for name, row in load_tables(None).inputs.items())


def _nested(step: ReferenceStep, levels: Sequence[str], names: Sequence[str]) -> Any:
    """Return the parts of a step as tensors in a list for each level; what no level cuts is one batch."""
    chosen = {
        place: batch
        for place, batch in step.parts.items()
        if all(place[LEVELS.index(level)] == 0 for level in ("window", "epoch") if level not in levels)
    }
    return _lists(chosen, levels, names)


def _lists(parts: Mapping[Any, Mapping[str, Any]], levels: Sequence[str], names: Sequence[str]) -> Any:
    if not levels:
        whole = {
            name: [batch[name] for batch in parts.values()] for name in names if name in next(iter(parts.values()))
        }
        return {
            name: torch.tensor([row for value in values for row in value] if isinstance(values[0], list) else values[0])
            for name, values in whole.items()
        }
    at = LEVELS.index(levels[0])
    groups: dict[int, dict[Any, Mapping[str, Any]]] = {}
    for place, batch in parts.items():
        groups.setdefault(place[at], {})[place] = batch
    return [_lists(groups[number], levels[1:], names) for number in sorted(groups)]


@pytest.mark.parametrize("situation", ["usual", "all_truncated", "policy_unchanged", "groups_tied"])
@pytest.mark.parametrize(("key", "at"), KEYS, ids=[f"{at} {key}" for key, at in KEYS])
def test_both_engines_agree(key: str, at: str, situation: Situation) -> None:
    """The same recipe, the same step: one evaluates formulas in plain Python, the other calls compiled functions."""
    function = as_logged(key, at)
    situations: frozenset[Situation] = frozenset() if situation == "usual" else frozenset({situation})
    known = {"limit": 8.0}
    compared = 0
    for step in steps(situations, _inputs()):
        if not step.cut.has_whole_groups and "group_ids" in function.inputs:
            continue
        plain = logged_number(function.recipe, step, load_tables(None), {})
        given: dict[str, Any] = {
            **_defaults(function.function),
            **{name: known[name] for name in known if name in function.parameters},
        }
        value = float(function(_nested(step, function.levels, function.inputs), **given))
        assert value == pytest.approx(plain, abs=1e-6, nan_ok=True)
        compared += not math.isnan(value)
    assert compared


def _defaults(function: str | None) -> dict[str, float]:
    """Return defaults of parameters that no setting of the release says."""
    rows = load_tables(None).reproduction["FUNCTIONS"].get(function or "", {}).get("parameters", {})
    return {name: value for name, value in rows.items() if value is not None and name.startswith("clip")}


def test_a_step_is_the_same_wherever_it_is_drawn() -> None:
    """Draws start from the seed of the step; what is asked for beside changes nothing."""
    first = steps(frozenset(), _inputs())
    steps.cache_clear()
    again = steps(frozenset(), _inputs())

    assert [step.parts for step in first] == [step.parts for step in again]
    assert len({step.seed for step in first}) == len(first) == 8


def test_situations_are_so() -> None:
    """What a step is called is so in it, and in the usual step it is not."""

    def of(*situations: Situation) -> list[Mapping[str, Any]]:
        return [batch for step in steps(frozenset(situations), _inputs()) for batch in step.parts.values()]

    assert not any(ended for batch in of("all_truncated") for ended in batch["terminated"])
    assert all(ended for batch in of("all_ended") for ended in batch["terminated"])
    assert {ended for batch in of() for ended in batch["terminated"]} == {True, False}
    assert all(batch["logprobs"] == batch["old_logprobs"] for batch in of("policy_unchanged"))
    assert not any(batch["logprobs"] == batch["old_logprobs"] for batch in of())
    assert {x for batch in of("groups_tied") for x in batch["sequence_advantages"]} == {0.0}
    assert len({length for batch in of("equal_lengths") for length in batch["lengths"]}) == 1
    assert all(x <= 0 for batch in of("far_beyond_clip") for row in batch["logprobs"] for x in row)
