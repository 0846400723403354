"""The rows of a release strip: which trainers log something, under which names, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rlmetrics.names.tables.framework_table import FrameworkTable
from rlmetrics.names.tables.key_records import Evidence

from .lives import Life, LifePiece

__all__ = ["TrainerRow", "rows_of_key", "rows_of_metric", "spans"]


class TrainerRow(NamedTuple):
    """A row: trainers that share it, and what they log.

    Attributes:
        names: The trainers.
        items: What they log, oldest first, without overlaps.
        first: The place of the first release that has these trainers.
        last: The place of the last one.
    """

    names: tuple[str, ...]
    items: tuple[tuple[Life, LifePiece], ...]
    first: int
    last: int


def rows_of_key(lives: Sequence[Life]) -> list[TrainerRow]:
    """Return a row for each trainer that logs a key; trainers that share their code share a row."""
    return _together([_row(life.component, [(life, piece) for piece in life.pieces]) for life in lives])


def rows_of_metric(lives: Sequence[Life], metric: str, others: Sequence[Life] = ()) -> list[TrainerRow]:
    """Return the rows of a metric in one framework: what each trainer calls it, one name after the other.

    Args:
        lives: What is logged of the metric.
        metric: Its canonical name.
        others: Keys that are another metric; told where a row has room for them.
    """
    rows: list[tuple[str, list[tuple[Life, LifePiece]]]] = []
    for life in sorted(lives, key=lambda item: _first(item, metric)):
        own = [(life, piece) for piece in life.pieces]
        fitting = (row for name, row in rows if name == life.component and not _overlap(row, own))
        row = next(fitting, None)
        if row is None:
            rows.append((life.component, own))
        else:
            row += own
    for life in others:
        own = [(life, piece) for piece in life.pieces]
        row = next((row for name, row in rows if name == life.component and not _overlap(row, own)), None)
        if row is None:
            rows.append((life.component, own))
        else:
            row += own
    order = {name: at for at, name in enumerate(dict.fromkeys(life.component for life in (*lives, *others)))}
    rows.sort(key=lambda item: order[item[0]])
    return _together([_row(name, sorted(items, key=lambda item: item[1].first)) for name, items in rows])


def _first(life: Life, metric: str) -> int:
    return min(piece.first for piece in life.pieces if piece.entry.metric == metric)


def _overlap(row: Sequence[tuple[Life, LifePiece]], other: Sequence[tuple[Life, LifePiece]]) -> bool:
    return any(one.first <= two.last and two.first <= one.last for _, one in row for _, two in other)


def _row(name: str, items: Sequence[tuple[Life, LifePiece]]) -> TrainerRow:
    first, last = items[0][0].existence
    return TrainerRow((name,), tuple(items), first, last)


def _together(rows: Sequence[TrainerRow]) -> list[TrainerRow]:
    """Return rows, those of trainers that log the same from the same lines as one."""
    found: dict[object, TrainerRow] = {}
    for row in rows:
        told = tuple((life.key, *piece[:2], *piece[3:], piece.entry.metric) for life, piece in row.items)
        lines = tuple(line and (line.path, line.line) for line in _lines(row))
        place = (row.first, row.last, told, lines)
        same = found.get(place)
        found[place] = row if same is None else same._replace(names=(*same.names, *row.names))
    return list(found.values())


def _lines(row: TrainerRow) -> Iterator[Evidence | None]:
    for life, piece in row.items:
        for place in range(piece.first, piece.last + 1):
            yield life.line(place)


def spans(pieces: Sequence[tuple[int, int]], table: FrameworkTable) -> str:
    """Return places of releases as ranges, such as ``0.9.2 – 0.12.2``.

    Args:
        pieces: First and last places, in order.
        table: The framework.
    """
    names = table.releases.names
    joined: list[list[int]] = []
    for first, last in sorted(pieces):
        if joined and first <= joined[-1][1] + 1:
            joined[-1][1] = max(joined[-1][1], last)
        else:
            joined.append([first, last])
    return ", ".join(names[a] if a == b else f"{names[a]} – {names[b]}" for a, b in joined)
