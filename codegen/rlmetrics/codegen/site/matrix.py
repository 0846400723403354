"""What one component logs, release by release: for each key the runs of releases in which it means the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from rlmetrics.names.differences.entry_contrast import contrast
from rlmetrics.names.differences.relations import relate
from rlmetrics.names.differences.severity import severity_of
from rlmetrics.names.meanings.key_course import ComponentCourse
from rlmetrics.names.tables.key_records import Entry
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.upgrades.changes import course_of

from .release_steps import components_of

__all__ = ["Cell", "Matrix", "MatrixLine", "matrix_of"]

_SIDES = ("the old release", "the new one")


class Cell(NamedTuple):
    """Columns in which a key is one and the same thing.

    Attributes:
        start: The first column.
        width: How many columns.
        letter: The meaning, counted from 0 for each key; None where the key is not logged.
        near: Whether it nearly is what it was in the cell before, under the same letter.
        other: Whether it is another metric than at first.
        usual: Whether the release's defaults log it; None where nothing can tell.
    """

    start: int
    width: int
    letter: int | None
    near: bool
    other: bool
    usual: bool | None


class MatrixLine(NamedTuple):
    """A key in one mode.

    Attributes:
        key: As it is logged.
        mode: ``train`` or ``eval``.
        metric: What it measures in the last release that has it.
        bookkeeping: Whether it is a timer or the like.
        cells: What it is, from the first column to the last.
    """

    key: str
    mode: str
    metric: str | None
    bookkeeping: bool
    cells: tuple[Cell, ...]

    @property
    def changed(self) -> bool:
        """Whether it is not one and the same in all releases."""
        return len(self.cells) > 1


class Matrix(NamedTuple):
    """A component through its releases.

    Attributes:
        columns: The releases of each column; from one column to the next something changed.
        lines: Its keys, in the order of the spec.
    """

    columns: tuple[tuple[str, ...], ...]
    lines: tuple[MatrixLine, ...]


class _Stretch(NamedTuple):
    """Releases, by their places in the course, in which a key is the same."""

    first: int
    last: int
    entry: Entry | None


@lru_cache(maxsize=128)
def matrix_of(tables: Tables, framework: str, component: str) -> Matrix:
    """Return the matrix of a component."""
    course = course_of(tables, framework, component)
    assert course.releases == components_of(tables, framework)[component]
    places: dict[tuple[str, str], None] = {}
    for release in reversed(course.releases):
        part = course.part(release)
        assert part is not None
        places.update(dict.fromkeys((row.key, row.mode) for row in part.component.at(release)))
    stretches = {place: list(_stretches(course, *place)) for place in places}
    starts = sorted({0} | {item.first for found in stretches.values() for item in found})
    ends = [*starts[1:], len(course.releases)]
    columns = tuple(course.releases[first:last] for first, last in zip(starts, ends, strict=True))
    column = {first: index for index, first in enumerate(starts)}
    lines = tuple(_line(course, *place, found, column, len(columns)) for place, found in stretches.items())
    return Matrix(columns, lines)


def _stretches(course: ComponentCourse, key: str, mode: str) -> Iterator[_Stretch]:
    """Yield what a key is; statements that change nothing about the number do not count."""
    held: _Stretch | None = None
    at = 0
    for run in course.runs([key], mode):
        last = at + len(run.releases) - 1
        if held is not None and _alike(course, held.entry, run.entry):
            held = held._replace(last=last)
        else:
            if held is not None:
                yield held
            held = _Stretch(at, last, run.entry)
        at = last + 1
    if held is not None:
        yield held


def _alike(course: ComponentCourse, before: Entry | None, after: Entry | None) -> bool:
    if before is None or after is None:
        return before is after
    return not contrast(before, after, course.tables)


def _line(
    course: ComponentCourse, key: str, mode: str, found: Sequence[_Stretch], column: Mapping[int, int], width: int
) -> MatrixLine:
    meanings: list[_Stretch] = []
    cells: list[Cell] = []
    for index, item in enumerate(found):
        start = column[item.first]
        end = column[found[index + 1].first] if index + 1 < len(found) else width
        if item.entry is None:
            cells.append(Cell(start, end - start, None, near=False, other=False, usual=False))
            continue
        letter = next((at for at, known in enumerate(meanings) if _same(course, known, item)), len(meanings))
        if letter == len(meanings):
            meanings.append(item)
        first = meanings[0].entry
        assert first is not None
        near = bool(cells) and cells[-1].letter == letter
        other = item.entry.metric != first.metric
        cells.append(Cell(start, end - start, letter, near, other, item.entry.logged))
    latest = next(item.entry for item in reversed(found) if item.entry is not None)
    tables = course.tables
    quantity = tables.metrics.get(latest.metric or "", {}).get("identity", {}).get("quantity")
    return MatrixLine(key, mode, latest.metric, quantity in tables.signatures["BOOKKEEPING"], tuple(cells))


def _same(course: ComponentCourse, known: _Stretch, item: _Stretch) -> bool:
    """Tell whether a meaning may share a plot with an earlier one, as ``diff`` judges it."""
    assert known.entry is not None
    assert item.entry is not None
    sides = tuple(
        course.circumstances(course.releases[place.last if place is known else place.first]) for place in (known, item)
    )
    relation = relate(known.entry, item.entry, course.tables, _SIDES, (sides[0], sides[1]), over_time=True)
    return relation.transform is None and severity_of(relation) in ("same", "close")
