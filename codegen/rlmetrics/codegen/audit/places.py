"""Where keys come from: lines of a release, the conditions in force there, and the ways that a key took."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Conditions", "Origin", "Place", "Site"]

Conditions = tuple[str, ...]
"""The tests that enclose a place, outermost first, from the entry point down."""


@dataclass(frozen=True)
class Site:
    """A line of a release: path in the package, line, and the class and function around it."""

    path: str
    line: int
    symbol: str


@dataclass(frozen=True)
class Place:
    """Where something happens: the line, the conditions in force, and the call that led to the function."""

    site: Site
    conditions: Conditions = ()
    called_from: Site | None = None


@dataclass(frozen=True)
class Origin:
    """Where a key comes from: its literal, the value written under it, and the conditions of the write."""

    site: Site
    expression: str
    alternatives: frozenset[Conditions]
    via: tuple[Site, ...] = ()

    def passed_through(self, place: Place) -> Origin:
        """Returns the origin after the key was copied or renamed at another place."""
        sites = [site for site in (place.site, place.called_from) if site is not None]
        via = tuple(dict.fromkeys((*self.via, *(site for site in sites if site != self.site))))
        alternatives = frozenset(_merge(a, place.conditions) for a in self.alternatives)
        return replace(self, via=via, alternatives=alternatives)


def _merge(first: Conditions, second: Conditions) -> Conditions:
    return first + tuple(condition for condition in second if condition not in first)
