"""Translation tables between two sources."""

from __future__ import annotations

from typing import Any

import pytest
from rlmetrics.names import NamesError, map_names

OLD, NEW = "alpha[OldTrainer]==0.2.0", "alpha[NewTrainer]==1.0.0"


def _row(names, key) -> Any:
    return next(row for row in names.rows if row.from_ == key)


def test_every_key_of_the_source_has_one_row(tables):
    """Also those without a target."""
    names = map_names(OLD, NEW, spec=tables)
    assert [entry.key for entry in names.from_view.entries()] == [row.from_ for row in names.rows]


def test_a_row_has_the_best_target_and_what_differs(tables):
    """Names, components, relation and differences."""
    row = _row(map_names(OLD, NEW, spec=tables), "ppo/approxkl")
    assert (row.to, row.to_component, row.relation) == ("approxkl_avg", "NewTrainer", "approximate")
    assert [item.grade for item in row.differs_by] == ["minor", "minor", "biased"]
    assert row.note == "the source is constant: 0 with one epoch"


def test_what_is_constant_on_both_sides_is_said_once(tables):
    """Each side on its own otherwise."""
    same = _row(map_names("alpha[OldTrainer]==0.1.0", OLD, spec=tables), "ppo/approxkl")
    assert same.note == "both are constant: 0 with one epoch"
    back = _row(map_names(NEW, OLD, spec=tables), "approxkl_avg")
    assert back.note == "the target is constant: 0 with one epoch"


def test_a_distribution_does_not_become_a_mean(tables):
    """It is related to what it may be confused with."""
    row = _row(map_names(OLD, NEW, spec=tables), "ppo/ratio")
    assert (row.to, row.relation) == (None, "related")
    assert [item.to for item in row.related] == ["entropy"]


def test_what_nothing_resembles_has_no_relation(tables):
    """None, and no look-alikes."""
    row = _row(map_names(NEW, OLD, spec=tables), "learning_rate")
    assert (row.to, row.relation, row.related) == (None, "none", ())


def test_training_and_evaluation_do_not_mix(tables):
    """An eval key translates to an eval key or not at all."""
    names = map_names(NEW, "alpha[NewTrainer]==0.3.0", spec=tables)
    assert (_row(names, "reward").to, _row(names, "eval_reward").to) == ("reward", "eval_reward")
    assert _row(map_names(NEW, "beta==0.5", spec=tables), "eval_reward").relation == "none"


def test_equal_candidates_are_refused_by_name(tables):
    """timing_s/step and perf/time_per_step say the same; nobody can tell which one was meant."""
    row = _row(map_names(OLD, "beta==0.5", spec=tables), "time/total")
    assert (row.to, row.relation) == (None, "related")
    assert row.note == "ambiguous: timing_s/step, perf/time_per_step are equally good"
    assert [item.to for item in row.related] == ["timing_s/step", "perf/time_per_step"]


def test_of_equal_candidates_the_one_of_the_same_name_wins(tables):
    """From one release to the next, names that stayed stay."""
    names = map_names("beta==0.2.0.post2", "beta==0.5", spec=tables)
    assert _row(names, "perf/time_per_step").to == "perf/time_per_step"
    assert _row(names, "timing_s/step").to == "timing_s/step"


def test_the_better_grade_wins(tables):
    """Of the two rewards of the old trainer, the one without a clamp."""
    assert _row(map_names(NEW, OLD, spec=tables), "reward").to == "ppo/mean_scores"


def test_what_is_logged_by_default_wins(tables):
    """A candidate that this configuration does not log comes last."""
    names = map_names("canonical", NEW, spec=tables)
    assert _row(names, "kl/reference/k3").note == "logged only: beta != 0"
    with_penalty = map_names("canonical", NEW, config={"beta": 0.1}, spec=tables)
    assert _row(with_penalty, "kl/reference/k3").note is None


