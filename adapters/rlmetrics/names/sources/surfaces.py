"""What trackers make of keys: ``reward`` becomes ``train/reward``, ``mean@4`` becomes ``mean_at_4`` …."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ..tables.tables import Tables
from ..tables.user_errors import NamesError
from .source import nearest

__all__ = [
    "LOGGED",
    "Rules",
    "check_surface",
    "preferred_trackers",
    "route_surfaces",
    "rules_of",
    "show_name",
    "show_template",
]

LOGGED = "logged"
"""The surface of names as the code logs them."""

Rules = tuple[tuple[str, str, bool], ...]
"""Pattern, replacement and whether later rules are skipped once this one matched."""

_PREFERRED = ("wandb", "tensorboard", "trackio", "mlflow")
_PLACEHOLDER = re.compile(r"\{\w+\}")
_STANDIN = "Zz{}Qq"


def show_name(name: str, rules: Rules) -> str:
    """Return how a tracker shows a key; empty if it does not show it at all."""
    for pattern, replacement, stop in rules:
        name, count = _compiled(pattern).subn(replacement, name)
        if count and stop:
            break
    return name


@lru_cache(maxsize=16384)
def show_template(template: str, rules: Rules) -> str:
    """Return how a tracker shows a template: what stands between the placeholders is rewritten."""
    if "{" not in template:
        return show_name(template, rules)
    parts: list[str] = []

    def stand_in(match: re.Match[str]) -> str:
        parts.append(match[0])
        return _STANDIN.format(len(parts) - 1)

    shown = show_name(_PLACEHOLDER.sub(stand_in, template), rules)
    for index, placeholder in enumerate(parts):
        shown = shown.replace(_STANDIN.format(index), placeholder)
    return shown


def rules_of(tables: Tables, tracker: str, route: str) -> Rules:
    """Return the rules of a tracker for a route; none if it keeps names or does not serve the route."""
    rules = tables.trackers[tracker].get("routes", {}).get(route, ())
    return tuple((pattern, replacement, stop) for pattern, replacement, stop in rules)


def route_surfaces(tables: Tables, routes: Sequence[str]) -> list[tuple[str, Rules]]:
    """Return the ways in which trackers change names on some routes, each with the tracker it is called after."""
    surfaces: dict[Rules, str] = {}
    for tracker in preferred_trackers(tables):
        for route in routes:
            rules = rules_of(tables, tracker, route)
            if rules:
                surfaces.setdefault(rules, tracker)
    return [(tracker, rules) for rules, tracker in surfaces.items()]


def preferred_trackers(tables: Tables) -> list[str]:
    """Return the trackers in the order in which a way of showing names is called after one."""
    return sorted(tables.trackers, key=_preference)


def check_surface(surface: str | None, tables: Tables) -> None:
    """Refuse a surface that is none.

    Raises:
        NamesError: It is neither ``logged`` nor a tracker.
    """
    if surface is not None and surface != LOGGED and surface not in tables.trackers:
        msg = f"unknown surface {surface!r}; {nearest(surface, [LOGGED, *tables.trackers], 'surfaces')}"
        raise NamesError(msg)


def _preference(tracker: str) -> tuple[int, str]:
    return (_PREFERRED.index(tracker) if tracker in _PREFERRED else len(_PREFERRED), tracker)


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
