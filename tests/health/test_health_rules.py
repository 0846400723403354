"""Every rule has a run on which it fires and a healthy twin on which it does not, and every diagnosis can be made."""

import importlib
import json
from pathlib import Path

import pytest
from health_rule_runs import CASES, jitter
from rlmetrics.health import Monitor
from rlmetrics.names import load_tables

RULES = {row["id"]: row for row in load_tables().health["JUDGED"]}
DIAGNOSES = {row["id"]: row for row in load_tables().health["DIAGNOSES"]}


def judged(case, *, sick):
    """Return the report on a run of a case."""
    monitor = Monitor(case.source)
    for row in case.rows(sick=sick):
        monitor.observe(None, row)
    assert monitor.faults == 0, monitor.fault
    return monitor.report()


def test_there_is_a_case_for_every_rule():
    """No rule is without a run that it decides; the gap in a log has a test of its own."""
    assert set(RULES) - {"log-gap"} == set(CASES)


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_fires_on_its_run(rule):
    """On the sick run the rule finds something and names its cause; how bad it is, is another test's matter."""
    report = judged(CASES[rule], sick=True)

    found = [finding for finding in report.findings if finding.rule == rule]
    assert found, report.findings
    assert found[0].cause == RULES[rule]["cause"]


@pytest.mark.parametrize("rule", CASES)
def test_a_rule_is_silent_on_the_healthy_twin(rule):
    """On the twin neither the rule nor any other one warns."""
    report = judged(CASES[rule], sick=False)

    assert [finding for finding in report.findings if finding.rule == rule] == []
    assert [finding for finding in report.findings if finding.level != "info"] == []


def critic(curve):
    """Return the levels that the two rules on explained variance find of one curve each, a warning first."""
    levels = {}
    for key in ("value/explained_variance", "value/explained_variance_mse"):
        monitor = Monitor("canonical")
        for step in range(1, 151):
            monitor.observe(step, {key: curve(step), "reward/score/mean": 0.3 + 0.02 * jitter("reward", step)})
        found = [item.level for item in monitor.report().findings if item.rule.startswith("explained-variance")]
        levels[key] = max(found, key=["info", "warning", "error"].index, default="none")
    return levels


@pytest.mark.parametrize("noise", [0.1, 0.4])
def test_a_critic_that_stays_far_below_zero_is_warned_of(noise):
    """One whose errors vary more than the returns all the while makes every advantage worse than none would."""
    assert critic(lambda step: -2.5 + noise * jitter("ev", step)) == dict.fromkeys(
        ("value/explained_variance", "value/explained_variance_mse"), "warning"
    )


@pytest.mark.parametrize(
    "curve",
    [
        lambda step: -0.05 + 0.2 * jitter("near", step),
        lambda step: -0.3 + 0.3 * jitter("below", step),
        lambda step: 0.6 - 4.0 * 0.96**step + 0.1 * jitter("learns", step),
        lambda step: -3.0 + 2.8 * step / 150 + 0.1 * jitter("climbs", step),
        lambda step: (-6.0 if step % 10 == 0 else 0.3) + 0.1 * jitter("spikes", step),
    ],
)
def test_a_critic_that_is_near_zero_or_learns_is_not(curve):
    """A little below 0, at times far below it, or far below and on its way up: a remark at most."""
    assert not {"warning", "error"} & {*critic(curve).values()}


def test_a_gap_in_the_log_is_found_and_an_even_log_has_none():
    """The one rule that looks at no metric: steps that jump far beyond the usual distance, and their healthy twin."""
    steps = {"sick": [*range(1, 60), *range(400, 430)], "healthy": range(1, 90)}
    found = {}
    for name, those in steps.items():
        monitor = Monitor("canonical")
        for step in those:
            monitor.observe(step, {"reward/score/mean": 0.3 + 0.01 * (step % 7)})
        found[name] = [(item.rule, item.onset_step) for item in monitor.report().findings]

    assert ("log-gap", 59) in found["sick"]
    assert "log-gap" not in {rule for rule, _ in found["healthy"]}


def test_the_page_of_rules_is_that_of_the_figures(monkeypatch):
    """The table of precision and recall in the documentation is made of the figures that were measured."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "programs" / "health"))
    rules_table = importlib.import_module("rules_table")

    figures = json.loads(rules_table.FIGURES.read_text())

    assert rules_table.PAGE.read_text() == rules_table.page(figures)
    assert set(figures["rules"]) <= set(RULES)


def test_every_diagnosis_is_made_by_rules_that_exist():
    """Thirty diagnoses or more, each made by rules, with a cause from the closed list and ordered checks."""
    causes = set(load_tables().health["CAUSES"])

    assert len(DIAGNOSES) >= 30
    for diagnosis in DIAGNOSES.values():
        made_by = {*diagnosis.get("all_of", ()), *diagnosis.get("any_of", ())}
        assert made_by
        assert made_by <= set(RULES)
        assert diagnosis["cause"] in causes
        assert diagnosis["checks"]
