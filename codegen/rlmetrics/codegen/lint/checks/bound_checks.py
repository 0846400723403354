"""Bounds of health rules, which a metric must be able to reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rlmetrics.health.conditions import ConditionError, parse_condition

from ...tables.health_table import metrics_of_rule
from ..lint_check import Check, Hit, check

if TYPE_CHECKING:
    from ..context import Context

__all__ = ["CHECKS", "unreachable"]


def unreachable(
    span: tuple[float | None, float | None], *, above: float | None = None, below: float | None = None
) -> str | None:
    """Return why a metric with this range is never above or below a bound, or always is; None if it can be either.

    Args:
        span: The least and the largest value, None where there is no limit.
        above: The rule fires above this.
        below: The rule fires below this.
    """
    low, high = span
    if above is not None and high is not None and above >= high:
        return f"is never above {above:g}: its range ends at {high:g}"
    if above is not None and low is not None and above < low:
        return f"is always above {above:g}: its range begins at {low:g}"
    if below is not None and low is not None and below <= low:
        return f"is never below {below:g}: its range begins at {low:g}"
    if below is not None and high is not None and below > high:
        return f"is always below {below:g}: its range ends at {high:g}"
    return None


@check(
    "rule-range",
    "error",
    what="A health rule whose bound lies outside of the metric's range, so that it never fires or always does.",
    fix="correct the bound or the range",
)
def rule_range(context: Context) -> Iterator[Hit]:
    metrics = context.spec.metrics
    for stem, file in context.spec.health.items():
        for index, rule in enumerate(file.rules):
            for level, bounds in _bounds(rule.tiers):
                for name in filter(metrics.__contains__, metrics_of_rule(rule, metrics)):
                    why = unreachable(metrics[name].range, above=bounds.get("above"), below=bounds.get("below"))
                    if why is not None:
                        place = (f"metrics/{context.spec.family_of[name]}", ("metrics", name, "range"), "the range")
                        yield Hit(
                            f"health/{stem}", ("rules", index, level), f"`{name}` {why}", value=True, related=(place,)
                        )


def _bounds(tiers: Mapping[str, str]) -> Iterator[tuple[str, Mapping[str, float]]]:
    for level, text in tiers.items():
        try:
            yield level, parse_condition(text).bounds
        except ConditionError:
            continue  # another check says so


CHECKS: tuple[Check, ...] = (rule_range,)
