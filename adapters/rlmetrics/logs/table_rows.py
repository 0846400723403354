"""Logged rows of a table, whether it has a column for each key or a row for each number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from .reading import LoggedRow, as_step
from .table_layout import TableLayout

__all__ = ["columns_read", "logged_rows"]


def columns_read(layout: TableLayout) -> list[str]:
    """Return the columns of which something is read."""
    needed = (layout.run, layout.step, layout.key, layout.value, *layout.metrics)
    return list(dict.fromkeys(name for name in needed if name is not None))


def logged_rows(
    layout: TableLayout, records: Iterable[Mapping[str, Any]], *, ordered: bool = False
) -> Iterator[LoggedRow]:
    """Yield what one run logged, step by step.

    Args:
        layout: Which columns are what.
        records: The rows of the table that are of this run. Of a long table they may stand in any order of steps: all
            are held until the last came. Of a wide one they are taken as they come.
        ordered: Whether those of a long one are in the order of their steps, so that none needs to be held.
    """
    if layout.is_long:
        yield from _of_points(layout, records, ordered=ordered)
        return
    for record in records:
        values = {name: record[name] for name in layout.metrics if record.get(name) is not None}
        if values:
            yield LoggedRow(None if layout.step is None else as_step(record.get(layout.step)), values)


def _of_points(layout: TableLayout, records: Iterable[Mapping[str, Any]], *, ordered: bool) -> Iterator[LoggedRow]:
    key, value, step = str(layout.key), str(layout.value), layout.step
    points: Iterable[tuple[float | None, str, Any]] = (
        (None if step is None else as_step(record[step]), record[key], record[value])
        for record in records
        if record[key] is not None and record[value] is not None
    )
    if step is None:
        # Without steps, a key that comes again begins the next row.
        yield from _as_they_come(points)
        return
    if not ordered:
        points = sorted(points, key=lambda point: (point[0] is not None, point[0] or 0.0))
    for at, together in groupby(points, key=lambda point: point[0]):
        yield LoggedRow(at, {name: number for _, name, number in together})


def _as_they_come(points: Iterable[tuple[float | None, str, Any]]) -> Iterator[LoggedRow]:
    row: dict[str, Any] = {}
    for _, name, number in points:
        if name in row:
            yield LoggedRow(None, row)
            row = {}
        row[name] = number
    if row:
        yield LoggedRow(None, row)
