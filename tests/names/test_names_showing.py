"""Everything about one metric."""

from __future__ import annotations

import pytest
from rlmetrics.cli import main
from rlmetrics.names import NamesError, show


def test_the_whole_entry_is_there(tables):
    """Short facts, long texts, inputs in words, health and spellings."""
    (found,) = show("kl/old/k1", spec=tables)
    entry = found.entry
    assert (
        found.metric,
        entry["brief"],
        entry["formula"],
    ) == ("kl/old/k1", "Mean log-ratio.", "mean(old_logprobs - logprobs)")
    assert (entry["atom"], entry["empty"], entry["population_brief"]) == ("token", "nan", "Every response token.")
    assert entry["inputs"]["mask"]["brief"] == "Which tokens count."
    assert {"quantity": "kl_divergence", "estimator": "k1", "distributions": ["old", "current"]}.items() <= entry[
        "identity"
    ].items()
    assert [rule["above"] for rule in entry["health"]] == [0.1]
    assert entry["false_friends"] == {"kl/old/k2": "The square is never negative."}
    assert entry["references"] == [{"title": "A paper", "url": "http://example.org/paper"}]
    assert [(item.key, item.releases) for item in found.spellings] == [
        ("ppo/policykl", ("0.1.0",)),
        ("ppo/policykl", ("0.2.0",)),
        ("actor/ppo_kl", ("0.1", "0.2.0.post2", "0.5")),
    ]


def test_a_name_can_have_several_meanings(tables):
    """An alias that two metrics share, or a key whose meaning changed."""
    assert [item.metric for item in show("approx_kl", spec=tables)] == ["kl/old/k1", "kl/old/k2"]
    assert sorted(item.metric for item in show("train/entropy", spec=tables)) == ["policy/ratio/mean"]


def test_a_key_can_be_looked_up_in_one_release(tables):
    """As that release means it."""
    (found,) = show("entropy", "alpha[NewTrainer]==1.0.0", spec=tables)
    assert found.metric == "policy/ratio/mean"
    (canonical,) = show("policy/loss", "alpha[NewTrainer]==1.0.0", spec=tables)
    assert canonical.metric == "policy/loss"


def test_a_spelling_tells_when_it_applies(tables):
    """Guards of records and of variants that measure the metric."""
    (found,) = show("policy/ratio/mean", spec=tables)
    conditions = {item.key: item.condition for item in found.spellings}
    assert conditions == {
        "actor/pg_clipfrac": "(actor.clip == 0)",
        "clip_ratio": "(level == 'sequence')",
        "entropy": None,
    }


def test_an_unknown_name_has_neighbours(tables):
    """Canonical names and aliases are offered."""
    with pytest.raises(NamesError, match="did you mean policy_loss"):
        show("policy_los", spec=tables)
    with pytest.raises(NamesError, match=r"in beta==0\.5"):
        show("zzz", "beta==0.5", spec=tables)


def test_a_metric_without_a_population_is_shown() -> None:
    """What is measured has no population that could be looked up."""
    (shown,) = show("optimizer/learning_rate")
    assert "population" not in shown.entry


def test_a_variant_is_shown_with_its_metric(capsys):
    """As `F.REGISTRY` names it: first what the variant is, then its metric; an unknown variant is refused."""
    assert main(["show", "entropy/policy@padded"]) == 0
    shown = capsys.readouterr().out
    assert " ".join(shown.split()).startswith("entropy/policy@padded: The mean over every response position; ")
    assert "\nentropy/policy: Mean entropy" in shown

    assert main(["show", "entropy/policy@nowhere"]) == 2
