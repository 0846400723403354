"""Keys without a source: who logs them, with which meaning, in which releases."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.names import load_tables, open_view, resolve
from rlmetrics.names.meanings.key_index import catalogue_of, misspelt

GRPO = "trl[GRPOTrainer]==1.16.0"


@pytest.fixture(scope="module")
def catalogue():
    """The keys of the shipped spec."""
    return catalogue_of(load_tables())


@pytest.mark.parametrize(
    ("asked", "way", "key"),
    [
        ("kl", "key", "kl"),
        ("eval_reward", "key", "eval_reward"),
        ("train/reward", "shown", "reward"),
        ("eval/reward", "shown", "eval_reward"),
        ("rewards/accuracy/mean", "template", "rewards/{reward_func}/mean"),
        ("train/rewards/accuracy/mean", "template", "rewards/{reward_func}/mean"),
        ("approxkl", "alias", "policy/approxkl_avg"),
        ("kl/old/k2", "alias", "policy/approxkl_avg"),
        ("mean_length", "segment", "completions/mean_length"),
        ("critic/rewards", "group", "critic/rewards/mean"),
        ("rewrd", "", None),
    ],
)
def test_a_spelling_is_understood_in_the_most_direct_way(catalogue, asked, way, key):
    """As logged, as trackers show it, as a metric's other name, or by a part of it."""
    found = catalogue.find(asked)
    assert (way, key) == (found.way, found.found[0].key if found.found else None)


def test_meanings_are_told_by_class_and_release(catalogue):
    """With the classes that people use first, and every release in which the key has this meaning by default."""
    found = catalogue.find("kl").found
    assert [item.component for item in found[:3]] == ["GRPOTrainer", "RLOOTrainer", "KTOTrainer"]
    by_class = {item.component: item for item in found}
    assert by_class["GRPOTrainer"].metric == "kl/reference/k3"
    assert by_class["RLOOTrainer"].metric == "kl/old_reference/k1"
    assert (by_class["RLOOTrainer"].releases[0], by_class["RLOOTrainer"].releases[-1]) == ("0.22.0", "1.16.0")


def test_meanings_agree_with_what_each_release_says(catalogue):
    """A record's metric is the one that its first and its last release resolve to."""
    asked = ("kl", "loss", "reward", "entropy", "rewards/margins", "actor/kl_loss", "policy/approxkl_avg", "val/loss")
    for key in asked:
        found = catalogue.find(key).found
        assert found
        for item in found:
            for release in {item.releases[0], item.releases[-1]}:
                view = open_view(f"{item.framework}[{item.component}]=={release}")
                assert item.metric in {match.entry.metric for match in view.find(key)}, (key, item)


def test_a_key_without_a_source_has_a_record_for_each_meaning():
    """Those of the JSON contract, with the releases and how the key was understood."""
    found = resolve("kl")
    assert len({item.metric for item in found}) == 4
    assert all(item.key == "kl" and item.matched == "key" and item.releases for item in found)
    assert all(str(item.source).endswith(item.releases[-1]) for item in found)


def test_several_keys_have_their_meanings_in_the_sources_that_explain_them():
    """RLOO's and GRPO's kl, but not that of KTO, which logs no lengths."""
    found = resolve(["kl", "completions/mean_length"])
    components = {item.component for item in found if item.key == "kl"}
    assert {"GRPOTrainer", "RLOOTrainer"} <= components
    assert "KTOTrainer" not in components


def test_an_alias_is_understood_at_a_source():
    """A release that lacks the key answers with the key of the same metric."""
    (found,) = resolve("approxkl", "trl[PPOTrainer]==0.12")
    told = (found.key, found.template, found.metric, found.matched)
    assert told == ("approxkl", "policy/approxkl_avg", "kl/old/k2", "alias")


def test_the_last_part_of_one_key_is_understood_at_a_source():
    """Of several keys none is taken."""
    (found,) = resolve("region_mean", "trl[GRPOTrainer]==0.18.2")
    assert (found.template, found.matched) == ("clip_ratio/region_mean", "segment")
    (none,) = resolve("max", "verl==0.9.1")
    assert none.metric is None


def test_the_users_own_metric_is_kept_beside_what_was_meant():
    """A typo has the key that is near; a key of older releases, its successor; any other name neither."""
    (typo,) = resolve("rewrd", GRPO)
    assert (typo.metric, typo.near_miss) == ("group/user_metric", "reward")
    (old,) = resolve("completion_length", GRPO)
    assert (old.metric, old.near_miss, old.instead) == ("group/user_metric", None, "completions/mean_length")
    assert (old.releases[0], old.releases[-1]) == ("0.14.0", "0.16.1")
    (own,) = resolve("difficulty", GRPO)
    assert (own.metric, own.near_miss, own.instead) == ("group/user_metric", None, None)


def test_an_absent_key_has_the_releases_that_log_it():
    """And no metric, as before."""
    (found,) = resolve("entropy", "trl[GRPOTrainer]==0.18.2")
    assert (found.metric, found.releases[0], found.instead) == (None, "0.20.0", None)


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("rewrd", "reward"),
        ("rewadr", "reward"),
        ("reward", None),
        ("rewwwrd", "reward"),
        ("rrewwwrd", None),
        ("f1", None),
        ("lkr", "lr"),
        ("l", None),
    ],
)
def test_a_typo_is_at_most_two_edits_away(name, near):
    """Of a short name at most half is edited, and a key is no typo of itself."""
    assert near == misspelt(name, ["reward", "lr", "loss"])


@settings(deadline=None, max_examples=200)
@given(st.text("abc", min_size=4, max_size=9), st.integers(0, 8), st.sampled_from("abcd"), st.integers(0, 3))
def test_one_edit_is_found_wherever_it_is(known, place, letter, kind):
    """A letter more, less, another one, or two of them swapped."""
    at = place % (len(known) - 1)
    edited = [
        known[:at] + letter + known[at:],
        known[:at] + known[at + 1 :],
        known[:at] + letter + known[at + 1 :],
        known[:at] + known[at + 1] + known[at] + known[at + 2 :],
    ][kind]
    assert (None if edited == known else known) == misspelt(edited, [known])


def test_records_are_json(capsys):
    """Those of every meaning, through the command line."""
    from rlmetrics.cli import main

    assert main(["resolve", "kl", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"releases", "matched", "near_miss", "instead", "nearest", "reason"} <= set(found[0])
