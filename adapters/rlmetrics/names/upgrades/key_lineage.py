"""Under which names a number goes through the releases of a component, found by what it measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..differences.relations import relate
from ..meanings.key_course import ComponentCourse
from ..tables.component_rows import metrics_of
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
    having = [release for release in course.releases if course.rows(key, mode, release)]
    if not having:
        return {}
    place = course.releases.index(at if at in having else having[-1])
    names = dict(_walked(course, key, mode, course.releases[place::-1]))
    names.update(_walked(course, key, mode, course.releases[place:]))
    return {release: names[release] for release in course.releases}


def _walked(course: ComponentCourse, key: str, mode: str, releases: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Yield the name in releases one after another, by whatever name the number goes on there."""
    before: tuple[str, Entry] | None = None
    for release in releases:
        if before is not None and not course.rows(key, mode, release):
            key = _namesake(course, before[1], before[0], release) or key
        logged = bool(course.rows(key, mode, release))
        entry = course.entry(key, mode, release) if logged else None
        before = None if entry is None else (release, entry)
        yield release, key if logged else None


def _namesake(course: ComponentCourse, entry: Entry, release: str, other: str) -> str | None:
    """Return what another release calls a number: a key of the same meaning that this release has not."""
    part = course.part(other)
    best: tuple[tuple[int, int, int], str] | None = None
    for row in () if part is None else part.component.at(other):
        if row.mode != entry.mode or entry.metric not in metrics_of(row) or course.rows(row.key, row.mode, release):
            continue
        namesake = course.entry(row.key, row.mode, other)
        if namesake is None or namesake.key.count("{") != entry.key.count("{"):
            continue
        relation = relate(entry, namesake, course.tables)
        if relation.translates and (best is None or relation.rank < best[0]):
            best = relation.rank, namesake.key
    return None if best is None else best[1]
