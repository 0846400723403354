"""No verdict depends on how a run is written down: on order, thinning, spelling of NaN, release, prefix or length."""

from __future__ import annotations

import math
from functools import cache

import pytest
from health_rule_runs import CASES, grows, jitter, ramp
from rlmetrics.health import Monitor
from rlmetrics.health.judged_keys import SourceNames
from rlmetrics.names import load_tables, open_view, releases

TABLES = load_tables()
RULES = {row["id"]: row for row in TABLES.health["JUDGED"]}
LOST = [rule for rule, row in RULES.items() if row.get("special") == "non_finite"]
OF_WHOLE_ROWS = {"no-reward-returned", "zeros-for-nan"}
"""Rules that rest on what stands together in one row."""
UNJUDGED = {"not_applicable", "explained_by_release"}


def report(rows, source):
    """Return what a monitor says about rows."""
    monitor = Monitor(source)
    for row in rows:
        monitor.observe(None, row)
    assert monitor.faults == 0, monitor.fault
    return monitor.report()


def verdict(rule, rows, source):
    """Return the level that a rule reaches; None if it finds nothing."""
    levels = [finding.level for finding in report(rows, source).findings if finding.rule == rule]
    return max(levels, key=["info", "warning", "error"].index, default=None)


def both(rule, change, source=None):
    """Return the verdicts on the sick run and on its twin, as they are and changed."""
    case = CASES[rule]
    plain = [verdict(rule, case.rows(sick=sick), case.source) for sick in (True, False)]
    changed = [verdict(rule, change(case.rows(sick=sick)), source or case.source) for sick in (True, False)]
    return plain, changed


@pytest.mark.parametrize("rule", CASES)
def test_the_order_of_keys_does_not_matter(rule):
    """Sorted and reversed keys, as exports have them, give the same level."""
    plain, changed = both(rule, lambda rows: [dict(sorted(row.items(), reverse=True)) for row in rows])

    assert plain == changed


@pytest.mark.parametrize("rule", [rule for rule in CASES if rule not in OF_WHOLE_ROWS])
def test_parts_of_rows_are_as_good_as_rows(rule):
    """A step that is logged key by key gives the same level; readers of files put its parts together before."""
    plain, changed = both(
        rule,
        lambda rows: [{"step": row["step"], key: value} for row in rows for key, value in row.items() if key != "step"],
    )

    assert plain == changed


@pytest.mark.parametrize("rule", CASES)
def test_thinned_logs_give_the_same_verdict(rule):
    """With logging_steps = 2 a rule warns where it did, and is silent where it was."""
    plain, changed = both(rule, lambda rows: rows[1::2])

    assert plain == changed


@pytest.mark.parametrize("rule", CASES)
@pytest.mark.parametrize("every", [5])
def test_much_thinned_logs_raise_no_alarm(rule, every):
    """With logging_steps = 5 the twin stays healthy, and the sick run is found, or said to have too few points."""
    case = CASES[rule]
    _, (sick, twin) = both(rule, lambda rows: rows[every - 1 :: every])
    found = report(case.rows(sick=True)[every - 1 :: every], case.source)
    state = {item.rule: item.state for item in found.not_judged}.get(rule)

    assert twin is None
    assert sick is not None or state == "not_ready"


@pytest.mark.parametrize("rule", LOST)
@pytest.mark.parametrize("spelling", [math.nan, "NaN", "nan", None, math.inf, "-Infinity"])
def test_every_spelling_of_a_lost_number_is_found(rule, spelling):
    """NaN, its names, null after numbers and infinities that stay are an error of the same rule, at the same step."""
    case = CASES[rule]
    healthy = case.rows(sick=False)
    key = next(iter(case.sick))
    rows = [{**row, key: spelling} if row["step"] >= 100 else row for row in healthy]

    (finding,) = [item for item in report(rows, case.source).findings if item.rule == rule]

    assert (finding.level, finding.onset_step) == ("error", 100)


