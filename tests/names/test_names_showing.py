"""Everything about one metric."""

from __future__ import annotations

import pytest
from rlmetrics.names import NamesError, show


def test_the_whole_entry_is_there(tables):
    """Short facts, long texts, inputs in words, health and spellings."""
    (found,) = show("kl/old/k1", spec=tables)
    entry = found.entry
    assert ("kl/old/k1", "Mean log-ratio.", "mean(old_logprobs - logprobs)") == (
        found.metric,
        entry["brief"],
        entry["formula"],
    )
    assert ("token", "nan", "Every response token.") == (entry["atom"], entry["empty"], entry["population_brief"])
    assert "Which tokens count." == entry["inputs"]["mask"]["brief"]
    assert {"quantity": "kl_divergence", "estimator": "k1", "distributions": ["old", "current"]}.items() <= entry[
        "identity"
    ].items()
    assert [0.1] == [rule["above"] for rule in entry["health"]]
    assert {"kl/old/k2": "The square is never negative."} == entry["false_friends"]
    assert [{"title": "A paper", "url": "http://example.org/paper"}] == entry["references"]
    assert [
        ("ppo/policykl", ("0.1.0",)),
        ("ppo/policykl", ("0.2.0",)),
        ("actor/ppo_kl", ("0.1", "0.2.0.post2", "0.5")),
    ] == [(item.key, item.releases) for item in found.spellings]


def test_a_name_can_have_several_meanings(tables):
    """An alias that two metrics share, or a key whose meaning changed."""
    assert ["kl/old/k1", "kl/old/k2"] == [item.metric for item in show("approx_kl", spec=tables)]
    assert ["policy/ratio/mean"] == sorted(item.metric for item in show("train/entropy", spec=tables))


def test_a_key_can_be_looked_up_in_one_release(tables):
    """As that release means it."""
    (found,) = show("entropy", "alpha[NewTrainer]==1.0.0", spec=tables)
    assert "policy/ratio/mean" == found.metric
    (canonical,) = show("policy/loss", "alpha[NewTrainer]==1.0.0", spec=tables)
    assert "policy/loss" == canonical.metric


def test_a_spelling_tells_when_it_applies(tables):
    """Guards of records and of variants that measure the metric."""
    (found,) = show("policy/ratio/mean", spec=tables)
    conditions = {item.key: item.condition for item in found.spellings}
    assert {
        "actor/pg_clipfrac": "(actor.clip == 0)",
        "clip_ratio": "(level == 'sequence')",
        "entropy": None,
    } == conditions


def test_an_unknown_name_has_neighbours(tables):
    """Canonical names and aliases are offered."""
    with pytest.raises(NamesError, match="did you mean policy_loss"):
        show("policy_los", spec=tables)
    with pytest.raises(NamesError, match=r"in beta==0\.5"):
        show("zzz", "beta==0.5", spec=tables)
