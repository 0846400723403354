"""Under which names a number goes through the releases of a component, found by what it measures."""

from __future__ import annotations

from collections.abc import Sequence

from ..differences.relations import relate
from ..meanings.key_course import ComponentCourse
from ..tables.key_records import Entry

__all__ = ["followed"]


def followed(course: ComponentCourse, key: str, mode: str, at: str | None = None) -> dict[str, str | None]:
    """Return the name of a number in each release; None where it is not logged.

    Args:
        course: A component in some releases.
        key: The key or template, with the prefix of its mode.
        mode: ``train`` or ``eval``.
        at: A release in which it has that name; the last one that has it, if left out.
    """
    having = course.logging(key, mode)
    if not having:
        return {}
    releases = course.releases
    place = releases.index(at) if at in having else max(map(releases.index, having))
    names = _walked(course, key, mode, releases[place::-1]) | _walked(course, key, mode, releases[place:])
    return {release: names[release] for release in releases}


def _walked(course: ComponentCourse, key: str, mode: str, releases: Sequence[str]) -> dict[str, str | None]:
    """Return the name in releases one after another, by whatever name the number goes on there."""
    names: dict[str, str | None] = {}
    logging = course.logging(key, mode)
    for before, release in zip((None, *releases), releases, strict=False):
        if release not in logging and before is not None and names[before] is not None:
            entry = course.entry(key, mode, before)
            key = key if entry is None else _namesake(course, entry, before, release) or key
            logging = course.logging(key, mode)
        names[release] = key if release in logging else None
    return names


def _namesake(course: ComponentCourse, entry: Entry, release: str, other: str) -> str | None:
    """Return what another release calls a number: a key of the same meaning that this release has not."""
    part, covered = course.part(other), course.table.releases.covered
    rows = [] if part is None or entry.metric is None else part.component.measuring(entry.metric)
    keys = dict.fromkeys([row.key for row in rows if row.mode == entry.mode and other in covered(row.ranges)])
    best: tuple[tuple[int, int, int], str] | None = None
    for key in keys:
        namesake = None if course.rows(key, entry.mode, release) else course.entry(key, entry.mode, other)
        if namesake is None or namesake.key.count("{") != entry.key.count("{"):
            continue
        relation = relate(entry, namesake, course.tables)
        if relation.translates and (best is None or relation.rank < best[0]):
            best = relation.rank, namesake.key
    return None if best is None else best[1]
