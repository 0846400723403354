"""What a component logs in a release under a configuration."""

from __future__ import annotations

from typing import Any

import pytest
from rlmetrics.names import NamesError, keys, open_view, releases, resolve
from rlmetrics.names.settings.configuration import parse_pairs
from rlmetrics.names.tables.pieces import combine

NEW = "alpha[NewTrainer]==1.0.0"


def _one(key, at, tables, **options) -> Any:
    (found,) = resolve(key, at, spec=tables, **options)
    return found


def test_a_record_holds_for_its_releases_only(tables):
    """One key, two meanings: the release decides."""
    early, late = (_one("ppo/policykl", f"alpha[OldTrainer]=={release}", tables) for release in ("0.1.0", "0.2.0"))
    assert early.signature.scale == -1.0
    assert late.signature.scale == 1.0


def test_layers_merge_level_by_level_and_traits_add_up(tables):
    """Metric, profile, record: the later one wins; the population brings its traits."""
    found = _one("approxkl_avg", NEW, tables)
    assert found.signature.reduction == {"micro_batch": "mean", "rank": "mean"}
    assert (
        found.signature.population,
        found.signature.snapshot,
        found.signature.traits,
    ) == ("response_positions", "current", ("padding_counted",))
    assert found.function == "rlmetrics.functional.kl.kl_old_k2_padded"
    assert _one("clip_ratio", NEW, tables).signature.population == "response_tokens"


def test_what_a_fragment_logs_is_taken_over_unless_the_component_has_its_own(tables):
    """The component's own record of a key stands in place of the inherited one."""
    assert _one("learning_rate", NEW, tables).metric == "optimizer/learning_rate"
    assert _one("entropy", NEW, tables).metric == "policy/ratio/mean"
    assert sum(item.key == "entropy" for item in keys(NEW, spec=tables)) == 1


def test_an_inherited_key_can_be_omitted_in_some_releases(tables):
    """What a component does not log is not taken over, in the releases and modes that say so."""
    evaluated = {
        release: any(item.key == "eval_runtime" for item in keys(f"alpha[NewTrainer]=={release}", spec=tables))
        for release in ("0.3.0", "1.0.0")
    }
    assert evaluated == {"0.3.0": False, "1.0.0": True}


def test_a_fragment_can_be_named_by_the_profiles_of_its_users(tables):
    """step_time uses a profile of the base file."""
    assert _one("step_time", NEW, tables).signature.reduction == {"rank": "first"}


def test_evaluation_has_its_prefix_in_the_modes_that_log_it(tables):
    """A record's modes win over the file's; the prefix is put in front of the key."""
    listed = {item.key: item.mode for item in keys(NEW, spec=tables)}
    assert (listed["reward"], listed["eval_reward"]) == ("train", "eval")
    assert listed["eval_runtime"] == "eval"
    assert not {"runtime", "eval_learning_rate", "eval_approxkl_avg"} & set(listed)


def test_defaults_by_release_decide_what_is_logged(tables):
    """A changed default is a change of meaning; --config overrides it without changing the default."""
    at = "alpha[NewTrainer]=={}"
    assert [_one("kl", at.format(release), tables).logged_by_default for release in ("0.3.0", "0.4.1", "1.0.0")] == [
        True,
        True,
        False,
    ]
    found = _one("kl", NEW, tables, config={"beta": "0.1"})
    assert (found.logged_by_default, found.logged, found.condition) == (False, True, "beta != 0")


def test_a_worded_condition_needs_the_records_own_answer(tables):
    """No guard can say it, so the spec does."""
    assert _one("my_metric", NEW, tables).logged is False


def test_what_depends_on_a_key_without_default_is_unknown(tables):
    """Neither logged nor not logged, until the configuration says so."""
    found = _one("actor/maybe", "beta==0.5", tables)
    assert (found.logged_by_default, found.logged) == (None, None)
    given = _one("actor/maybe", "beta==0.5", tables, config={"actor.unknown": "true"})
    assert (given.logged_by_default, given.logged) == (None, True)


def test_configuration_picks_the_variant_and_the_others_are_listed(tables):
    """By default the plain record answers."""
    plain = _one("clip_ratio", NEW, tables)
    assert (plain.variant, plain.metric) == (None, "policy/clip_fraction")
    assert [(item.variant, item.when, item.metric) for item in plain.alternatives] == [
        ("per sequence", "level == 'sequence'", "policy/ratio/mean")
    ]
    picked = _one("clip_ratio", NEW, tables, config={"level": "sequence"})
    assert (picked.variant, picked.metric) == ("per sequence", "policy/ratio/mean")
    assert [item.variant for item in picked.alternatives] == [None]


def test_records_that_share_a_key_are_told_apart_by_their_guards(tables):
    """The configuration picks one; the other is an alternative."""
    at = "beta[data]==0.5"
    by_default, otherwise = (_one("critic/penalised", at, tables, config=config) for config in ({}, {"test": "false"}))
    assert (by_default.metric, otherwise.metric) == ("reward/total/mean", "reward/score/mean")
    assert [(item.when, item.metric) for item in by_default.alternatives] == [("not data.test", "reward/score/mean")]
    assert sum(item.key == "critic/penalised" for item in keys(at, spec=tables)) == 1


def test_null_is_a_value_of_the_configuration(tables):
    """As in YAML."""
    found = _one("loss", NEW, tables, config={"parts": "null"})
    assert found.signature.scale == "1 / parts"
    assert _one("loss", NEW, tables, config={"parts": 0.5}).signature.scale == 2.0


