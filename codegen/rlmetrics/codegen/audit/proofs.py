"""Whether the anchors of the spec stand where its locks say, in the sources of one release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rlmetrics.names.tables.framework_table import FrameworkTable, statements

from ..locks.anchor_marks import Mark, places_of
from ..locks.packages import Package
from .audit_comparison import Broken

__all__ = ["check_proofs"]


def check_proofs(table: FrameworkTable, package: Package, component: str | None = None) -> tuple[int, list[Broken]]:
    """Hold every place of an anchor that belongs to a release against its sources.

    Args:
        table: The framework.
        package: A release of it.
        component: Only the anchors that this component's keys rest on.

    Returns:
        How many places were looked at, and those that show something else.
    """
    release = next(reversed(table.releases.paired(package.release)), package.release)
    stems: dict[str, None] = {}
    for name, stem, ranges, _ in table.components:
        if component in (None, name) and release in table.releases and table.releases.covers(ranges, release):
            stems.update(dict.fromkeys((stem, *table.component(stem).extends)))
    checked, broken = 0, []
    for stem in stems:
        for anchor, place in _places(table, stem, release):
            path, symbol, offsets, _, said = place
            checked += 1
            problem = _problem(package, path, symbol, said, tuple(offsets))
            if problem is not None:
                line = next((item.line for item in table.evidence(stem, [anchor], release)), 0)
                broken.append(Broken(f"{stem}: {anchor}", path, line, problem))
    return checked, broken


def _places(table: FrameworkTable, stem: str, release: str) -> Iterator[tuple[str, tuple[Any, ...]]]:
    proofs = table.proofs(stem)
    for anchor in proofs.get("anchors", {}):
        places = statements(proofs, anchor, table.releases)
        yield from ((anchor, place) for place in places if table.releases.covers(place[3], release))


def _problem(package: Package, path: object, name: object, said: object, offsets: tuple[object, ...]) -> str | None:
    module = package.module(str(path))
    if module is None:
        return "the release has no such file"
    symbol = module.symbols.get(str(name))
    if symbol is None:
        return f"the file has no {name}"
    fingerprint, _, around = str(said).partition("/")
    first, mark = symbol.statements[0].first, Mark(symbol.name, fingerprint, around)
    moved = tuple(symbol.statements[place].first - first for place in places_of(symbol, mark))
    return None if moved == offsets else f"{name} does not say this any more" if not moved else "it stands elsewhere"
