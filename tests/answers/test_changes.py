"""What became of a key from release to release, as the sources of the releases have it."""

from __future__ import annotations

import pytest
from rlmetrics.names import keys
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.upgrades.history import History
from rlmetrics.wording.change_words import changes as changes_in

TABLES = load_tables()


def changes(tables, framework, component, key, mode="train", *, at=None, config=None):
    """What became of a key in a component."""
    return changes_in(History(tables, framework, component, config), tables, key, mode, at)


def told(framework, component, key, **options):
    """The changes of a key, by release."""
    found = changes(TABLES, framework, component, key, **options)
    return {item.release: item for item in found if item.until is None}


def test_a_renamed_key_is_followed_both_ways():
    """Old and new name tell one history, with the release that renamed the key and what changed with it."""
    by_new = told("trl", "PPOTrainer", "policy/approxkl_avg")
    by_old = told("trl", "PPOTrainer", "ppo/policy/approxkl")
    assert by_new == by_old
    renamed = by_new["0.12.0"]
    assert (renamed.kind, renamed.was, renamed.key) == ("renamed", "ppo/policy/approxkl", "policy/approxkl_avg")
    assert "padding is in the mean" in {cause.text for cause in renamed.causes}
    assert [release for release in by_new if release.startswith("1.")] == []


def test_a_key_that_came_says_since_when():
    """GRPOTrainer logs entropy since 0.20.0."""
    first = changes(TABLES, "trl", "GRPOTrainer", "entropy")[0]
    assert (first.kind, first.release) == ("came", "0.20.0")


def test_a_key_that_went_is_told():
    """What verl 0.4.0 calls actor/entropy_loss is actor/entropy in 0.4.1."""
    kinds = {item.release: item.kind for item in changes(TABLES, "verl", "actor", "actor/entropy", at="0.5.0")}
    assert kinds["0.4.1"] == "renamed"


def test_a_change_that_was_taken_back_is_told_with_its_releases():
    """From 0.27.0 to 0.29.1 the logged reward leaves out the weights."""
    reward = [item for item in changes(TABLES, "trl", "GRPOTrainer", "reward") if item.release == "0.27.0"]
    (weights,) = [item for item in reward if "reward_weights" in item.causes[0].text]
    assert weights.until == "0.29.1"
    assert not any(
        "reward_weights" in cause.text
        for item in changes(TABLES, "trl", "GRPOTrainer", "reward")
        for cause in item.causes
        if item.release == "1.0.0"
    )


@pytest.mark.parametrize(
    ("key", "release", "said"),
    [
        ("kl", "0.19.0", "default of beta 0.04 -> 0.0: not logged by default"),
        ("loss", "0.19.0", "default of beta 0.04 -> 0.0"),
        ("loss", "0.22.0", "default of loss_type bnpo -> dapo"),
    ],
)
def test_a_default_that_decides_is_told_first(key, release, said):
    """Guards and notes name the settings on which a key depends."""
    change = told("trl", "GRPOTrainer", key)[release]
    assert said == change.causes[0].text


def test_settings_decide_which_changes_weigh():
    """That the reference moves counts only where it is told to."""

    def moving(**config):
        found = changes(TABLES, "trl", "GRPOTrainer", "loss", config=config)
        return [cause.weighs for item in found for cause in item.causes if cause.trait == "reference_synced"]

    assert moving(sync_ref_model="true") == [True]
    assert moving() == [False]


def test_every_key_of_a_large_release_has_a_history():
    """No key, template or evaluation key fails, and each history is in order."""
    for at in ("trl[GRPOTrainer]==1.16.0", "trl[DPOTrainer]==1.16.0", "verl==0.9.1"):
        framework, _, release = at.partition("==")
        framework = framework.partition("[")[0]
        order = TABLES.framework(framework).releases.index
        for item in keys(at):
            found = changes(TABLES, framework, item.component, item.key, item.mode, at=release)
            assert sorted(found, key=lambda change: order(change.release)) == found
            assert all(change.causes for change in found if change.kind == "changed")


def test_a_key_that_nothing_logs_has_no_history():
    """Neither has a component that is not there any more at that release."""
    assert changes(TABLES, "trl", "GRPOTrainer", "no/such/key") == []
