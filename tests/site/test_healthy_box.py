"""Sketches of a healthy and of a sick run: they show what the rules say, and the rules agree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from rlmetrics.codegen.site.healthy import healthy_box, rules_list, sketch_figure
from rlmetrics.codegen.site.pictures.courses import STEP
from rlmetrics.codegen.site.pictures.healthy_band import healthy_of
from rlmetrics.codegen.site.pictures.sketch import sketch_of
from rlmetrics.codegen.site.site import Site
from rlmetrics.health.series import Series
from rlmetrics.names import load_tables

TABLES = load_tables()
NOTHING: Any = None
SITE = Site(NOTHING, {}, TABLES)
JUDGED = list(TABLES.health["RULES"])
RULES = {row["id"]: row for row in TABLES.health["JUDGED"]}


def mildest(rule):
    """The level and the condition that a rule asks first."""
    conditions = dict(rule.tiers)
    return next(((level, conditions[level]) for level in ("info", "warning", "error") if level in conditions), None)


def series(values):
    """A course as the evaluator keeps it."""
    found = Series()
    found.spiky = True
    for place, value in enumerate(values):
        found.add(place * STEP, value)
    return found


def alone(condition):
    """Whether a condition asks for nothing but the curve itself."""
    return condition is not None and condition.names == ("x",)


@pytest.mark.parametrize("metric", JUDGED)
def test_the_band_is_that_of_the_rules(metric):
    """Its ends stand in conditions of rules of the metric, and are the bounds that the command line tells."""
    sketch: Any = sketch_of(TABLES, metric)
    healthy = sketch.healthy
    ends = [end for end in (healthy.low, healthy.high) if end is not None]
    rows = [RULES[row["id"]] for row in TABLES.health["RULES"][metric]]
    written = " ".join(str(row.get(level, "")) for row in rows for level in ("info", "warning", "error"))
    numbers = {float(text) for text in re.findall(r"-?\d[\d.]*(?:e-?\d+)?", written)}
    for end in ends:
        assert end in numbers
        assert sketch.mark(end) in sketch.draw()
    told = [row for row in TABLES.health["RULES"][metric] if row["level"] != "error"]
    for field, end, relative, best in (
        ("above", healthy.high, False, min),
        ("below", healthy.low, False, max),
        ("above_start", healthy.high, True, min),
        ("below_start", healthy.low, True, max),
    ):
        bounds = [row[field] for row in told if field in row]
        if bounds and relative == healthy.relative:
            assert end == best(bounds)


@pytest.mark.parametrize("metric", JUDGED)
def test_the_sick_course_leaves_the_band_and_the_healthy_one_stays(metric):
    """Wherever there is a band, by what is drawn."""
    sketch: Any = sketch_of(TABLES, metric)
    low, high = sketch.band
    if low is None and high is None:
        assert sketch.courses.sick != sketch.courses.healthy
        return
    low, high = (float("-inf") if low is None else low), (float("inf") if high is None else high)
    assert all(low < value < high for value in sketch.courses.healthy)
    assert not low <= sketch.courses.sick[-1] <= high
    bottom, top = sketch.courses.axis
    assert all(bottom <= value <= top for value in (*sketch.courses.healthy, *sketch.courses.sick))


def test_the_rule_fires_on_the_sick_course_alone():
    """As the evaluator of runs judges both; so it is for nearly every metric whose rule asks for one curve."""
    fired = 0
    for metric in JUDGED:
        sketch: Any = sketch_of(TABLES, metric)
        found = mildest(sketch.healthy.first.rule)
        if found is None or not alone(found[1]):
            continue
        assert found[1].holds({"x": series(sketch.courses.sick)}), metric
        fired += 1
        for judged in sketch.healthy.all:
            own = mildest(judged.rule)
            if own is not None and alone(own[1]):
                assert not own[1].holds({"x": series(sketch.courses.healthy)}), (metric, judged.rule.id)
    assert fired > 80


def test_what_is_not_finite_ends_the_sick_course():
    """A course that ends before the other does, with a mark and the word."""
    sketch: Any = sketch_of(TABLES, "diffusion/kl")
    assert sketch.healthy.first.sign.kind == "non_finite"
    assert len(sketch.courses.sick) < len(sketch.courses.healthy)
    assert "sick: NaN" in sketch.draw()


def test_sketches_are_the_same_every_time():
    """Nothing in them is chance."""
    for metric in JUDGED[:40]:
        first: Any = sketch_of(TABLES, metric)
        again: Any = sketch_of(TABLES, metric)
        assert first.draw() == again.draw()


@pytest.mark.parametrize(
    ("metric", "big"),
    [
        ("kl/old/k2", "below 0.1 nat"),
        ("policy/ratio/mean", "between 0.1 and 2"),
        ("entropy/policy", "between 0.3 and 1.5 × its start"),
        ("policy/clip_fraction", "below 0.2"),
        ("reward/score/mean", "rising, or level at the top"),
        ("optimizer/learning_rate", "not exactly 0 for long"),
        ("loss/total", "no fixed range"),
        ("group/advantage/mean", "no fixed range"),
        ("diffusion/kl", "a finite number"),
        ("preference/logprob/chosen", "less than 3 times as far below 0 as at its start"),
    ],
)
def test_the_box_says_what_is_healthy_and_on_what_that_rests(metric, big):
    """A headline, what to do otherwise with a link to the symptom, and the basis with its source."""
    box: Any = healthy_box(SITE, f"m/{metric}", metric)
    healthy: Any = healthy_of(TABLES, metric)
    rule = healthy.first.rule
    advice, basis = box["lines"]
    assert box["big"] == big
    assert f"sick/#{rule.id}" in advice
    assert {"observed": "observed in runs", "documented": "documented", "folklore": "folklore"}[rule.basis] in basis
    assert all(
        f"sick/#{row['id']}" in rules_list(SITE, f"m/{metric}", metric) for row in TABLES.health["RULES"][metric]
    )


def test_guides_of_frameworks_are_linked_at_their_tag():
    """A source with a release leads to its line there."""
    box: Any = healthy_box(SITE, "m/policy/ratio/mean", "policy/ratio/mean")
    assert "trl/blob/v0.18.2/docs/source/logging.md#L56" in box["lines"][1]


def test_a_metric_without_rules_says_so():
    """And has no sketch."""
    metric = next(metric for metric in TABLES.metrics if metric not in JUDGED)
    assert sketch_figure(SITE, metric) is None
    assert healthy_box(SITE, f"m/{metric}", metric)["big"] == "no rule judges it"
    assert rules_list(SITE, f"m/{metric}", metric) == ""
