"""Finding out which release logged some keys: what each kind of evidence decides, on a small spec."""

from __future__ import annotations

import pytest
from rlmetrics.names import Clues, FallbackWarning, NamesError, find_source, infer_source, resolve
from rlmetrics.names.inference.wording import source_line
from rlmetrics.names.tables.tables import Tables

ALL_OF_0_3_0 = ("approxkl_avg", "clip_ratio", "loss", "reward", "rewards/accuracy/mean", "entropy")


def _left(answer) -> dict[str, tuple[str, ...]]:
    """Return the releases that are left of each candidate."""
    return {one.name: one.releases for one in answer.candidates}


def _weights(answer) -> dict[str, float]:
    """Return what each kind of evidence weighs."""
    return {one.kind: one.weight for one in answer.evidence}


def test_the_source_that_explains_the_most_is_taken(tables):
    """Whatever prefix a tracker shows; keys of a user's own decide nothing."""
    assert infer_source(["train/reward", "train/step_time", "x"], spec=tables) == "alpha[NewTrainer]==1.0.0"
    assert _left(find_source(Clues(("train/reward", "train/step_time", "x")), tables)) == {
        "alpha[NewTrainer]": ("1.0.0",)
    }


def test_releases_that_the_keys_leave_open_are_told(tables):
    """The newest is returned, and it is said what else it may be."""
    with pytest.warns(
        FallbackWarning,
        match=r"taken for NewTrainer 0\.3\.0–1\.0\.0; `--at 'alpha\[new\]==1\.0\.0'` with your release settles it",
    ):
        assert infer_source(ALL_OF_0_3_0, spec=tables) == "alpha[NewTrainer]==1.0.0"


def test_readings_that_differ_are_rivals(tables):
    """One key, two meanings in releases that are equally likely: the other one is named, to be left out."""
    answer = find_source(Clues(("ppo/policykl",)), tables)
    assert (answer.source, answer.rivals) == ("alpha[OldTrainer]==0.2.0", ("alpha[OldTrainer]==0.1.0",))
    assert answer.meanings == ("alpha[OldTrainer]==0.2.0", "alpha[OldTrainer]==0.1.0")


def test_a_recorded_release_decides(tables):
    """Between releases that the keys leave open, and against none that logs what another one does not."""
    clues = Clues(("ppo/policykl",), installed={"alpha": "0.1.0", "beta": "0.5"})
    answer = find_source(clues, tables)
    assert (answer.source, answer.rivals) == ("alpha[OldTrainer]==0.1.0", ())
    assert _weights(answer)["recorded version"] > 10


def test_what_lies_beside_a_log_weighs_less_than_its_keys(tables):
    """A model card may be that of a later run: it narrows what the keys leave open, and overrules no three of them."""
    open_to_both = Clues(("ppo/policykl",), named={"alpha": "0.1.0"})
    assert find_source(open_to_both, tables).source == "alpha[OldTrainer]==0.1.0"
    contradicted = Clues((*ALL_OF_0_3_0, "step_time"), whole=True, named={"alpha": "0.1.0"})
    assert find_source(contradicted, tables).source == "alpha[NewTrainer]==1.0.0"


@pytest.mark.parametrize(("version", "releases"), [("0.2.0.dev0", ("0.1.0", "0.2.0")), ("0.2.0", ("0.2.0",))])
def test_a_development_version_narrows_too(tables, version, releases):
    """It lies between the release before it and the one that it led to."""
    answer = find_source(Clues(("ppo/approxkl", "ppo/policykl"), installed={"alpha": version}), tables)
    assert set(_left(answer)["alpha[OldTrainer]"]) <= set(releases)


def test_nothing_known_is_an_error(tables):
    """A template that matches anything explains nothing."""
    with pytest.raises(NamesError, match="no key is known: no log of a described trainer"):
        infer_source(["completely", "unknown"], spec=tables)


def test_below_half_of_the_keys_nothing_is_known(tables):
    """It is said how many of how many keys are known."""
    answer = find_source(Clues(("entropy", "mine", "yours", "theirs", "ours", "step")), tables)
    assert answer.source is None
    assert source_line(answer).startswith("1 of 5 keys is known: no log of a described trainer")


def test_resolving_without_a_source_infers_it(tables):
    """From all keys together."""
    found = resolve(["step_time", "clip_ratio"], spec=tables)
    assert [item.metric for item in found] == ["timing/step", "policy/clip_fraction"]
    assert found[0].source == "alpha[NewTrainer]==1.0.0"


def test_what_a_whole_log_lacks_rules_releases_out(tables):
    """1.0.0 logs step_time in every run; kl depends on the configuration, learning_rate comes from elsewhere."""
    assert _left(find_source(Clues(ALL_OF_0_3_0, whole=True), tables)) == {"alpha[NewTrainer]": ("0.3.0", "0.4.1")}
    assert _left(find_source(Clues((*ALL_OF_0_3_0, "step_time"), whole=True), tables)) == {
        "alpha[NewTrainer]": ("1.0.0",)
    }
    selected = find_source(Clues(ALL_OF_0_3_0[2:], whole=True), tables)
    assert "1.0.0" in _left(selected)["alpha[NewTrainer]"], "where much is missing, that tells no releases apart"


def test_names_of_a_dashboard_lack_nothing(tables):
    """Unless the names are said to be all, those that are missing tell nothing."""
    assert _left(find_source(Clues(ALL_OF_0_3_0), tables)) == {"alpha[NewTrainer]": ("0.3.0", "0.4.1", "1.0.0")}


def test_a_framework_that_is_not_described_is_named(tables):
    """By its telling keys, if more of them are there than a described trainer knows; one alone says nothing."""
    known_by = {"framework": "Elsewhere", "keys": ["rollout/{env}/return", "learner/lag"]}
    table = {"CONVENTIONS": {"elsewhere": {"title": "Elsewhere", "known_by": known_by, "names": []}}}
    known = Tables(lambda name: table if name == "conventions" else tables._load(name))
    named = find_source(Clues(("rollout/maze/return", "learner/lag", "entropy")), known)
    assert (named.source, named.undescribed) == (None, "Elsewhere")
    assert source_line(named) == "this looks like Elsewhere, which is not described"
    assert named.as_json()["undescribed"] == "Elsewhere"
    assert find_source(Clues((*ALL_OF_0_3_0, "rollout/maze/return", "learner/lag")), known).undescribed is None
    assert find_source(Clues(("learner/lag", "mine")), known).undescribed is None


@pytest.mark.parametrize("model", [{"model_type", "vocab_size", "architectures"}, set()])
def test_a_models_own_settings_speak_for_no_release(model):
    """What a model's configuration has, too, is no sign of the later release whose trainer has it as an argument."""
    keys = ("objective/kl", "objective/entropy", "objective/scores_margin", "val/contain_eos_token", "logps/chosen")
    of_both = {"top_k", "top_p", "temperature", "repetition_penalty"}
    clues = Clues(keys, settings=frozenset({"beta", "missing_eos_penalty", *of_both, *model}))

    releases = find_source(clues).candidates[0].releases

    assert ("0.11.4" in releases) == bool(model)
    assert "0.24.0" in releases
