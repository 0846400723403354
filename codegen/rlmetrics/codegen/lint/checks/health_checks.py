"""Health: rules that can be judged, whose levels are earned, and diagnoses that name rules that exist."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rlmetrics.health.conditions import Condition, ConditionError, parse_condition, parse_number

from ...tables.health_table import metrics_of_rule, selects
from ..lint_check import Check, Hit, check
from ..vocabulary_lookups import missing

if TYPE_CHECKING:
    from ...loader import YamlPath
    from ...model import HealthRule, Metric
    from ..context import Context

__all__ = ["CHECKS"]


def _rules(context: Context) -> Iterator[tuple[str, YamlPath, HealthRule]]:
    for stem, file in context.spec.health.items():
        for index, rule in enumerate(file.rules):
            yield f"health/{stem}", ("rules", index), rule


def _conditions(rule: HealthRule) -> Iterator[tuple[str, Condition]]:
    for level, text in rule.tiers.items():
        try:
            yield level, parse_condition(text)
        except ConditionError:
            continue


@check(
    "health-rule",
    "error",
    what="A health rule that judges nothing, or whose id another rule or diagnosis has.",
    fix="give a condition for a level, metrics to judge, and an id of its own",
)
def health_rule(context: Context) -> Iterator[Hit]:
    seen: dict[str, str] = {}
    for ref, path, rule in _rules(context):
        if not rule.tiers and rule.special is None:
            yield Hit(ref, path, f"the rule `{rule.id}` has no condition for any level")
        if not rule.judges and rule.mode != "held_out" and rule.special != "log_gap":
            yield Hit(ref, path, f"the rule `{rule.id}` judges no metric")
        if rule.id in seen:
            yield Hit(ref, (*path, "id"), f"`{rule.id}` is a rule of {seen[rule.id]} too", value=True)
        seen.setdefault(rule.id, f"`{ref}`")
    for stem, file in context.spec.health.items():
        for index, diagnosis in enumerate(file.diagnoses):
            if diagnosis.id in seen:
                place: YamlPath = ("diagnoses", index, "id")
                yield Hit(
                    f"health/{stem}", place, f"`{diagnosis.id}` is the id of another rule or diagnosis", value=True
                )
            seen.setdefault(diagnosis.id, f"`health/{stem}`")


@check(
    "health-condition",
    "error",
    what="A condition of a health rule that is not written in the language of rules, or names an unknown curve.",
    fix="see the page on health rules for the words of conditions; name further curves in `with:`",
)
def health_condition(context: Context) -> Iterator[Hit]:
    for ref, path, rule in _rules(context):
        known = {"x", *rule.curves}
        for level, text in rule.tiers.items():
            try:
                condition = parse_condition(text)
            except ConditionError as error:
                yield Hit(ref, (*path, level), str(error), value=True)
                continue
            for name in condition.names:
                if name not in known:
                    message = f"the condition of `{rule.id}` names a curve `{name}` that `with:` does not define"
                    yield Hit(ref, (*path, level), message, value=True)
        if rule.shows is not None:
            try:
                parse_number(rule.shows)
            except ConditionError as error:
                yield Hit(ref, (*path, "shows"), str(error), value=True)
        for name in rule.optional:
            if name not in rule.curves:
                yield Hit(ref, (*path, "optional"), f"`with:` of `{rule.id}` defines no curve `{name}`", value=True)


@check(
    "health-selector",
    "error",
    what="A health rule that selects a metric that does not exist, or a selector that finds none.",
    fix="correct the name or the facets",
    whole=True,
)
def health_selector(context: Context) -> Iterator[Hit]:
    metrics = context.spec.metrics
    for ref, path, rule in _rules(context):
        for index, item in enumerate(rule.judges):
            if isinstance(item, str):
                yield from _unknown(context, item, ref, (*path, "judges", index))
            elif not any(selects(item, metric) for metric in metrics.values()):
                yield Hit(ref, (*path, "judges", index), f"no metric is what the rule `{rule.id}` selects")
        for name in rule.besides:
            yield from _unknown(context, name, ref, (*path, "besides", name))
        for name, chosen in rule.curves.items():
            for index, item in enumerate(chosen if isinstance(chosen, list) else ()):
                if item != "held_out":
                    yield from _unknown(context, item, ref, (*path, "with", name, index))


def _unknown(context: Context, name: str, ref: str, path: YamlPath) -> Iterator[Hit]:
    yield from missing(context, "metric", "metrics", name, context.spec.metrics, ref, path)


@check(
    "health-sibling",
    "warning",
    what="A metric that a health rule could judge as well: of the same quantity, unit, extent and statistic as one "
    "that a selector of the rule finds, but of another policy, estimator or direction.",
    fix="widen the selector, or name the metric in `besides:` with the reason",
)
def health_sibling(context: Context) -> Iterator[Hit]:
    metrics = context.spec.metrics
    for ref, path, rule in _rules(context):
        if not any(not isinstance(item, str) for item in rule.judges):
            continue
        covered = set(metrics_of_rule(rule, metrics))
        kinds = {_kind(metrics[name]) for name in covered if name in metrics}
        for name, metric in metrics.items():
            if name not in covered and name not in rule.besides and _kind(metric) in kinds:
                yield Hit(
                    ref, (*path, "judges"), f"the rule `{rule.id}` leaves out `{name}`, which is of the same kind"
                )


def _kind(metric: Metric) -> tuple[object, ...]:
    identity = metric.identity
    between = tuple(sorted(identity.distributions or ()))
    facets = identity.of, identity.extent, identity.statistic, identity.predicate
    return identity.quantity, metric.unit, between, *facets


@check(
    "health-source",
    "error",
    what="A health rule with a number that no source backs.",
    fix="add `sources:`, and `basis: folklore` if nobody has measured it",
)
def health_source(context: Context) -> Iterator[Hit]:
    for ref, path, rule in _rules(context):
        if not rule.sources and rule.basis == "documented":
            yield Hit(ref, path, f"the rule `{rule.id}` is said to be documented, but names no source")
        elif not rule.sources and any(condition.absolute for _, condition in _conditions(rule)):
            yield Hit(ref, path, f"nothing backs the number in the rule `{rule.id}`")


@check(
    "health-unnamed",
    "error",
    what="A health rule that is said to be documented, with a bound that no source names; or a number under `named` "
    "that is no bound of the rule.",
    fix="look the number up and write it under `named`, or say `basis: observed` if it was measured",
)
def health_unnamed(context: Context) -> Iterator[Hit]:
    for ref, path, rule in _rules(context):
        limits = {number for _, condition in _conditions(rule) for number in condition.bounds.values()}
        for number in sorted(limits - {*rule.named}) if rule.basis == "documented" else ():
            yield Hit(ref, (*path, "basis"), f"no source of `{rule.id}` names its bound {number:g}", value=True)
        for index, number in enumerate(rule.named):
            if number not in limits:
                yield Hit(ref, (*path, "named", index), f"{number:g} is no bound of the rule `{rule.id}`")


@check(
    "health-level",
    "error",
    what="A health rule whose level is not earned: folklore may warn only where a second curve takes part, and is "
    "never an error.",
    fix="lower the level, join a second signal, or give a source that documents the number",
)
def health_level(context: Context) -> Iterator[Hit]:
    for ref, path, rule in _rules(context):
        if rule.basis != "folklore":
            continue
        for level, condition in _conditions(rule):
            if level == "error":
                yield Hit(ref, (*path, level), f"the rule `{rule.id}` is folklore and cannot be an error")
            elif level == "warning" and len(condition.names) < 2:
                message = f"the rule `{rule.id}` is folklore and warns by one curve alone"
                yield Hit(ref, (*path, level), message)


@check(
    "health-diagnosis",
    "error",
    what="A diagnosis that no rule makes, or that names a rule that does not exist.",
    fix="name rules in `all_of:` or `any_of:`, and correct their names",
    whole=True,
)
def health_diagnosis(context: Context) -> Iterator[Hit]:
    rules = {rule.id for _, _, rule in _rules(context)}
    for stem, file in context.spec.health.items():
        for index, item in enumerate(file.diagnoses):
            path: YamlPath = ("diagnoses", index)
            if not item.all_of and not item.any_of:
                yield Hit(f"health/{stem}", path, f"no rule makes the diagnosis `{item.id}`")
            for field in ("all_of", "any_of", "none_of", "explains"):
                for number, name in enumerate(getattr(item, field)):
                    place = (*path, field, number)
                    yield from missing(context, "health rule", "rules", name, rules, f"health/{stem}", place)


CHECKS: tuple[Check, ...] = (
    health_rule,
    health_condition,
    health_selector,
    health_sibling,
    health_source,
    health_unnamed,
    health_level,
    health_diagnosis,
)
