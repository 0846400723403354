"""What changes from release to release, found once for all pages and languages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from rlmetrics.names import DiffResult, diff
from rlmetrics.names.differences.severity import SEVERITIES
from rlmetrics.names.meanings.key_course import stem_at
from rlmetrics.names.tables.component_rows import TableRow
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.upgrades.causes import SharedCause

__all__ = ["WORST_FIRST", "MigrationStep", "Proof", "changes_something", "components_of", "proof", "steps_of"]

WORST_FIRST = ("look-alike", "biased", "none", "unreviewed", "close", "same")
"""Severities of keys that kept their name; ``none`` is a key that is not logged by default any more."""

assert set(WORST_FIRST) == set(SEVERITIES)


class MigrationStep(NamedTuple):
    """Two releases, one after the other.

    Attributes:
        before: The older one.
        after: The newer one.
        found: What changed, in all components.
    """

    before: str
    after: str
    found: DiffResult


class Proof(NamedTuple):
    """A line of a released source.

    Attributes:
        text: Its file and number.
        address: Where the framework's repository shows it at the tag of the release.
    """

    text: str
    address: str


def changes_something(found: DiffResult) -> bool:
    """Tell whether a release has anything to tell of."""
    told = found.added, found.removed, found.renamed, found.changed, found.classes
    return any(told) or any(item.decides or item.moves for item in found.defaults)


@lru_cache(maxsize=4)
def steps_of(tables: Tables, framework: str) -> tuple[MigrationStep, ...]:
    """Return what each release of a framework changed, oldest first, those that changed nothing included."""
    names = tables.framework(framework).releases.names
    return tuple(
        MigrationStep(
            before, after, diff(f"{framework}=={before}", f"{framework}=={after}", spec=tables, evidence=False)
        )
        for before, after in pairwise(names)
    )


@lru_cache(maxsize=4)
def components_of(tables: Tables, framework: str) -> Mapping[str, tuple[str, ...]]:
    """Return the releases of every component, oldest first; a class that moved to another module is one."""
    table = tables.framework(framework)
    found: dict[str, set[str]] = {}
    for name, _, ranges, _ in table.components:
        found.setdefault(name, set()).update(table.releases.covered(ranges))
    return {name: tuple(sorted(releases, key=table.releases.index)) for name, releases in found.items()}


def proof(tables: Tables, framework: str, cause: SharedCause, before: str | None = None) -> Proof | None:
    """Return the line that shows a cause, at the tag of its release; None where there is none to link.

    Args:
        tables: The spec.
        framework: The framework.
        cause: What changed.
        before: The release before that of the cause, in which what is gone is looked up.
    """
    gone = cause.kind == "trait" and not cause.after
    release = before if gone else cause.release
    if release is None:
        return None
    for component, keys in cause.where:
        found = _line(tables, framework, component, keys[0], release, cause)
        if found is not None:
            return found
    return None


def _line(tables: Tables, framework: str, component: str, key: str, release: str, cause: SharedCause) -> Proof | None:
    table = tables.framework(framework)
    stem = stem_at(table, component, release)
    if stem is None:
        return None
    part = table.component(stem)
    rows = [row for row in part.called(key) if table.releases.covers(row.ranges, release)]
    anchors = [_anchors(row, cause, part.profiles) for row in rows]
    for names in anchors:
        for place in table.evidence(stem, names, release):
            address = table.address(place)
            if address is not None:
                return Proof(f"{place.path.rpartition('/')[2]}:{place.line}", address)
    return None


def _anchors(row: TableRow, cause: SharedCause, profiles: Mapping[str, Any]) -> Sequence[str]:
    """Return the anchors of the statement that says what changed; else those of the key."""
    said = [piece for piece in (*row.facts, row.record) if piece.get("at") and _says(piece, cause, profiles)]
    found: Sequence[str] = said[0]["at"] if said else row.record.get("at", ())
    return found


def _says(piece: Mapping[str, Any], cause: SharedCause, profiles: Mapping[str, Any]) -> bool:
    pieces = (piece, profiles.get(piece.get("profile", ""), {}))
    return any(name in _values(each, cause.kind) for each in pieces for name in _wanted(cause))


def _wanted(cause: SharedCause) -> Iterator[str]:
    if cause.kind == "trait":
        yield cause.name
    elif cause.kind == "reduction":
        yield from cause.name.split(", ")
    else:
        yield str(cause.after)


def _values(piece: Mapping[str, Any], kind: str) -> Sequence[str] | Mapping[str, str]:
    if kind == "trait":
        return [*piece.get("traits", ()), *([piece["population"]] if "population" in piece else ())]
    if kind == "reduction":
        found: Mapping[str, str] = piece.get("reduction", {})
        return found
    name = "reproduced_by" if kind == "formula" else kind
    return [str(piece[name])] if name in piece else []
