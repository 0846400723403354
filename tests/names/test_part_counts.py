"""Numbers of parts that stand in factors and are no settings: said in words, and once."""

from __future__ import annotations

import re

import pytest
from rlmetrics.cli import main
from rlmetrics.names import load_tables
from rlmetrics.names.tables.part_counts import said_plainly, vanish_if

_NO_SETTING = re.compile(r"\bNot a (?:key|setting) of (?!TRL\b)")


def _told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(("framework", "components"), [("verl", ("actor", "critic")), ("openrlhf", ("ppo_trainer",))])
def test_every_count_that_is_no_setting_has_words(framework, components):
    """What the spec declares as no setting of the framework, and integer, is never told by its name."""
    table = load_tables().framework(framework)
    found = [
        name
        for component in components
        for name, row in {**table.config, **table.component(component).config}.items()
        if row.get("type") == "int" and _NO_SETTING.search(str(row.get("brief")))
    ]
    assert found
    for name in found:
        assert name not in said_plainly(f"1 / {name}")
        assert vanish_if(f"1 / {name}")


def test_a_setting_keeps_its_name():
    """Only numbers of parts are said in words; a factor with a setting in it is no mere count."""
    assert said_plainly("2 / actor.max_response_length") == "2 / actor.max_response_length"
    assert vanish_if("updates_per_batch / max_response_length") is None


@pytest.mark.parametrize(("old", "new", "count"), [("0.5.0", "0.6.0", 2), ("0.6.1", "0.7.1", 4), ("0.7.1", "0.8.0", 1)])
def test_a_factor_that_a_sentence_says_is_no_cause_of_its_own(capsys, old, new, count):
    """The sums over updates and shares of micro-batches are told in words, and not once more as a product."""
    said = _told(capsys, "diff", "critic/vf_loss", "--from", f"verl=={old}", "--to", f"verl=={new}")
    assert f"{count} cause" in said
    assert "multiplied by the number" not in said
    assert "per_batch" not in said
    assert "per_mini_batch" not in said


def test_the_history_of_a_key_tells_a_factor_once(capsys):
    """Also where the sentence is told with the release in which it ends."""
    said = _told(capsys, "resolve", "critic/vf_loss", "--at", "verl==0.7.1", "--full")
    changed = said.partition(" changed ")[2].partition(" Settings that change it ")[0]
    assert "added up instead of averaged (until 0.7.1)" in changed
    assert "number of updates per batch" not in changed
    assert "number of micro-batches per mini-batch" not in changed
