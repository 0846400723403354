"""What two sources are called in a sentence, and differences that name them."""

from __future__ import annotations

import re

from rlmetrics.lazy_typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["Sides", "sided", "sides_of"]

Sides = tuple[str, str]
"""What the source and the target are called."""

_SOURCE = re.compile(r"(?P<framework>[\w-]+)(?:\[(?P<component>[^\]]*)\])?(?:==(?P<release>[^\s+]+))?")
_UNNAMED: Sides = ("the source", "the target")
_ONLY = re.compile(r"^(?P<where>if .+? logged it: )?only in the (?P<side>source|target): ")
_SIDE = re.compile(r"\bthe (source|target)\b")


def sides_of(source: str, target: str, tables: Tables) -> Sides:
    """Return what two sources are called: their frameworks, releases of one, or trainers of one release.

    Args:
        source: Such as ``trl[GRPOTrainer]==1.16.0``.
        target: The same.
        tables: The spec.
    """
    first, second = _SOURCE.fullmatch(source), _SOURCE.fullmatch(target)
    if first is None or second is None:
        return _UNNAMED
    if first["framework"] != second["framework"]:
        names = (first["framework"], second["framework"])
        titles = [tables.title(name) for name in names]
        return titles[0], titles[1]
    for part in ("release", "component"):
        if first[part] != second[part]:
            return first[part] or _UNNAMED[0], second[part] or _UNNAMED[1]
    return _UNNAMED


def sided(what: str, sides: Sides) -> str:
    """Return a difference with the names of its sides in the place of source and target."""
    names = {"source": sides[0], "target": sides[1]}
    only = _ONLY.match(what)
    if only is not None:
        said = f"{only['where'] or ''}{names[only['side']]} only: {what[only.end() :]}"
        return what if sides == _UNNAMED else said
    return _SIDE.sub(lambda found: names[found[1]], what)
