"""Which source the keys of runs of released packages are taken to come from.

Every row of the fixture is what one run's log, tracker or dashboard names, with those fields of the recorded arguments
that the spec knows. Its framework, trainer and release are known from what ran, except for the release of verl's
sample logs.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rlmetrics.names import Clues, find_source, load_tables

_RUNS = json.loads((Path(__file__).parents[1] / "fixtures" / "captured_runs.json").read_text(encoding="utf-8"))
_LOGS_ALIKE = {"RLOOTrainer": "GRPOTrainer"}
"""Trainers that log all that a more usual one logs, where neither settings nor names of classes tell them apart."""


@pytest.mark.parametrize("run", _RUNS, ids=[run["runs"][0] for run in _RUNS])
def test_the_true_source_of_a_captured_run_is_found(run):
    """The trainer that ran is the answer, or named beside a more usual one; its release is among those left."""
    recorded = frozenset(run["settings"])
    clues = Clues(tuple(run["keys"]), whole=run["whole"], settings=recorded, settings_whole=bool(recorded))
    answer = find_source(clues)
    left = {(one.framework, one.component): one.releases for one in answer.candidates}
    truth = run["framework"], run["component"]
    assert truth in left
    assert run["release"] is None or run["release"] in left[truth]
    taken = answer.candidates[0].component
    assert taken in (run["component"], None if recorded else _LOGS_ALIKE.get(run["component"] or ""))
    assert {name or "": [releases[0], releases[-1]] for (_, name), releases in left.items()} == run["candidates"]
    assert answer.source == run["answer"]


def test_logs_of_every_kind_of_trainer_are_among_them():
    """Eight trainers and two programs of verl; dashboards, and the logs of every release that was run."""
    assert {
        ("trl", name)
        for name in (
            "DPOTrainer",
            "GRPOTrainer",
            "KTOTrainer",
            "ORPOTrainer",
            "PPOTrainer",
            "RLOOTrainer",
            "RewardTrainer",
            "SFTTrainer",
        )
    } | {("verl", "sft"), ("verl", None)} == {(run["framework"], run["component"]) for run in _RUNS}
    assert {run["release"] for run in _RUNS} == {"0.7.10", "0.12.2", "0.18.2", "1.16.0", "0.5.0", "0.9.1", None}
    assert {(run["whole"], bool(run["settings"])) for run in _RUNS} == {(True, True), (True, False), (False, False)}


@pytest.mark.parametrize("name", ["FairGRPOTrainer", "UnslothGRPOTrainer", "GRPOTrainer"])
def test_a_class_that_is_not_known_counts_as_the_one_with_which_its_name_ends(name):
    """The timed calls of a subclass are those of its base; a key that another trainer logs does not outweigh them."""
    run = next(run for run in _RUNS if run["runs"][0] == "trl/1.16.0/rloo/logs.jsonl")
    keys = (*run["keys"], f"profiling/Time taken: {name}.compute_loss", "accuracy", "reward_mean")
    answer = find_source(Clues(keys, whole=True))
    assert [one.component for one in answer.candidates] == ["GRPOTrainer"]
    assert ("class name", f"keys name the class {name}") in {(one.kind, one.says) for one in answer.evidence}


def test_how_a_console_rounds_tells_releases_apart():
    """Up to 0.4.1 verl wrote three decimals, and all digits since."""
    keys = ("actor/pg_loss", "actor/grad_norm", "actor/lr", "critic/score/mean", "response_length/mean")
    releases = load_tables().framework("verl").releases
    old, new = (find_source(Clues(keys, decimals=decimals)).candidates[0].releases for decimals in (3, -1))
    assert {releases.index(release) <= releases.index("0.4.1") for release in old} == {True}
    assert {releases.index(release) <= releases.index("0.4.1") for release in new} == {False}


def test_a_value_tells_whether_a_placeholder_was_logged():
    """The first RLOOTrainer logged 0 for a value loss that it had not."""
    run = next(run for run in _RUNS if run["runs"][0] == "trl/0.12.2/ppo/trainer_state.json")
    keys = tuple(run["keys"])
    zero, real = (find_source(Clues(keys, whole=True, nonzero=frozenset(names))) for names in ((), ("loss/value_avg",)))
    assert {one.component for one in zero.candidates} == {"PPOTrainer", "PPOv2Trainer", "RLOOTrainer"}
    assert {one.component for one in real.candidates} == {"PPOTrainer", "PPOv2Trainer"}


def test_whole_families_that_a_program_lacks_rule_releases_out():
    """Verl logs five keys on aborted responses always since 0.6.0; who chose a few keys has said nothing of them."""
    run = next(run for run in _RUNS if run["runs"][0] == "verl/0.5.0/tracking/stdout.txt")
    chosen = tuple(key for key in run["keys"] if key.startswith(("critic/", "num_turns/")))

    (whole,) = find_source(Clues(tuple(run["keys"]), whole=True)).candidates
    (part,) = find_source(Clues(chosen, whole=True)).candidates

    assert whole.releases == ("0.5.0",)
    assert "0.9.1" in part.releases


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("prefix", ["", "train/"])
def test_names_that_a_trainer_logs_by_itself_are_no_names_of_reward_functions(prefix, whole):
    """Old GRPO logs `rewards/NAME` for each function; four that DPO logs as they stand are DPO's, few as they are."""
    keys = [f"{prefix}rewards/{name}" for name in ("chosen", "rejected", "margins", "accuracies")]
    answer = find_source(Clues((f"{prefix}loss", *keys), whole=whole))
    assert answer.candidates[0].component == "DPOTrainer"
    named = [f"{prefix}rewards/{name}" for name in ("correctness", "format_reward", "soft_format")]
    assert find_source(Clues((f"{prefix}loss", *named), whole=whole)).candidates[0].component == "GRPOTrainer"


