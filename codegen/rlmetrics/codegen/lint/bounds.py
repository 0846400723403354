"""Bounds of health rules, which a metric must be able to reach."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .registry import Check, Hit, check

if TYPE_CHECKING:
    from .context import Context

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
    for name, metric in context.spec.metrics.items():
        ref = f"metrics/{context.spec.family_of[name]}"
        for index, rule in enumerate(metric.health):
            for field, bound in (("above", rule.above), ("below", rule.below)):
                why = unreachable(metric.range, **{field: bound})
                if why is not None:
                    place = (ref, ("metrics", name, "range"), "the range")
                    path = ("metrics", name, "health", index, field)
                    yield Hit(ref, path, f"`{name}` {why}", value=True, related=(place,))
            low, high = metric.range
            stuck = rule.stuck_at
            if stuck is not None and ((low is not None and stuck < low) or (high is not None and stuck > high)):
                path = ("metrics", name, "health", index, "stuck_at")
                yield Hit(ref, path, f"`{name}` cannot be {stuck:g}, which is outside of its range", value=True)


CHECKS: tuple[Check, ...] = (rule_range,)
