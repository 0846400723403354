"""The table of health: rules with the metrics that their selectors find, diagnoses, and the rules of each metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, get_args

from rlmetrics.health.conditions import parse_condition
from rlmetrics.names.tables.sentence_case import lowered

from ..model import Cause, HealthRule, Metric, MetricSelector
from .data import Row, Table, row, source

if TYPE_CHECKING:
    from ..spec import Spec

__all__ = ["all_rules", "bounds", "health_table", "metrics_of_rule", "selects"]

_SPECIAL = {"non_finite": "error", "no_reward": "warning", "zeros_for_nan": "error"}
_FACETS = ("of", "extent", "estimator", "policy", "statistic")


def health_table(spec: Spec) -> Table:
    """Return rules, diagnoses, causes from upstream to downstream, and the rules of each metric in short."""
    by_metric: dict[str, list[Row]] = {}
    judged = []
    for rule in all_rules(spec):
        metrics = metrics_of_rule(rule, spec.metrics)
        judged.append(_judged(rule, metrics))
        for metric in metrics:
            by_metric.setdefault(metric, []).append(_short(rule))
    diagnoses = [
        row(**item.model_dump(exclude={"sources"}), sources=[source(entry) for entry in item.sources])
        for file in spec.health.values()
        for item in file.diagnoses
    ]
    ordered = {metric: by_metric[metric] for metric in spec.metrics if metric in by_metric}
    causes = {cause: index for index, cause in enumerate(get_args(Cause))}
    return Table(
        "spec/metrics and spec/health", {"RULES": ordered, "JUDGED": judged, "DIAGNOSES": diagnoses, "CAUSES": causes}
    )


def all_rules(spec: Spec) -> Iterator[HealthRule]:
    """Yield every rule in the order of the files."""
    for file in spec.health.values():
        yield from file.rules


def selects(selector: MetricSelector, metric: Metric) -> bool:
    """Return whether a selector finds a metric: a scalar or counter with the facets that it names."""
    identity = metric.identity
    if identity.quantity != selector.quantity or metric.kind in ("text", "distribution"):
        return False
    if selector.unit is not None and metric.unit not in _several(selector.unit):
        return False
    if selector.distributions is not None and identity.distributions != selector.distributions:
        return False
    wanted = {name: getattr(selector, name) for name in _FACETS}
    return all(value is None or getattr(identity, name) in _several(value) for name, value in wanted.items())


def _several(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def metrics_of_rule(rule: HealthRule, metrics: Mapping[str, Metric]) -> list[str]:
    """Return the metrics that a rule judges, in the order in which it names or finds them."""
    names: dict[str, None] = {}
    for item in rule.judges:
        if isinstance(item, str):
            names[item] = None
        else:
            names.update(dict.fromkeys(name for name, metric in metrics.items() if selects(item, metric)))
    return [name for name in names if name not in rule.besides]


def bounds(rule: HealthRule) -> dict[str, float]:
    """Return what values are simply compared with, at any level: ``above`` and ``below``, or ``…_start``."""
    limits: dict[str, float] = {}
    for text in rule.tiers.values():
        for side, number in parse_condition(text).bounds.items():
            better = min if side.startswith("above") else max
            limits[side] = better(limits.get(side, number), number)
    return limits


def _judged(rule: HealthRule, metrics: list[str]) -> Row:
    curves: dict[str, Any] = {
        name: value if isinstance(value, list) else [value] for name, value in rule.curves.items()
    }
    conditions = [parse_condition(text) for text in rule.tiers.values()]
    return row(
        id=rule.id,
        title=rule.title,
        cause=rule.cause,
        metrics=metrics,
        mode=rule.mode if rule.mode != "train" else None,
        **{"with": curves},
        optional=rule.optional,
        **rule.tiers,
        when=rule.when,
        shows=rule.shows,
        steps=rule.steps,
        warm_up=rule.warm_up or None,
        points=rule.points,
        absolute=True if any(condition.absolute for condition in conditions) and not rule.despite else None,
        special=rule.special,
        message=rule.message,
        remark=rule.remark and [rule.remark.title, rule.remark.message],
        advice=rule.advice,
        basis=rule.basis,
        sources=[source(item) for item in rule.sources],
    )


def _short(rule: HealthRule) -> Row:
    level = next(iter(rule.tiers), _SPECIAL.get(rule.special or "", "info"))
    return row(
        id=rule.id,
        level=level,
        words=in_words(rule),
        **bounds(rule),
        message=rule.message,
        advice=rule.advice,
        basis=rule.basis,
    )


def in_words(rule: HealthRule) -> str:
    """Return when a rule fires, as a title says it."""
    text = lowered(rule.title)
    return f"{text}, for {rule.steps} steps" if rule.steps > 1 else text
