"""The spec's own names as source and target."""

from __future__ import annotations

from rlmetrics.names import keys, map_names, resolve

NEW = "alpha[NewTrainer]==1.0.0"


def _row(names, key):
    return next(row for row in names.rows if row.from_ == key)


def test_a_canonical_name_is_the_plain_number(tables):
    """Pooled over the metric's own population: what a code does otherwise is a difference."""
    names = map_names(NEW, "canonical", spec=tables)
    assert (_row(names, "approxkl_avg").to, _row(names, "approxkl_avg").relation) == ("kl/old/k2", "approximate")
    assert (_row(names, "reward").to, _row(names, "reward").relation) == ("reward/score/mean", "exact")
    assert (
        _row(names, "step_time").to,
        [item.what for item in _row(names, "step_time").differs_by],
    ) == ("timing/step", ["processes: first part in the source, largest in the target"])


def test_evaluation_is_kept_apart(tables):
    """Canonical names of evaluation start with eval/."""
    names = map_names(NEW, "canonical", spec=tables)
    assert names.translate("eval_reward").target == "eval/reward/score/mean"
    back = map_names("canonical", NEW, spec=tables)
    assert back.translate("eval/reward/score/mean").target == "eval_reward"
    assert back.translate("reward/score/mean").target == "reward"


def test_placeholders_stand_at_the_end_of_a_canonical_name(tables):
    """And are read back."""
    there = map_names(NEW, "canonical", spec=tables)
    assert there.translate("rewards/accuracy/mean").target == "reward/function/mean/accuracy"
    back = map_names("canonical", NEW, spec=tables)
    assert back.translate("reward/function/mean/accuracy").target == "rewards/accuracy/mean"
    (found,) = resolve("validation/mean/openai/gsm8k/acc/8", "canonical", spec=tables)
    assert found.placeholders == {"data_source": "openai/gsm8k", "variable": "acc", "n": "8"}


def test_a_metric_logged_with_different_placeholders_has_a_name_for_each(tables):
    """By data set alone, or by data set, variable and number of samples."""
    listed = [item.key for item in keys("canonical", spec=tables) if item.metric == "validation/mean"]
    assert listed == ["validation/mean/{data_source}", "validation/mean/{data_source}/{variable}/{n}"]


def test_a_renamed_canonical_name_is_understood(tables):
    """Our own dashboards translate too."""
    (found,) = resolve("policy/clipped", "canonical", spec=tables)
    assert found.metric == "policy/clip_fraction"
    assert map_names("canonical", NEW, spec=tables).translate("policy/clipped").target == "clip_ratio"


def test_an_unknown_canonical_name_has_neighbours(tables):
    """As any unknown key has."""
    (found,) = resolve("policy/clip_fractoin", "canonical", spec=tables)
    assert (found.metric, found.nearest[0]) == (None, "policy/clip_fraction")


def test_frameworks_that_name_a_placeholder_differently_share_a_canonical_name():
    """TRL's ``{reward_func}`` and verl's ``{reward_key}`` end the same canonical name, which comes back to either."""
    for source, key in (("trl[GRPOTrainer]==0.18.2", "rewards/accuracy/mean"), ("verl==0.9.1", "gdpo/accuracy/mean")):
        there, back = map_names(source, "canonical"), map_names("canonical", source)

        assert there.translate(key).target == "reward/function/mean/accuracy"
        assert key == back.translate("reward/function/mean/accuracy").target
