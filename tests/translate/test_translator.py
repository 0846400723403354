"""Translating logged dicts by the spec's relations: what crosses, what is set aside, what stays."""

import math

import pytest
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.translate import InputError, Translator

OLD, NEW = "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"


@pytest.fixture
def translator():
    """From the first PPO trainer of TRL to its successor."""
    return Translator(OLD, NEW)


def test_a_key_with_a_counterpart_gets_its_name(translator):
    """The counterpart, the relation and what differs come with the key."""
    move = translator.key("ppo/policy/approxkl")

    assert "policy/approxkl_avg" == move.target == move.output
    assert move.relation == "approximate"
    assert any("padding" in difference.what and difference.grade == "biased" for difference in move.differs_by)


def test_a_key_without_a_counterpart_keeps_its_name(translator):
    """A known key that the target has no number for stays as it is."""
    move = translator.key("ppo/val/var_explained")

    assert move.target is None
    assert move.output == "ppo/val/var_explained"


def test_an_unknown_key_keeps_its_name(translator):
    """What the source doesn't define is none of our business."""
    assert translator.row({"my/own": 1, "ppo/policy/clipfrac": 0.5}) == {"my/own": 1, "policy/clipfrac_avg": 0.5}
    assert translator.report.unknown == ["my/own"]


def test_a_name_that_means_something_else_in_the_target_is_set_aside():
    """GRPO's reward_std is the mean of group deviations in 0.18.2 and the deviation of the batch in 1.16.0."""
    translator = Translator("trl[GRPOTrainer]==0.18.2", "trl[GRPOTrainer]==1.16.0")

    row = translator.row({"reward_std": 0.25, "reward": 1.0})

    assert row == {"untranslated/trl-0.18.2/reward_std": 0.25, "reward": 1.0}
    assert translator.report.set_aside == {"reward_std": "untranslated/trl-0.18.2/reward_std"}


def test_an_unknown_name_that_the_target_logs_is_set_aside(translator):
    """A user's own key must not be taken for a metric of the target."""
    row = translator.row({"policy/approxkl_avg": 3.0, "ppo/policy/approxkl": 0.1})

    assert row == {"untranslated/trl-0.7.10/policy/approxkl_avg": 3.0, "policy/approxkl_avg": 0.1}


def test_equal_values_for_one_name_are_written_once(translator):
    """``env/reward_mean`` and ``ppo/mean_scores`` are aliases: the nearer one is written, the other is reported."""
    row = translator.row({"env/reward_mean": 1.5, "ppo/mean_scores": 1.5})

    assert row == {"objective/scores": 1.5}
    assert translator.report.duplicates == {"env/reward_mean": "objective/scores"}
    assert translator.report.exit_code == 0


def test_nan_equals_nan_when_aliases_meet(translator):
    """Two aliases that both diverged agree."""
    row = translator.row({"env/reward_mean": math.nan, "ppo/mean_scores": math.nan})

    assert list(row) == ["objective/scores"]


def test_unequal_values_for_one_name_are_both_set_aside(translator):
    """Nobody can tell which is right, so neither gets the new name; the exit code is 1."""
    row = translator.row({"env/reward_mean": 1.0, "ppo/mean_scores": 2.0, "ppo/policy/clipfrac": 0.5})

    assert row == {
        "untranslated/trl-0.7.10/env/reward_mean": 1.0,
        "untranslated/trl-0.7.10/ppo/mean_scores": 2.0,
        "policy/clipfrac_avg": 0.5,
    }
    assert {new: sorted(olds) for new, olds in translator.report.collisions.items()} == {
        "objective/scores": ["env/reward_mean", "ppo/mean_scores"]
    }
    assert translator.report.exit_code == 1


def test_strict_crosses_only_exact_and_affine():
    """Approximate counterparts keep their old name under ``strict``, and a name with another meaning is set aside."""
    translator = Translator(OLD, NEW, strict=True)

    row = translator.row({"ppo/policy/approxkl": 0.1, "ppo/mean_scores": 1.0, "objective/entropy": 7.0})

    assert row == {
        "ppo/policy/approxkl": 0.1,
        "objective/scores": 1.0,
        "untranslated/trl-0.7.10/objective/entropy": 7.0,
    }


