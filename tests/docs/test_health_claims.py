"""What the guide to health says of its own rules: which errors rest on thresholds that were chosen."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from folders import ROOT
from rlmetrics.codegen.loader import load
from rlmetrics.codegen.model.health import HealthRule
from rlmetrics.codegen.tables.health_table import metrics_of_rule
from rlmetrics.health.rules import Rules
from rlmetrics.names.tables.loading import load_tables

SPEC = load(ROOT / "spec")
RULES = [rule for file in SPEC.health.values() for rule in file.rules if rule.error is not None]
COUNTS = {"by_chance", "repeats", "points"}
"""Functions of how often a value came: what holds of it decides how long, not how much."""


def thresholds(node: ast.AST) -> Iterator[float]:
    """The numbers, but for 0 and 1, with which a condition must compare well; what only silences it is left out."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return
    if isinstance(node, ast.Compare):
        functions = {each.func.id for each in ast.walk(node) if isinstance(each, ast.Call)}  # type: ignore[attr-defined]
        if not functions & COUNTS:
            numbers = [ast.literal_eval(each) for each in ast.walk(node) if isinstance(each, ast.Constant)]
            minus = any(isinstance(each, ast.USub) for each in ast.walk(node))
            yield from (-number if minus else number for number in numbers if number not in (0, 1))
        return
    for child in ast.iter_child_nodes(node):
        yield from thresholds(child)


def is_chosen(rule: HealthRule) -> bool:
    """Whether an error rests on a number that no source names and that is no bound of what is possible."""
    found = set(thresholds(ast.parse(" ".join(str(rule.error).split()), mode="eval").body)) - {*rule.named}
    ranges = [SPEC.metrics[name].range for name in metrics_of_rule(rule, SPEC.metrics)]
    return any(not all(low is not None and number < low for low, _ in ranges) for number in found)


@pytest.mark.parametrize("page", ["docs/health.md", "docs/zh/health.md"])
def test_the_guide_names_the_errors_that_rest_on_chosen_thresholds(page):
    """Those and no others, in both languages."""
    text = (ROOT / page).read_text("utf-8")
    (said,) = [line for line in re.split(r"\n- |\n\n", text) if line.lstrip("- ").startswith("**error**")]

    assert set(re.findall(r"`([\w-]+)`", said)) == {rule.id for rule in RULES if is_chosen(rule)}


def test_other_errors_are_of_what_cannot_be():
    """Each is exactly 0 or 1, an impossible value, or beyond a bound that its source names."""
    plain = [rule for rule in RULES if not is_chosen(rule)]

    assert len(plain) > len(RULES) / 2
    assert [rule.id for rule in plain if rule.named and rule.basis != "documented"] == []


def test_a_report_says_of_itself_what_the_rules_are():
    """Which errors a report calls chosen is computed from their conditions, and is what the guide says."""
    judged = Rules(load_tables()).by_id

    assert {name for name, rule in judged.items() if rule.chosen} == {rule.id for rule in RULES if is_chosen(rule)}
