"""What the rules about a metric's health say, in a few words and at length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlmetrics.names.tables import Tables

__all__ = ["healthy", "told"]


def healthy(tables: Tables, metric: str) -> str | None:
    """Return the range that no rule of level warning or error complains about; None if none has a bound.

    Rules that hold only under a condition, or that join a bound with a trend, draw no line.
    """
    plain = [rule for rule in _rules(tables, metric) if rule["level"] != "info" and not rule.keys() & {"when", "trend"}]
    low = max((rule["below"] for rule in plain if "below" in rule), default=None)
    high = min((rule["above"] for rule in plain if "above" in rule), default=None)
    stuck = [rule["stuck_at"] for rule in plain if "stuck_at" in rule]
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    if low is not None:
        return f"at least {low:g}"
    if high is not None:
        return f"at most {high:g}"
    return f"not stuck at {stuck[0]:g}" if stuck else None


def told(tables: Tables, metric: str) -> list[str]:
    """Return each rule as a sentence: its level, for how long it must hold, what is wrong and what to try."""
    return [_sentence(rule) for rule in _rules(tables, metric)]


def _rules(tables: Tables, metric: str) -> list[dict[str, Any]]:
    rules: Mapping[str, Any] = tables.health["RULES"]
    return [dict(rule) for rule in rules.get(metric, ())]


def _sentence(rule: Mapping[str, Any]) -> str:
    bounds = [f"{word} {rule[word]:g}" for word in ("above", "below") if word in rule]
    bounds += [f"stuck at {rule['stuck_at']:g}"] if "stuck_at" in rule else []
    bounds += [str(rule["trend"]).replace("_", "-")] if "trend" in rule else []
    steps = f" for {rule['steps']} steps" if rule["steps"] > 1 else ""
    condition = f" (with {rule['when']})" if "when" in rule else ""
    return f"_{rule['level']}, {' and '.join(bounds)}{steps}{condition}_: {rule['message']} {rule['advice']}"
