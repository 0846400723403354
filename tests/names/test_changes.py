"""What changed about a key from release to release, and which default or fact is behind it."""

from __future__ import annotations

import pytest
from rlmetrics.names import DiffResult, NamesError, diff, load_tables
from rlmetrics.names.meanings.key_course import ComponentCourse, stem_at
from rlmetrics.names.upgrades.changes import Change, course_of, steps

GRPO = ("trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.16.0")


@pytest.fixture(scope="module")
def grpo() -> DiffResult:
    """What changed between two releases that lie far apart."""
    return diff(*GRPO, all_configs=True)


def _changes(component: str, key: str, **config: object) -> dict[str, Change]:
    found = steps(course_of(load_tables(), "trl", component, config), [key], "train")
    return {change.release: change for change in found}


def test_a_changed_default_is_the_cause_of_what_it_changes():
    """Kl is not logged by default since beta is 0, and the loss is pooled since loss_type is dapo."""
    (cause,) = _changes("GRPOTrainer", "kl")["0.19.0"].causes
    assert (cause.kind, cause.name, cause.before, cause.after) == ("setting", "beta", 0.04, 0.0)
    assert [effect.kind for effect in cause.effects] == ["logged"]
    loss = next(item for item in _changes("GRPOTrainer", "loss")["0.22.0"].causes if item.kind == "setting")
    assert (loss.name, loss.before, loss.after) == ("loss_type", "bnpo", "dapo")
    assert "reduction" in {effect.kind for effect in loss.effects}


def test_a_default_that_is_given_changes_nothing():
    """With beta given, kl is logged before and after."""
    causes = [cause for change in _changes("GRPOTrainer", "kl", beta=0.1).values() for cause in change.causes]
    assert causes
    assert not [cause for cause in causes if cause.kind in ("setting", "logged")]


def test_a_key_is_told_from_its_first_release():
    """Where it came is a change, too."""
    first = next(iter(_changes("GRPOTrainer", "entropy").values()))
    assert (first.release, first.kind, first.before) == ("0.20.0", "added", None)


def test_the_lasting_change_dates_a_key(grpo):
    """reward_std was the spread of the batch for two releases before it came to stay."""
    (change,) = [item for item in grpo.changed if item.key == "reward_std"]
    assert (change.since, change.severity, change.applies) == ("0.27.0", "look-alike", True)
    (cause,) = [item for item in grpo.causes if item.keys == ("reward_std",)]
    assert (cause.release, cause.earlier) == ("0.27.0", "0.22.0..0.22.1")


def test_a_change_taken_back_is_told_as_such(grpo):
    """Reward weights had no effect for six releases, which the two ends do not show."""
    (undone,) = [item for item in grpo.taken_back if item.name == "reward_weights_ignored"]
    assert (undone.releases, undone.again, undone.keys) == ("0.27.0..0.29.1", "1.0.0", ("reward",))
    assert "reward_weights_ignored" not in {cause.name for cause in grpo.causes}


def test_each_cause_is_told_once_with_every_key(grpo):
    """Padding after a vLLM response stopped counting in eleven training keys at once."""
    (cause,) = [item for item in grpo.causes if item.name == "padded_row_counted"]
    assert {"loss", "kl", "num_tokens", "completions/mean_length"} < set(cause.keys)
    assert (cause.release, cause.applies, cause.only_if) == ("0.24.0", False, "use_vllm")
    assert all(key.startswith("eval_") for key in cause.folded)


def test_what_needs_a_setting_shows_with_it():
    """With vLLM the padding counts, so the difference applies."""
    found = diff(*GRPO, config={"use_vllm": True})
    (cause,) = [item for item in found.causes if item.name == "padded_row_counted"]
    assert cause.applies is not False
    assert None is cause.only_if


def test_every_changed_key_has_a_cause(grpo):
    """And every cause belongs to a key that changed or was renamed."""
    told = {key for cause in grpo.causes for key in (*cause.keys, *cause.folded)}
    changed = {item.key for item in grpo.changed}
    assert changed <= told <= changed | {item.to for item in grpo.renamed}


def test_other_settings_are_told_on_demand(grpo):
    """What tools wrote is left out since 0.26.0; by default there are no tools."""
    assert diff(*GRPO).others == ()
    (cause,) = [item for item in grpo.others if item.name == "external_tokens_excluded" and "loss" in item.keys]
    assert (cause.release, cause.applies) == ("0.26.0", False)
    assert "tools" in str(cause.only_if)