def test_a_lost_loss_that_is_logged_as_zero_is_found():
    """A loss of 0.0 beside a gradient that is NaN, as transformers logs it, is lost; a loss of 0.0 alone is not."""
    plain = [{"step": step, "loss": 0.2 + 0.01 * jitter("loss", step), "grad_norm": 0.4} for step in range(1, 60)]
    for lost, expected in ((math.nan, {"loss", "grad_norm"}), (0.41, set())):
        rows = [{**row, "loss": 0.0, "grad_norm": lost} if row["step"] == 40 else row for row in plain]
        found = report(rows, "trl[GRPOTrainer]==1.16.0").findings
        assert {item.key for item in found if item.cause == "non_finite"} == expected


@cache
def spellings():
    """Return, for every release of every component, the source and the key of each metric that it logs."""
    found = []
    for entry in releases():
        for component in entry.components:
            source = f"{entry.framework}[{component}]=={entry.release}"
            keys = {}
            for item in open_view(source).entries():
                if item.metric and item.mode == "train" and item.kind in ("scalar", "counter") and "{" not in item.key:
                    keys.setdefault(item.metric, item.key)
            found.append((source, keys))
    return found


@pytest.mark.parametrize("rule", [rule for rule in CASES if CASES[rule].source == "canonical"])
def test_every_release_in_which_the_keys_exist_gives_the_same_verdict(rule):
    """Spelled as any release spells it, a sick run is found and its twin is not.

    Where a release computes a key otherwise, or in a unit that depends on a setting, the rule says that it does not
    judge it. Sources that spell alike are tried once.
    """
    case = CASES[rule]
    wanted = [name for name in case.sick if name in RULES[rule]["metrics"] or name in case.twin]
    seen, judged = set(), 0
    for source, keys in spellings():
        known = {name: keys[name] for name in case.sick if name in keys}
        if set(wanted) - set(known) or set(case.sick) - set(known) or tuple(known.values()) in seen:
            continue
        seen.add(tuple(known.values()))
        names = SourceNames(source)
        meanings = {name: names.meaning(key) for name, key in known.items()}
        if any(meanings[name].metric != name for name in known):
            continue
        found = {}
        for sick in (True, False):
            rows = [
                {
                    "step": row["step"],
                    **{known[name]: logged(row[name], meanings[name]) for name in known if name in row},
                }
                for row in case.rows(sick=sick)
            ]
            found[sick] = report(rows, source)
        states = {item.rule: item.state for item in found[True].not_judged}
        said = {sick: {item.rule for item in found[sick].findings} for sick in found}
        assert rule not in said[False], source
        if states.get(rule) in UNJUDGED:
            continue
        judged += 1
        assert rule in said[True], (source, states.get(rule))
    assert judged or not seen


def logged(value, meaning):
    """Return a value as a release logs it."""
    if not isinstance(value, float | int) or meaning.scale is None:
        return value
    return value * meaning.scale + meaning.offset


@pytest.mark.parametrize("rule", ["length-exploit", "held-out-falls", "held-out-falls-behind", "component-farmed"])
def test_prefixed_keys_give_the_same_verdict(rule):
    """Keys as trackers show them, with train/ before them, are the same keys."""

    def prefixed(rows):
        return [
            {
                key if key == "step" else f"train/{key}" if "eval" not in key else key: value
                for key, value in row.items()
            }
            for row in rows
        ]

    plain, changed = both(rule, prefixed)

    assert plain == changed


@pytest.mark.parametrize("length", [20, 100, 500])
def test_units_do_not_depend_on_the_length_of_responses(length):
    """A divergence per token and its sum over responses of any length give the same verdict."""
    sick, healthy = grows(0.04, 2), ramp(0.0, 0.06)
    score = {"sick": lambda step: 0.3 + 0.015 * jitter("score", step), "healthy": ramp(0.2, 0.7, 0.03)}
    for name, curve in (("sick", sick), ("healthy", healthy)):
        assert callable(curve)
        per_token = [
            {"step": t, "kl/reference/k3": curve(t), "reward/score/mean": score[name](t)} for t in range(1, 261)
        ]
        summed = [
            {
                "step": row["step"],
                "kl/old_reference_sum/k1": row["kl/reference/k3"] * length,
                "reward/score/mean": row["reward/score/mean"],
            }
            for row in per_token
        ]
        causes = [
            {item.cause for item in report(rows, "canonical").findings if item.level != "info"}
            for rows in (per_token, summed)
        ]
        assert ("kl_explosion" in causes[0]) == ("kl_explosion" in causes[1]) == (name == "sick")
