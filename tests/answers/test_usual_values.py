"""A value is called unremarkable only where a rule judges it, and what contradicts what is known of it is told."""

from __future__ import annotations

import math

import pytest
from rlmetrics.answers.judgement import BAD
from rlmetrics.answers.pasted import Given
from rlmetrics.answers.value_answer import judge_row
from rlmetrics.cli import main
from rlmetrics.names import load_tables, open_view
from rlmetrics.wording.voice import speak

TABLES = load_tables()
GRPO = "trl[GRPOTrainer]==1.14.0"
PPO = "trl[PPOTrainer]==0.4.1"


def _first(capsys: pytest.CaptureFixture[str], key: str, at: str, *more: str) -> str:
    assert main(["resolve", key, "--at", at, *more]) == 0
    return " ".join(capsys.readouterr().out.partition("\n\n")[0].split())


@pytest.mark.parametrize(
    ("key", "at", "says"),
    [
        ("ppo/policy/advantages_mean=0.5", PPO, "0.5 is far from 0: it is near 0 by construction."),
        ("ssd/active_sample_ratio=0.4", "trl==1.14.0", "0.4 is far from 1: it is close to 1 in a healthy run."),
        ("aux_loss=0", "openrlhf[SFTTrainer]==0.9.7", "0 is less than a router can give"),
        ("entropy=30", GRPO, "30 is more than any vocabulary allows"),
        ("num_tokens=12.5", GRPO, "12.5 is no whole number, but num_tokens counts."),
        ("training/epoch=0.5", "verl==0.6.1", "0.5 is no whole number, to which training/epoch is cut."),
        ("objective/ref_logprobs=-3", PPO, "-3 is one number, but objective/ref_logprobs is a histogram."),
    ],
)
def test_what_contradicts_what_is_known_is_told(capsys, key, at, says):
    """Of a note, a description, a unit, a vocabulary or a kind the value is not what it says."""
    told = _first(capsys, key, at)
    assert told.startswith(says)
    assert "unremarkable" not in told


@pytest.mark.parametrize(
    ("key", "at"),
    [
        ("frac_reward_zero_std=0.99", GRPO),
        ("val/ratio_var=3000", "trl[PPOTrainer]==0.18.0"),
        ("num_tokens=12", GRPO),
        ("entropy=3", GRPO),
        ("ssd/active_sample_ratio=0.95", "trl==1.14.0"),
    ],
)
def test_a_range_of_a_kind_of_number_says_nothing_of_what_is_usual(capsys, key, at):
    """A share lies between 0 and 1 whatever it is of: that is said, and that nothing else is known."""
    told = _first(capsys, key, at)
    assert "is within what it can be (0 " in told
    assert "nothing says which values are usual here." in told


def test_chinese_says_so_too(capsys, request):
    """The same sentences, none of them left in English."""
    request.addfinalizer(lambda: speak("en"))
    for key in ("frac_reward_zero_std=0.99", "entropy=30", "num_tokens=12.5"):
        told = _first(capsys, key, GRPO, "--lang", "zh")
        assert not {"nothing", "whole", "vocabulary"} & set(told.split())


def test_an_epoch_comes_in_parts(capsys):
    """A pass over the data set is counted in fractions."""
    assert "whole" not in _first(capsys, "epoch=0.25", GRPO)


def test_only_what_a_rule_bounds_is_unremarkable():
    """Of every key of the newest releases: a value on the healthy side of a bound, and none without such a bound."""
    seen = {True: 0, False: 0}
    for framework in ("trl", "verl", "openrlhf"):
        view = open_view(f"{framework}=={TABLES.framework(framework).releases.names[-1]}")
        keys = dict.fromkeys(entry.key for entry in view.entries() if "{" not in entry.key and entry.metric)
        for key in [*keys]:
            for item in judge_row(view, {key: Given("0.37", 0.37)}):
                rules = TABLES.health["RULES"].get(item.found.metric or "", ())
                bounded = any(("above" in rule or "below" in rule) and rule["level"] != "error" for rule in rules)
                called = "unremarkable" in item.says
                assert bounded or not called, (key, item.says)
                seen[called] += 1
    assert min(seen.values()) > 3


def test_the_entropy_of_any_vocabulary_is_possible():
    """That of a uniform distribution over the largest vocabularies is not too much."""
    view = open_view(GRPO)
    value = math.log(262_144)
    assert all(item.level not in BAD for item in judge_row(view, {"entropy": Given(f"{value:g}", value)}))


def test_a_value_rules_out_a_stand_in(capsys):
    """While no threshold is set verl 0.6.1 logs a constant 0: then 0 is expected, and 0.4 shows that one is set."""
    key, at = "rollout_corr/rollout_is_veto_fraction", "verl==0.6.1"
    assert main(["resolve", f"{key}=0.4", "--at", at]) == 0
    assert "constant 0 in place" not in " ".join(capsys.readouterr().out.split())
    setting = "algorithm.rollout_correction.rollout_token_veto_threshold"
    told = _first(capsys, f"{key}=0", at)
    assert told.startswith(f"0 is expected: it is 0, and nothing is measured, while {setting} == null, as by default.")
    assert "unremarkable" not in told
    given = ("--config", f"{setting}=0.0001")
    assert "is expected" not in _first(capsys, f"{key}=0", at, *given)