def test_both_writes_old_and_new_names():
    """One chart can then span the migration."""
    translator = Translator(OLD, NEW, both=True)

    row = translator.row({"ppo/policy/approxkl": 0.1, "objective/kl": 2.0})

    assert row == {"policy/approxkl_avg": 0.1, "ppo/policy/approxkl": 0.1, "objective/kl": 2.0}


def test_both_keeps_the_old_names_of_what_is_set_aside():
    """A chart with the old names stays whole where two keys claim one new name, which neither of them gets."""
    rows = [{"env/reward_mean": 1.0, "ppo/mean_scores": second} for second in (1.0, 2.0)]
    translator = Translator(OLD, NEW, both=True)

    agreeing, quarrelling = (translator.row(row) for row in rows)

    assert agreeing == {**rows[0], "objective/scores": 1.0}
    assert quarrelling == {**rows[1], **{f"untranslated/trl-0.7.10/{name}": value for name, value in rows[1].items()}}


def test_both_keeps_no_name_that_means_something_else():
    """A name with another meaning in the target is only set aside, and an unknown key that is dropped stays away."""
    translator = Translator(OLD, NEW, both=True, strict=True, unknown="drop")

    assert translator.row({"objective/entropy": 7.0, "mine": 1.0}) == {"untranslated/trl-0.7.10/objective/entropy": 7.0}


def test_unknown_keys_can_be_dropped_or_refused():
    """``drop`` leaves them out, ``error`` names the key and its neighbours."""
    row = {"ppo/policy/aproxkl": 1.0, "ppo/policy/clipfrac": 0.5}

    assert Translator(OLD, NEW, unknown="drop").row(row) == {"policy/clipfrac_avg": 0.5}
    with pytest.raises(InputError, match="ppo/policy/approxkl"):
        Translator(OLD, NEW, unknown="error").row(row)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [("train/objective/kl", "train/kl/old_reference_sum/k1"), ("objective/kl", "kl/old_reference_sum/k1")],
)
def test_names_are_recognised_and_shown_as_the_tracker_does(shown, expected):
    """W&B shows ``train/objective/kl``; canonical names have no tracker prefix, so the bare name comes out."""
    move = Translator(NEW, "canonical").key(shown)

    assert move.output in {expected, "kl/old_reference_sum/k1"}
    assert move.metric == "kl/old_reference_sum/k1"


def test_the_input_row_is_not_changed(translator):
    """``row`` returns a copy, values included."""
    row = {"objective/kl_dist": [1.0, 2.0], "ppo/policy/clipfrac": 0.5}

    translator.row(row)

    assert row == {"objective/kl_dist": [1.0, 2.0], "ppo/policy/clipfrac": 0.5}


def test_the_order_of_a_row_is_kept(translator):
    """Names come out in the order in which the old ones went in."""
    row = {"b": 1, "ppo/policy/clipfrac": 2, "a": 3, "objective/kl": 4}

    assert list(translator.row(row)) == ["b", "policy/clipfrac_avg", "a", "objective/kl"]


@pytest.mark.parametrize(
    ("source", "target"), [("trl[PPOTrainr]==0.7.10", NEW), (OLD, "tlr==0.18.2"), (OLD, "trl[PPOTrainer]==1.16.0")]
)
def test_a_source_that_does_not_exist_is_refused(source, target):
    """Unknown frameworks and components, and components that a release no longer has, give one clear error."""
    with pytest.raises(NamesError):
        Translator(source, target)


def test_canonical_names_of_an_evaluation_are_looked_up_like_others():
    """``eval/`` before a canonical name: the counterpart in the framework, or the name as it is."""
    translator = Translator("canonical", "verl==0.9.1")

    assert translator.row({"eval/sft/loss": 1.0}) == {"val/loss": 1.0}
    assert translator.row({"eval/kl/reference/k3": 1.0}) == {"eval/kl/reference/k3": 1.0}


def test_what_trackers_write_beside_a_row_is_no_metric_of_a_user():
    """A trainer that takes any name from users does not make metrics of steps and times; a name of theirs is one."""
    translator = Translator("trl[GRPOTrainer]==1.16.0", "canonical")
    row = {"step": 3, "_step": 3, "_timestamp": 1.0, "_runtime": 2.0, "global_step": 3, "mine": 4.0}

    assert translator.row(row) == {
        "step": 3,
        "_step": 3,
        "_timestamp": 1.0,
        "_runtime": 2.0,
        "progress/global_step": 3,
        "group/user_metric/mine": 4.0,
    }
