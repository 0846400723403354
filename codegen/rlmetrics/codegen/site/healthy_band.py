"""What is healthy for a metric: the band that its rules leave, and which rule says most about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rlmetrics.health.rules import Rule, Rules

from .signs import KINDS, Sign, signs_of

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["Healthy", "JudgedRange", "healthy_of"]

_BOUNDS = ("above", "below")
_RELATIVE = ("above_start", "below_start")


@dataclass(frozen=True)
class JudgedRange:
    """One thing that a rule looks for.

    Attributes:
        rule: The rule.
        sign: What it looks for.
    """

    rule: Rule
    sign: Sign

    @property
    def worst(self) -> str:
        """The highest level of the rule."""
        return self.rule.tiers[0][0] if self.rule.tiers else self.sign.level


@dataclass(frozen=True)
class Healthy:
    """What is healthy for a metric.

    Attributes:
        metric: The metric.
        first: What says most about it.
        all: Everything that its rules look for.
        low: Lower end of the band; None if it has none.
        high: Upper end.
        relative: Whether the ends are factors of where the curve started.
    """

    metric: str
    first: JudgedRange
    all: tuple[JudgedRange, ...]
    low: float | None = None
    high: float | None = None
    relative: bool = False


@lru_cache(maxsize=4)
def _rules(tables: Tables) -> Rules:
    return Rules(tables)


@lru_cache(maxsize=2048)
def healthy_of(tables: Tables, metric: str) -> Healthy | None:
    """Return what is healthy for a metric; None if no rule judges it."""
    rules = _rules(tables).by_metric.get(metric, ())
    found = tuple(JudgedRange(rule, sign) for rule in rules for sign in signs_of(rule))
    if not found:
        return None
    own = [one for one in found if one.sign.alone] or list(found)
    for kinds in (_BOUNDS, _RELATIVE):
        band = _of_band(metric, found, own, kinds)
        if band is not None:
            return band
    clear = [one for one in own if one.sign.kind not in _BOUNDS] or own
    return Healthy(metric, min(clear, key=lambda one: (KINDS.index(one.sign.kind), one.worst == "info")), found)


def _of_band(
    metric: str, found: tuple[JudgedRange, ...], own: Sequence[JudgedRange], kinds: tuple[str, str]
) -> Healthy | None:
    """Return the band that bounds of a kind leave: absolute ones only if nothing else is asked for besides."""
    bounds = [one for one in own if one.sign.kind in kinds and one.sign.since == "start" and one.sign.alone]
    if kinds == _BOUNDS:
        bounds = [one for one in bounds if one.sign.pure]
    mild = [one for one in bounds if one.sign.level != "error"] or bounds
    later = [one for one in mild if not one.sign.at_start] or mild
    if not later:
        return None
    first = min(later, key=lambda one: (one.worst == "info", not one.sign.kind.startswith("above")))
    high = min((one.sign.bound for one in later if one.sign.kind == kinds[0]), default=None)
    low = max((one.sign.bound for one in later if one.sign.kind == kinds[1]), default=None)
    tightest = high if first.sign.kind == kinds[0] else low
    of_bound = next(one for one in later if one.sign.kind == first.sign.kind and one.sign.bound == tightest)
    return Healthy(metric, of_bound, found, low, high, kinds == _RELATIVE)