def test_a_scale_is_a_number_once_its_keys_are_known(tables):
    """Until then the expression itself is the answer."""
    assert _one("loss", NEW, tables).signature.scale == "1 / parts"
    assert _one("loss", NEW, tables, config={"parts": "4"}).signature.scale == 0.25


def test_a_configuration_key_may_be_named_by_its_end(tables):
    """As long as only one key ends like that."""
    at = "beta==0.2.0.post2"
    assert _one("actor/pg_loss", at, tables, config={"micro_batches": 2}).signature.scale == 0.5
    with pytest.raises(NamesError, match=r"'clip' can be .* or .*; write the whole name"):
        resolve("actor/pg_loss", at, spec=tables, config={"clip": 1})


@pytest.mark.parametrize(
    ("config", "part"),
    [
        ({"beat": 1}, "did you mean beta?"),
        ({"level": "tokens"}, "did you mean token?"),
        ({"beta": "much"}, "must be a number"),
        ({"parts": "1.5"}, "must be a whole number"),
        ({"skip_memory": "maybe"}, "must be true or false"),
        ({"beta": [1]}, "must be a float"),
    ],
)
def test_a_wrong_configuration_is_explained(tables, config, part):
    """Unknown keys and values that do not fit their type are refused."""
    with pytest.raises(NamesError, match=part):
        resolve("kl", NEW, spec=tables, config=config)


def test_pairs_of_the_command_line_are_checked():
    """NAME=VALUE, once each."""
    assert parse_pairs(["a=1", "b=x=y", "a=1"], "--config") == {"a": "1", "b": "x=y"}
    for wrong in (["a"], ["=1"], ["a=1", "a=2"]):
        with pytest.raises(NamesError, match="--config"):
            parse_pairs(wrong, "--config")


def test_an_unknown_key_says_why_and_what_is_near(tables):
    """It may be documented only, logged by another release, or misspelt."""
    documented = _one("kl_coef", "alpha[NewTrainer]==0.3.0", tables)
    assert documented.metric is None
    assert "never logged in this release: The weight of the penalty. Instead: The setting beta." in documented.reason
    other = _one("ppo/ratios", "alpha[OldTrainer]==0.1.0", tables)
    assert (other.metric, other.nearest) == (None, ("ppo/ratio",))
    elsewhere = _one("actor/lr", "beta==0.1", tables)
    assert "beta[actor]==0.5 does" in elsewhere.reason


def test_one_record_for_each_component_that_logs_the_key(tables):
    """A literal in one component hides nothing in another of the same class."""
    found = resolve(["actor/pg_loss", "nothing", "critic/score/mean"], "beta==0.5", spec=tables)
    assert [(item.key, item.component) for item in found] == [
        ("actor/pg_loss", "actor"),
        ("nothing", None),
        ("critic/score/mean", "data"),
    ]


def test_every_release_is_listed_with_what_is_described(tables):
    """Oldest first, with its date."""
    found = releases("alpha", spec=tables)
    assert [item.release for item in found] == ["0.1.0", "0.2.0", "0.3.0", "0.4.0", "0.4.1", "1.0.0"]
    assert [item.components for item in found] == [
        ("OldTrainer",),
        ("OldTrainer",),
        ("NewTrainer",),
        (),
        ("NewTrainer",),
        ("NewTrainer",),
    ]
    assert {item.framework for item in releases(spec=tables)} == {"alpha", "beta"}
    with pytest.raises(NamesError, match="did you mean alpha"):
        releases("alhpa", spec=tables)


def test_a_trainer_lists_the_releases_that_have_it(tables):
    """Called in short and without its framework, as in a source."""
    found = releases("new", spec=tables)
    assert [item.release for item in found] == ["0.3.0", "0.4.1", "1.0.0"]
    assert {(item.framework, item.components) for item in found} == {("alpha", ("NewTrainer",))}


def test_what_the_guide_says_is_part_of_the_answer(tables):
    """With the guide's title; what the code does instead is told where they differ."""
    (said,) = _one("approxkl_avg", NEW, tables).documented
    assert (said.says, said.code, said.title) == ("The estimate of the divergence.", None, "Guide")


def test_a_defect_is_reported_with_its_correction(tables):
    """So that a strange number is blamed on the release and not on the run."""
    (defect,) = _one("actor/broken_kl", "beta==0.5", tables).defects
    assert (defect.trait, defect.grade, defect.correction) == ("wrong_sum", "incomparable", "divide by the parts")


def test_views_answer_for_all_components(new, beta):
    """Entries are in the order of the spec, and candidates are found by metric and mode."""
    assert beta.entries()[0].key == "actor/ppo_kl"
    assert [entry.key for entry in beta.candidates("timing/step", "train")] == ["timing_s/step", "perf/time_per_step"]
    assert new.candidates("timing/step", "eval") == []
    assert open_view("beta[data]==0.5", spec=beta.tables).candidates("kl/old/k1", "train") == []


def test_a_formula_variant_goes_with_its_metric():
    """A fact that names another metric does not take the variant over; one that names the same or none does."""
    base = {"metric": "kl/old/k2", "reproduced_by": "padded"}
    assert combine(base, [{"metric": "kl/old/k2"}], {})["reproduced_by"] == "padded"
    assert combine(base, [{"scale": 2.0}], {})["reproduced_by"] == "padded"
    assert "reproduced_by" not in combine(base, [{"metric": "kl/old/k1"}], {})
    assert combine(base, [{"metric": "kl/old/k1", "reproduced_by": "clamped"}], {})["reproduced_by"] == "clamped"
