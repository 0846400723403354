"""What is healthy for a metric, as its page says it: the rules agree."""

from __future__ import annotations

import re
from typing import Any

import pytest
from rlmetrics.codegen.site.healthy import healthy_box, rules_list
from rlmetrics.codegen.site.healthy_band import healthy_of
from rlmetrics.codegen.site.site import Site
from rlmetrics.names import load_tables

TABLES = load_tables()
NOTHING: Any = None
SITE = Site(NOTHING, {}, TABLES)
JUDGED = list(TABLES.health["RULES"])
RULES = {row["id"]: row for row in TABLES.health["JUDGED"]}


@pytest.mark.parametrize("metric", JUDGED)
def test_the_band_is_that_of_the_rules(metric):
    """Its ends stand in conditions of rules of the metric, and are the bounds that the command line tells."""
    healthy: Any = healthy_of(TABLES, metric)
    ends = [end for end in (healthy.low, healthy.high) if end is not None]
    rows = [RULES[row["id"]] for row in TABLES.health["RULES"][metric]]
    written = " ".join(str(row.get(level, "")) for row in rows for level in ("info", "warning", "error"))
    numbers = {float(text) for text in re.findall(r"-?\d[\d.]*(?:e-?\d+)?", written)}
    assert set(ends) <= numbers
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
    """In the box; and there is no list of rules."""
    metric = next(metric for metric in TABLES.metrics if metric not in JUDGED)
    assert healthy_box(SITE, f"m/{metric}", metric)["big"] == "no rule judges it"
    assert rules_list(SITE, f"m/{metric}", metric) == ""