def test_a_value_below_zero_rules_out_what_is_never_negative():
    """RLOO logs the mean log-ratio where GRPO logs k3: the sign tells them apart, rounding does not."""
    run = next(run for run in _RUNS if run["runs"][0] == "trl/1.16.0/rloo/logs.jsonl")
    keys = tuple(run["keys"])
    rows = {value: {**dict.fromkeys(keys, 1.0), "kl": value} for value in (0.02, -0.003, -0.02)}
    taken = {value: find_source(Clues(keys, whole=True).with_values([row])) for value, row in rows.items()}

    assert {value: answer.candidates[0].component for value, answer in taken.items()} == {
        0.02: "GRPOTrainer",
        -0.003: "GRPOTrainer",
        -0.02: "RLOOTrainer",
    }
    assert [one.component for one in taken[-0.02].candidates] == ["RLOOTrainer"]
    said = next(one.says for one in taken[-0.02].evidence if one.kind == "values")
    assert "kl is below 0, as another trainer never logs it" in said


def test_a_divergence_that_is_hardly_ever_above_0_is_no_sign_of_an_estimate_that_scatters():
    """A log-ratio scatters about a small number above 0: what stays below it is broken in RLOO as in GRPO."""
    run = next(run for run in _RUNS if run["runs"][0] == "trl/1.16.0/rloo/logs.jsonl")

    def taken(values):
        rows = [{**dict.fromkeys(run["keys"], 1.0), "kl": value} for value in values]
        clues = Clues(tuple(run["keys"]), whole=True).with_values(rows)
        return {one.component for one in find_source(clues).candidates}

    assert taken([-0.01, 0.02] * 20) == {"RLOOTrainer"}
    assert taken([-0.01] * 5) == {"RLOOTrainer"}  # which chance gives often enough
    assert taken([-0.01] * 40) == {"RLOOTrainer", "GRPOTrainer"}


def test_a_value_that_no_candidate_can_have_logged_speaks_against_none():
    """A share below 0 is somebody's own number whatever trainer ran."""
    run = next(run for run in _RUNS if run["runs"][0] == "trl/1.16.0/rloo/logs.jsonl")
    keys = tuple(run["keys"])
    plain, odd = (
        find_source(Clues(keys, whole=True, negative=frozenset(own))) for own in ((), ("clip_ratio/low_mean",))
    )
    assert odd.candidates == plain.candidates
