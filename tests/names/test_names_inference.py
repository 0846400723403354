"""Finding out which release logged some keys."""

from __future__ import annotations

import warnings

import pytest
from rlmetrics.names import AmbiguousError, FallbackWarning, NamesError, candidates, infer_source, resolve


def test_the_source_that_explains_the_most_is_taken(tables):
    """A single component where it explains as much as all of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert infer_source(["train/reward", "train/step_time", "x"], spec=tables) == "alpha[NewTrainer]==1.0.0"
        assert infer_source(["actor/lr(1e-4)", "actor/ppo_kl"], spec=tables) == "beta[actor]==0.1"


def test_components_of_one_release_explain_a_log_together(tables):
    """Their dicts end up in one row."""
    assert infer_source(["actor/lr(1e-4)", "critic/score/mean"], spec=tables) == "beta==0.1"


def test_releases_that_agree_are_one_answer(tables):
    """The newest is taken, and it is said that there are others."""
    with pytest.warns(FallbackWarning, match=r"0\.1 to 0\.5 explain the keys alike"):
        assert infer_source(["critic/score/mean"], spec=tables) == "beta[data]==0.5"


def test_releases_that_disagree_are_ambiguous(tables):
    """One key, two meanings: nothing is guessed."""
    with pytest.raises(NamesError, match=r"alpha\[OldTrainer\]==0\.2\.0 \(1\), alpha\[OldTrainer\]==0\.1\.0 \(1\)"):
        infer_source(["ppo/policykl"], spec=tables)


def test_metadata_decides_between_releases(tables):
    """A version that the run recorded is believed if the keys fit it, and ignored if not."""
    keys = ["ppo/policykl"]
    assert infer_source(keys, releases={"alpha": "0.1.0", "beta": "0.5"}, spec=tables) == "alpha[OldTrainer]==0.1.0"
    with pytest.raises(NamesError, match="ambiguous"):
        infer_source(keys, releases={"alpha": "1.0.0"}, spec=tables)


def test_components_that_explain_equally_many_are_ambiguous(tables):
    """The candidates are listed with the number of keys that each explains."""
    with pytest.raises(NamesError, match=r"ambiguous: of 2 keys"):
        infer_source(["ppo/approxkl", "step_time"], spec=tables)


def test_nothing_known_is_an_error(tables):
    """A template that matches anything explains nothing."""
    with pytest.raises(NamesError, match="no described release logs any"):
        infer_source(["completely", "unknown"], spec=tables)


def test_every_surface_counts(tables):
    """Placeholders, evaluation, characters that a tracker replaced."""
    found = candidates(["val-core/a/b/acc/mean_at_4", "eval/rewards/accuracy/mean"], tables)
    assert {("beta", "data", "0.5"), ("beta", "data", "0.2.0.post2"), ("alpha", "NewTrainer", "1.0.0")} <= {
        (item.framework, item.component, item.release) for item in found
    }
    assert all(len(item.explained) == 1 for item in found)


def test_resolving_without_a_source_infers_it(tables):
    """From all keys together."""
    found = resolve(["step_time", "clip_ratio"], spec=tables)
    assert [item.metric for item in found] == ["timing/step", "policy/clip_fraction"]
    assert found[0].source == "alpha[NewTrainer]==1.0.0"


ALL_OF_0_3_0 = ["approxkl_avg", "clip_ratio", "loss", "reward", "rewards/accuracy/mean", "entropy"]


def test_what_a_whole_log_lacks_rules_releases_out(tables):
    """1.0.0 logs step_time in every run; kl depends on the configuration, learning_rate comes from elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FallbackWarning)
        old = infer_source(ALL_OF_0_3_0[2:], whole=True, spec=tables)
        assert old == "alpha[NewTrainer]==1.0.0", "a log of which other keys are missing too tells nothing by them"
        assert infer_source(ALL_OF_0_3_0, whole=True, spec=tables) == "alpha[NewTrainer]==0.4.1"
        assert infer_source([*ALL_OF_0_3_0, "step_time"], whole=True, spec=tables) == "alpha[NewTrainer]==1.0.0"


def test_names_of_a_dashboard_lack_nothing(tables):
    """Unless the names are said to be all, those that are missing tell nothing."""
    with pytest.raises(AmbiguousError, match="ambiguous") as caught:
        infer_source(ALL_OF_0_3_0, spec=tables)
    assert {item.release for item in caught.value.candidates} == {"0.3.0", "0.4.1", "1.0.0"}