def test_defaults_of_base_classes_are_told(grpo):
    """TRL's classes set what transformers sets otherwise; that moves every averaged curve."""
    defaults = {item.name: item for item in grpo.defaults}
    steps = defaults["logging_steps"]
    assert (steps.before, steps.after, steps.since) == (500, 10, "0.19.0")
    assert steps.says == "a log line covers 10 steps, not 500"
    assert {"loss", "reward"} < set(steps.moves)
    assert not {"learning_rate", "grad_norm"} & set(steps.moves), "these are read at the last step"
    assert defaults["beta"].decides == ("kl",)
    assert defaults["beta"].says == "loss has no KL part"
    assert {False: True}.items() <= {defaults["gradient_checkpointing"].before: True}.items()


def test_a_default_written_in_another_way_is_no_change():
    """Gamma went from 1 to 1.0."""
    names = {item.name for item in diff("trl[PPOTrainer]==0.7.11", "trl[PPOTrainer]==0.11.4").defaults}
    assert "gamma" not in names


def test_a_class_that_was_renamed_is_compared_with_what_it_was():
    """PPOv2Trainer became PPOTrainer, whose own former self logged other numbers."""
    found = diff("trl[PPOv2Trainer]==0.11.4", "trl[PPOTrainer]==0.12.2")
    assert (found.changed, found.renamed, found.removed, found.added) == ((), (), (), ())
    assert [(item.former, item.component) for item in found.classes] == [("PPOv2Trainer", "PPOTrainer")]
    table = load_tables().framework("trl")
    course = ComponentCourse(load_tables(), table, "PPOTrainer", ("0.11.4", "0.12.2"), former="PPOv2Trainer")
    assert [part.stem for part in map(course.part, course.releases) if part] == ["ppo_trainer", "ppo_trainer"]


def test_a_class_that_was_rewritten_is_compared_with_its_former_self():
    """PPOTrainer of 0.12.0 is another class than that of 0.11.4."""
    table = load_tables().framework("trl")
    course = ComponentCourse(load_tables(), table, "PPOTrainer", ("0.7.11", "0.11.4", "0.12.2"))
    stems = [part.stem for part in map(course.part, course.releases) if part]
    assert stems == ["ppo_trainer_v1", "ppo_trainer_v1", "ppo_trainer"]
    assert None is stem_at(table, "PPOTrainer", "1.16.0")


def test_a_rename_has_its_release_and_weight():
    """The mean length of completions has another name since 0.17.0."""
    found = diff("trl[GRPOTrainer]==0.14.0", "trl[GRPOTrainer]==0.18.2")
    (renamed,) = [item for item in found.renamed if item.from_ == "completion_length"]
    assert (renamed.to, renamed.since, renamed.severity) == ("completions/mean_length", "0.17.0", "close")


def test_only_some_keys():
    """Asked for as a tracker shows them; a default of which another key is moved says nothing here."""
    found = diff(*GRPO, keys=["train/kl"])
    assert [item.key for item in found.changed] == ["kl"]
    assert {cause.keys for cause in found.causes} == {("kl",)}
    assert None is next(item for item in found.defaults if item.name == "beta").says


def test_an_unknown_key_is_refused():
    """With the nearest one."""
    with pytest.raises(NamesError, match="did you mean kl"):
        diff(*GRPO, keys=["klx"])


def test_only_what_is_new_since_a_release():
    """Earlier causes, keys and defaults are left out."""
    found = diff(*GRPO, since="1.6.0")
    assert {cause.release for cause in found.causes} == {"1.6.0", "1.9.0", "1.9.1", "1.14.2", "1.15.0"}
    added = {item.key for item in found.added}
    assert "policy_loss" in added
    assert "entropy" not in added
    changed = {item.key for item in found.changed}
    assert "kl" in changed
    assert "reward_std" not in changed
    assert found.renamed == ()
    assert {"logging_steps", "beta"}.isdisjoint(item.name for item in found.defaults)
    with pytest.raises(NamesError, match="no release of the framework"):
        diff(*GRPO, since="3.0")


def test_timers_are_told_apart():
    """What says how a run goes along is marked, so that it can stand last."""
    found = diff("verl==0.6.1", "verl==0.9.1")
    assert {item.bookkeeping for item in found.changed if item.key.startswith("timing_s/")} == {True}
    assert {item.bookkeeping for item in found.changed if item.key.startswith("actor/pg")} == {False}