def test_a_target_under_another_configuration_is_named(tables):
    """The key that a variant would make the translation, with its guard; given the configuration, it is one."""
    arguments = {"from_": "canonical", "to": "beta==0.5", "spec": tables}
    row = _row(map_names(**arguments), "policy/ratio/mean")
    assert (row.to, row.note) == (None, "actor/pg_clipfrac measures it when actor.clip == 0")
    assert _row(map_names(**arguments, config={"actor.clip": 0}), "policy/ratio/mean").to == "actor/pg_clipfrac"


def test_values_are_converted_where_the_factor_is_known(tables):
    """Ten thousand times too large, and a step off."""
    row = _row(map_names("beta==0.1", "beta==0.5", spec=tables), "actor/lr(1e-4)")
    assert (row.to, row.relation) == ("actor/lr", "approximate")
    assert pytest.approx(row.transform(3.0)) == 3e-4
    assert [item.grade for item in row.differs_by] == ["minor"]


def test_a_sign_is_a_conversion(tables):
    """Before 0.2.0 the difference was taken the other way round."""
    row = _row(map_names("alpha[OldTrainer]==0.1.0", OLD, spec=tables), "ppo/policykl")
    assert (row.relation, row.transform(2.0)) == ("affine", -2.0)


def test_an_unknown_factor_keeps_the_name_until_it_is_given(tables):
    """The row says what is missing; with the key the relation is exact up to the factor."""
    arguments = {"from_": "beta==0.2.0.post2", "to": "beta==0.5", "spec": tables}
    row = _row(map_names(**arguments), "actor/pg_loss")
    assert (row.to, row.relation) == (None, "related")
    assert "--config" in row.note
    known = _row(map_names(**arguments, config={"actor.micro_batches": 4}), "actor/pg_loss")
    assert (known.relation, known.to, known.transform(2.0)) == ("affine", "actor/pg_loss", 8.0)


def test_a_defect_is_explained_with_its_correction(tables):
    """Nothing is translated, the look-alike is named."""
    row = _row(map_names("beta==0.5", "alpha[NewTrainer]==0.3.0", spec=tables), "actor/broken_kl")
    assert (row.to, row.relation, row.note) == (None, "related", "divide by the parts")
    assert (
        row.related[0].to,
        row.related[0].why,
    ) == ("kl", "the same metric, but only in the source: the sum is logged")


def test_placeholders_of_the_same_name_carry_over(tables):
    """Each reward function keeps its name."""
    names = map_names(NEW, "beta==0.5", spec=tables)
    assert _row(names, "rewards/{reward_func}/mean").to == "gdpo/{reward_func}/mean"
    assert names.translate("rewards/accuracy/mean").target == "gdpo/accuracy/mean"


def test_other_placeholders_need_a_value(tables):
    """From the record's own binding or from --bind; what is missing is named."""
    arguments = {"from_": "beta==0.1", "to": "beta==0.5", "spec": tables}
    names = map_names(**arguments)
    row = _row(names, "val/{data_source}")
    assert (row.to, row.unbound) == ("val-core/{data_source}/reward/mean@{n}", ("n",))
    assert None is names.translate("val/openai/gsm8k").target
    assert names.translate("val/openai/gsm8k").note == "needs a value: --bind n=…"
    bound = map_names(**arguments, bind={"n": "4", "variable": "acc"})
    assert bound.translate("val/openai/gsm8k").target == "val-core/openai/gsm8k/acc/mean@4"


def test_a_placeholder_that_the_target_lacks_is_a_difference(tables):
    """Many values would become one."""
    row = _row(map_names("beta==0.5", "beta==0.1", spec=tables), "val-core/{data_source}/{variable}/mean@{n}")
    assert (row.to, row.relation) == ("val/{data_source}", "approximate")
    assert row.differs_by[-1].what == "the source has one value for each {variable}, {n}, the target only one"


@pytest.mark.parametrize(
    ("bind", "part"), [({"m": "4"}, "has no placeholder 'm'"), ({"n": "zero"}, "'zero' cannot be a {n} of beta==0.5")]
)
def test_a_wrong_binding_is_explained(tables, bind, part):
    """Unknown placeholders and values that do not fit."""
    with pytest.raises(NamesError, match=part.replace("{", r"\{")):
        map_names("beta==0.1", "beta==0.5", bind=bind, spec=tables)


