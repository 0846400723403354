"""What the rules about a metric's health say, in a few words and at length."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlmetrics.names.tables.tables import Tables

__all__ = ["healthy", "told"]


def healthy(tables: Tables, metric: str) -> str | None:
    """Return the range that no rule complains about at any level; None if none draws a line by itself.

    Rules that join a bound with something else, or that look at a trend, draw no line.
    """
    rules = _rules(tables, metric)
    low = max((rule["below"] for rule in rules if "below" in rule), default=None)
    high = min((rule["above"] for rule in rules if "above" in rule), default=None)
    if low is not None and high is not None:
        return f"{low:g} to {high:g}"
    if low is not None:
        return f"at least {low:g}"
    if high is not None:
        return f"at most {high:g}"
    share = max((rule["below_start"] for rule in rules if "below_start" in rule), default=None)
    if share is not None:
        return f"at least {share:g} times its start"
    share = min((rule["above_start"] for rule in rules if "above_start" in rule), default=None)
    return None if share is None else f"at most {share:g} times its start"


def told(tables: Tables, metric: str) -> list[str]:
    """Return each rule as a sentence: its highest level, what is wrong and what to try."""
    return [_sentence(rule) for rule in _rules(tables, metric)]


def _rules(tables: Tables, metric: str) -> list[dict[str, Any]]:
    rules: Mapping[str, Any] = tables.health["RULES"]
    return [dict(rule) for rule in rules.get(metric, ())]


def _sentence(rule: Mapping[str, Any]) -> str:
    return f"_{rule['level']}, {rule['words']}_: {rule['message']} {rule['advice']}"
