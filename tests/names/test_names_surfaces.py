"""Surfaces: what trackers make of names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from names.small_spec import small_tables
from rlmetrics.names import NamesError, keys, open_view, resolve
from rlmetrics.names.sources.surfaces import route_surfaces, rules_of, show_name, show_template


@pytest.mark.parametrize(
    ("key", "at", "surface", "template", "mode"),
    [
        ("reward", "alpha[NewTrainer]==1.0.0", "logged", "reward", "train"),
        ("train/reward", "alpha[NewTrainer]==1.0.0", "wandb", "reward", "train"),
        ("eval_reward", "alpha[NewTrainer]==1.0.0", "logged", "eval_reward", "eval"),
        ("eval/reward", "alpha[NewTrainer]==1.0.0", "wandb", "eval_reward", "eval"),
        ("train/rewards/accuracy/mean", "alpha[NewTrainer]==1.0.0", "wandb", "rewards/{reward_func}/mean", "train"),
        ("eval/rewards/accuracy/mean", "alpha[NewTrainer]==1.0.0", "wandb", "eval_rewards/{reward_func}/mean", "eval"),
        ("ppo/approxkl", "alpha[OldTrainer]==0.1.0", "logged", "ppo/approxkl", "train"),
        ("val-core/a/b/acc/mean@4", "beta==0.5", "logged", "val-core/{data_source}/{variable}/mean@{n}", "train"),
        ("val-core/a/b/acc/mean_at_4", "beta==0.5", "mlflow", "val-core/{data_source}/{variable}/mean@{n}", "train"),
        ("monitor_actor_pg_loss", "beta==0.5", "rl_insight", "actor/pg_loss", "train"),
        (
            "monitor_val_core_gsm8k_acc_mean_4",
            "beta==0.5",
            "rl_insight",
            "val-core/{data_source}/{variable}/mean@{n}",
            "train",
        ),
        ("anything", "alpha[NewTrainer]==1.0.0", "logged", "{name}", "train"),
        ("train/anything", "alpha[NewTrainer]==1.0.0", "wandb", "{name}", "train"),
    ],
)
def test_a_key_is_recognised_however_it_is_shown(tables, key, at, surface, template, mode):
    """Nobody has to say which tracker a name comes from."""
    (found,) = resolve(key, at, spec=tables)
    assert (surface, template, mode) == (found.surface, found.template, found.mode)


def test_the_old_trainer_has_no_prefix(tables):
    """Its route leaves names alone, so train/… is not its key."""
    (found,) = resolve("train/ppo/approxkl", "alpha[OldTrainer]==0.1.0", spec=tables)
    assert found.metric is None


def test_a_template_is_not_stretched_to_what_the_tracker_cannot_show(tables):
    """A user's eval_mine would be shown as eval/mine, so train/eval_mine is nothing."""
    (found,) = resolve("train/eval_mine", "alpha[NewTrainer]==1.0.0", spec=tables)
    assert (found.surface, found.placeholders) == ("logged", {"name": "train/eval_mine"})


def test_a_rule_that_stops_keeps_later_ones_from_applying(tables):
    """Totals of a run stay bare on W&B only."""
    rules = rules_of(tables, "wandb", "hf_trainer")
    assert show_name("total_flos", rules) == "total_flos"
    assert show_name("total_flos", rules_of(tables, "tensorboard", "hf_trainer")) == "train/total_flos"
    assert show_name("eval_x", rules) == "eval/x"


def test_trackers_that_do_the_same_are_one_surface(tables):
    """W&B and TensorBoard differ in one rule; MLflow changes characters only."""
    assert [name for name, _ in route_surfaces(tables, ["hf_trainer"])] == ["wandb", "tensorboard", "trackio", "mlflow"]
    assert route_surfaces(tables, ["accelerate"]) == []


def test_a_name_that_a_tracker_hides_is_not_recognised_as_its_own(tables):
    """And where it must be shown all the same, it stays as it is."""
    view = open_view("alpha[NewTrainer]==1.0.0", spec=tables)
    (entry,) = [entry for entry in view.entries() if entry.key == "learning_rate"]
    assert view.show(entry, entry.key, "trackio") == "learning_rate"
    assert view.show(entry, "reward", "trackio") == "train/reward"
    assert [match.entry for match in view.find("train/learning_rate")] == [entry]


def test_placeholders_survive_every_rewriting(tables):
    """Also where the tracker replaces braces."""
    rules = rules_of(tables, "rl_insight", "verl_tracking")
    assert show_template("val-core/{data_source}@{n}", rules) == "monitor_val_core_{data_source}_{n}"


def test_keys_can_be_listed_as_a_tracker_shows_them(tables):
    """On output a surface must be asked for."""
    shown = {item.key for item in keys("alpha[NewTrainer]==1.0.0", surface="wandb", spec=tables)}
    logged = {item.key for item in keys("alpha[NewTrainer]==1.0.0", spec=tables)}
    assert {"train/reward", "eval/reward", "train/rewards/{reward_func}/mean"} <= shown
    assert {"reward", "eval_reward", "rewards/{reward_func}/mean"} <= logged


def test_an_unknown_surface_names_the_known_ones(tables):
    """A typo is no reason to guess."""
    with pytest.raises(NamesError, match="did you mean wandb"):
        keys("beta==0.5", surface="wanbd", spec=tables)


@given(st.sampled_from(["alpha[NewTrainer]==1.0.0", "alpha[OldTrainer]==0.1.0", "beta==0.5"]), st.data())
def test_what_is_shown_is_recognised_as_what_was_logged(at, data):
    """Showing a literal key on any tracker and resolving it again gives the same entry."""
    view = open_view(at, spec=small_tables())
    entry = data.draw(st.sampled_from([entry for entry in view.entries() if "{" not in entry.key]))
    tracker = data.draw(st.sampled_from(list(view.tables.trackers)))
    shown = view.show(entry, entry.key, tracker)
    assert [match.entry for match in view.find(shown)] == [entry]