def test_a_value_that_does_not_fit_the_target_is_not_forced(tables):
    """The key stays; the reason is given."""
    names = map_names("beta==0.1", "beta==0.5", bind={"n": "4"}, spec=tables)
    assert names.translate("val/a/b/c/d").target == "val-core/a/b/c/d/reward/mean@4"
    assert None is names.translate("val/a/b/c/d/e").target


def test_names_come_out_as_they_went_in(tables):
    """A W&B name becomes a W&B name; another surface must be asked for."""
    names = map_names(NEW, "alpha[NewTrainer]==0.3.0", spec=tables)
    assert names.translate("train/reward").target == "train/reward"
    assert names.translate("reward").target == "reward"
    assert names.translate("eval/reward").target == "eval/reward"
    to_old = map_names(NEW, OLD, spec=tables)
    assert to_old.translate("train/reward").target == "ppo/mean_scores"
    asked = map_names(OLD, NEW, surface="wandb", spec=tables)
    assert asked.translate("ppo/mean_scores").target == "train/reward"
    assert _row(asked, "ppo/mean_scores").to == "train/reward"


def test_a_name_of_the_users_choice_never_takes_the_place_of_another(tables):
    """step_time was free in 0.3.0 and is the trainer's own key in 1.0.0."""
    names = map_names("alpha[NewTrainer]==0.3.0", NEW, spec=tables)
    assert names.translate("mine").target == "mine"
    taken = names.translate("step_time")
    assert (taken.target, taken.note) == (None, "step_time means something else there: timing/step")


def test_an_unknown_key_is_not_translated(tables):
    """There is no row, and the note says so."""
    found: Any = map_names(OLD, NEW, spec=tables).translate("nothing/of/the/kind")
    assert (found.row, found.target, found.metric) == (None, None, None)
    assert "does not log it" in found.note


def test_several_components_must_agree_on_a_key(tables):
    """Here they do not log the same key, so each row stands alone."""
    names = map_names("beta==0.5", "canonical", spec=tables)
    assert (
        names.translate("actor/ppo_kl").target,
        names.translate("critic/score/mean").target,
    ) == ("kl/old/k1", "reward/score/mean")


def test_a_target_without_the_trainer_says_so_and_names_the_nearest(tables):
    """Nothing is carried over to another trainer; the last release with the old one is named, and what is nearest."""
    gone = "alpha 1.0.0 has no OldTrainer; the last release that has it is 0.2.0"
    rows = {
        row.from_: row for row in map_names("alpha[OldTrainer]==0.2.0", "alpha[OldTrainer]==1.0.0", spec=tables).rows
    }
    row = rows["ppo/approxkl"]
    assert (row.to, row.relation, row.note) == (None, "related", gone)
    assert (row.related[0].to, row.related[0].to_component) == ("approxkl_avg", "NewTrainer")
    assert row.related[0].why == "the same metric in another trainer (approximate)"


def test_a_counterpart_in_another_trainer_of_the_framework_says_that_the_old_one_ended(tables):
    """With the whole release as the target the counterpart is given, with that remark."""
    rows = {row.from_: row for row in map_names("alpha[OldTrainer]==0.2.0", "alpha==1.0.0", spec=tables).rows}
    assert rows["ppo/approxkl"].to == "approxkl_avg"
    assert "alpha 1.0.0 has no OldTrainer; the last release that has it is 0.2.0" in str(rows["ppo/approxkl"].note)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("trl[GRPOTrainer]==1.16.0", "verl==0.9.1"),
        ("verl==0.9.1", "trl[GRPOTrainer]==1.16.0"),
        ("trl[PPOTrainer]==0.11.4", "canonical"),
    ],
)
def test_a_row_asked_for_alone_is_the_one_of_the_whole_table(source, target):
    """What else was asked before makes no difference: neither to its target nor to what it is taken for."""
    whole = map_names(source, target).rows
    alone = map_names(source, target)
    entries = alone.from_view.entries()

    assert [alone.row_of(entry) for entry in reversed(entries)] == [*reversed(whole)]
    assert any(row.related for row in whole)
