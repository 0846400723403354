"""What an entry measures, taken apart, so that two releases can be compared aspect by aspect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..tables.key_records import Entry, Signature
from ..tables.tables import Tables
from .entry_signature import population_traits

__all__ = ["Aspect", "Pair", "State", "compared", "state_of"]

_NEUTRAL = frozenset({("max", "max"), ("min", "min"), ("sum", "sum"), ("last", "last")})
"""Statistic and operation where reducing the parts is the same as pooling them."""

_OF_ANY_METRIC = frozenset({"metric", "kind", "logged"})


class Aspect(NamedTuple):
    """One thing that is said about a number.

    Attributes:
        facet: metric, kind, logged, population, snapshot, span, lag, scale, offset, formula, reduction or trait.
        name: The level of a reduction, the name of a trait; empty for the others.
    """

    facet: str
    name: str = ""


State = Mapping[Aspect, Any]
"""What holds of an entry; an aspect that is missing is None: a trait that it lacks, or what it does not say."""

Pair = tuple[Any, Any]


def state_of(entry: Entry, tables: Tables) -> State:
    """Return the aspects of an entry."""
    signature = entry.signature
    metric: Mapping[str, Any] = tables.metrics.get(entry.metric or "", {})
    state: dict[Aspect, Any] = {
        Aspect("metric"): entry.metric,
        Aspect("kind"): entry.kind,
        Aspect("logged"): entry.logged,
        Aspect("population"): signature.population,
        Aspect("snapshot"): signature.snapshot,
        Aspect("span"): signature.span,
        Aspect("lag"): signature.lag,
        Aspect("scale"): signature.scale,
        Aspect("offset"): signature.offset,
        Aspect("formula"): None if signature.reproduced_by in metric.get("same", ()) else signature.reproduced_by,
    }
    state.update(_reductions(signature, metric, entry.kind, tables))
    state.update({Aspect("trait", name): True for name in signature.traits})
    return state


def _reductions(signature: Signature, metric: Mapping[str, Any], kind: str, tables: Tables) -> dict[Aspect, str]:
    default = "pool" if "function" in metric else "none"
    statistic = metric.get("identity", {}).get("statistic")
    reductions: dict[Aspect, str] = {}
    for level in tables.levels:
        operation = signature.reduction.get(level, default)
        # What parts have counted is added up, however that is called.
        neutral = (statistic, operation) in _NEUTRAL or (kind, operation) == ("counter", "sum")
        reductions[Aspect("reduction", level)] = "pool" if neutral else operation
    return reductions


def compared(before: State, after: State, tables: Tables) -> dict[Aspect, Pair]:
    """Return what differs between two states, by the rules by which `.relations` relates two entries."""
    names = dict.fromkeys((*before, *after))
    differs = {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}
    if Aspect("metric") in differs:
        return {name: pair for name, pair in differs.items() if name.facet in _OF_ANY_METRIC}
    population = Aspect("population")
    if population in differs and _told_by_traits(*differs[population], tables):
        del differs[population]
    snapshot = Aspect("snapshot")
    if None in differs.get(snapshot, ()):
        del differs[snapshot]
    formula = Aspect("formula")
    if formula in differs and any(name.facet in ("trait", "population") for name in differs):
        del differs[formula]
    return differs


def _told_by_traits(first: str | None, second: str | None, tables: Tables) -> bool:
    """Tell whether two populations need no word of their own: one is not known, or their traits tell them apart."""
    if first is None or second is None:
        return True
    known: Mapping[str, Any] = tables.signatures["POPULATIONS"]
    same_domain = first in known and second in known and known[first][0] == known[second][0]
    return same_domain and set(population_traits(first, tables)) != set(population_traits(second, tables))
