"""What changed between two releases."""

from __future__ import annotations

from typing import Any

import pytest
from rlmetrics.names import NamesError, diff


def test_a_new_meaning_under_an_old_name_is_a_change(tables):
    """With the first described release that has it."""
    found = diff("alpha[NewTrainer]==0.3.0", "alpha[NewTrainer]==1.0.0", spec=tables)
    changed = {item.key: item for item in found.changed}
    assert set(changed) == {"clip_ratio", "eval_clip_ratio", "kl", "eval_kl"}
    clip = changed["clip_ratio"]
    assert (clip.since, clip.what) == ("1.0.0", "only in the new one: ratios are clamped")
    assert (
        changed["kl"].what
        == "was logged by default (condition: beta != 0), is not logged by default (condition: beta != 0); "
        "the default of beta was 0.04, is 0.0"
    )


def test_a_changed_default_is_named(tables):
    """Only where it decides something."""
    found = diff("alpha[NewTrainer]==0.3.0", "alpha[NewTrainer]==1.0.0", spec=tables)
    changed = {item.key: item for item in found.changed}
    assert changed["kl"].what.endswith("the default of beta was 0.04, is 0.0")
    assert "default of" not in changed["clip_ratio"].what


def test_a_change_is_dated_by_the_release_in_which_it_came(tables):
    """Not by the release that is compared with."""
    (change,) = diff("alpha[OldTrainer]==0.1.0", "alpha[OldTrainer]==0.2.0", spec=tables).changed
    assert (change.key, change.since, change.what) == ("ppo/policykl", "0.2.0", "new = -1 * old + 0")
    changes = {item.key: item.since for item in diff("beta==0.1", "beta==0.5", spec=tables).changed}
    assert changes == {}
    middle = {item.key: item.since for item in diff("beta==0.1", "beta==0.2.0.post2", spec=tables).changed}
    assert middle == {"actor/pg_loss": "0.2.0.post2"}


def test_what_came_and_went_is_listed(tables):
    """With metric and evidence."""
    found = diff("alpha[NewTrainer]==0.3.0", "alpha[NewTrainer]==1.0.0", spec=tables)
    assert {(item.key, item.metric) for item in found.added} == {
        ("step_time", "timing/step"),
        ("eval_runtime", "timing/evaluation"),
    }
    assert found.removed == ()


def test_a_new_name_for_the_same_metric_is_a_rename(tables):
    """With the relation of the two numbers; neither side is listed as added or removed."""
    found = diff("beta==0.1", "beta==0.5", spec=tables)
    renamed: dict[str, Any] = {item.from_: item for item in found.renamed}
    assert set(renamed) == {"actor/lr(1e-4)", "val/{data_source}"}
    assert (
        renamed["actor/lr(1e-4)"].to,
        renamed["actor/lr(1e-4)"].relation,
        renamed["actor/lr(1e-4)"].transform.scale,
    ) == ("actor/lr", "approximate", 1e-4)
    assert [item.key for item in found.added] == ["gdpo/{reward_func}/mean"]
    assert found.removed == ()


def test_a_key_that_goes_while_another_of_its_metric_stays_is_removed(tables):
    """It points to the one that stays, but that is no new name."""
    found = diff("alpha[OldTrainer]==0.2.0", "alpha[NewTrainer]==1.0.0", spec=tables)
    gone = {item.key: item.instead for item in found.removed}
    assert None is gone["ppo/ratio"]
    assert {"ppo/approxkl": "approxkl_avg"}.items() <= {item.from_: item.to for item in found.renamed}.items()


def test_a_release_does_not_differ_from_itself(tables):
    """Nothing is added, removed, renamed or changed."""
    for at in ("beta==0.5", "alpha[NewTrainer]==1.0.0", "canonical"):
        found = diff(at, at, spec=tables)
        assert (found.added, found.removed, found.renamed, found.changed) == ((), (), (), ())


def test_backward_swaps_what_came_and_what_went(tables):
    """The same computation."""
    forth = diff("alpha[NewTrainer]==0.3.0", "alpha[NewTrainer]==1.0.0", spec=tables)
    back = diff("alpha[NewTrainer]==1.0.0", "alpha[NewTrainer]==0.3.0", spec=tables)
    assert [item.key for item in forth.added] == [item.key for item in back.removed]
    assert {item.key for item in forth.changed} == {item.key for item in back.changed}


def test_configuration_can_undo_a_change_of_defaults(tables):
    """With the penalty switched on in both releases, kl is logged in both."""
    found = diff("alpha[NewTrainer]==0.3.0", "alpha[NewTrainer]==1.0.0", config={"beta": 0.1}, spec=tables)
    assert not {"kl", "eval_kl"} & {item.key for item in found.changed}


def test_a_name_that_another_trainer_keeps_is_no_change():
    """KTOTrainer's kl was never RLOOTrainer's, which exists in both releases and logs it under another name in one."""
    found = diff("trl[RLOOTrainer]==1.3.0", "trl==0.13.0")
    assert not [item for item in found.changed if item.component == "KTOTrainer"]
    assert "kl" in {item.key for item in found.removed} | {item.from_ for item in found.renamed}


def test_a_key_that_moved_within_its_program_keeps_its_name():
    """The memory keys of verl became the actor's; another program's namesakes are no successors."""
    renamed = {item.from_: item.to for item in diff("verl==0.6.1", "verl==0.9.1").renamed}
    assert renamed["perf/max_memory_allocated_gb"] == "actor/perf/max_memory_allocated_gb"


def test_a_change_cites_the_release_that_was_asked_for():
    """Lines of the new release itself, whatever other releases show the same."""
    changes = {item.key: item for item in diff("trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.9.0").changed}
    assert {line.release for line in changes["loss"].evidence if line.path.startswith("trl/")} == {"1.9.0"}


def test_the_loss_of_one_of_several_data_sets_is_compared():
    """A name that fills a template with text of its own is what it says, also where it resembles another key."""
    found = diff("trl[KTOTrainer]==0.17.0", "trl[KTOTrainer]==1.3.0", keys=["eval_math_loss"])
    assert {item.key for item in found.changed} == {"eval_{eval_dataset}_loss"}
    with pytest.raises(NamesError, match="did you mean eval_loss"):
        diff("trl[KTOTrainer]==0.17.0", "trl[KTOTrainer]==1.3.0", keys=["eval_los"])


def test_what_went_cites_the_release_that_had_it():
    """Lines of the old release itself."""
    for item in diff("trl[PPOTrainer]==0.11.4", "trl[PPOTrainer]==0.12.2").removed:
        assert item.evidence
        assert {line.release for line in item.evidence if line.path.startswith("trl/")} == {"0.11.4"}
