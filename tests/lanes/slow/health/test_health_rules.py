"""Every rule has a run on which it fires and a healthy twin on which it does not, and every diagnosis can be made."""

from health_rule_runs import CASES
from rlmetrics.health import Monitor
from rlmetrics.names import load_tables

RULES = {row["id"]: row for row in load_tables().health["JUDGED"]}


def judged(case, *, sick):
    """Return the report on a run of a case."""
    monitor = Monitor(case.source)
    for row in case.rows(sick=sick):
        monitor.observe(None, row)
    assert monitor.faults == 0, monitor.fault
    return monitor.report()


def test_rules_that_can_warn_do_warn_on_their_run():
    """A level that no run reaches would be no level: each rule with a warning or an error warns at least.

    Of the rules that the code has, all but that of skipped steps, which is a remark.
    """
    weak = []
    for rule, case in CASES.items():
        wanted = {"warning", "error"} & set(RULES[rule]) or RULES[rule].get("special") not in (None, "skipped_steps")
        levels = {finding.level for finding in judged(case, sick=True).findings if finding.rule == rule}
        if wanted and levels == {"info"}:
            weak.append(rule)
    assert weak == []


def test_most_single_ailments_are_diagnosed_by_their_cause():
    """On the run of a rule that warns, the first diagnosis has the cause of the rule."""
    wrong = []
    for rule, case in CASES.items():
        report = judged(case, sick=True)
        own = [finding for finding in report.findings if finding.rule == rule and finding.level != "info"]
        if own and report.diagnoses[0].cause != RULES[rule]["cause"]:
            wrong.append((rule, report.diagnoses[0].id))
    assert len(wrong) <= 0.1 * len(CASES), wrong
