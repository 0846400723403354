"""Offsets of anchors as locks write them: where code above only pushed statements down, once for all of them.

Statements of a function that moved together are a part of it. Each is written with its first offset, such as ``+13@a``,
and the part with how many lines it stood further down in which releases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from .lock import Table

__all__ = ["fold", "unfold"]

_PART = "@"
"""Stands between an offset and the part of its symbol."""


class _Row(NamedTuple):
    """An anchor that stands for a statement: how far its equals are from it, and its offset in each release."""

    name: str
    symbol: str
    said: str
    shape: tuple[int, ...]
    places: Mapping[str, int]

    def value(self, offset: int, part: str = "") -> str:
        lines = ",".join(f"{offset + distance:+}" for distance in self.shape)
        return f"{self.symbol} {self.said} {lines}{part}"


def fold(table: Table, releases: Sequence[str]) -> tuple[Table, Table]:
    """Return a table of anchors as it is written, and the table of the parts that moved.

    Args:
        table: The anchors of a file of the package.
        releases: All releases of the lock, oldest first.
    """
    order = {release: place for place, release in enumerate(releases)}
    folded: Table = {}
    moved: Table = {}
    names: dict[str, Iterator[int]] = {}
    parts: dict[str, list[tuple[str, dict[str, int]]]] = {}
    for row in sorted(_rows(table), key=lambda row: _first(row, order)):
        start = row.places[min(row.places, key=order.__getitem__)]
        if len(set(row.places.values())) == 1:
            folded.setdefault(row.name, {}).setdefault(row.value(start), set()).update(row.places)
            continue
        known = parts.setdefault(row.symbol, [])
        name, base = next(((name, base) for name, part in known if (base := _base(row, part)) is not None), ("", None))
        if base is None:
            name, base = f"{_PART}{next(names.setdefault(row.symbol, count(1)))}", start
            known.append((name, {}))
        part = dict(known)[name]
        part.update({release: offset - base for release, offset in row.places.items()})
        folded.setdefault(row.name, {}).setdefault(row.value(base, name), set()).update(row.places)
    for symbol, known in parts.items():
        for name, part in known:
            for release, distance in part.items():
                if distance:
                    moved.setdefault(f"{symbol} {name}", {}).setdefault(f"{distance:+}", set()).add(release)
    return folded, moved


def unfold(table: Table, moved: Table, releases: Sequence[str]) -> Table:
    """Return a table of anchors with the offsets of each release, in their order.

    Raises:
        ValueError: If a value is not as :func:`fold` writes it.
    """
    order = {release: place for place, release in enumerate(releases)}
    unfolded: Table = {}
    for name, values in table.items():
        places: dict[str, set[str]] = {}
        for value, within in values.items():
            before, at, part = value.partition(_PART)
            if not at:
                places.setdefault(value, set()).update(within)
                continue
            symbol, said, lines = before.split(" ")
            left = set(within)
            for distance, others in moved.get(f"{symbol} {at}{part}", {}).items():
                here = left & others
                left -= here
                if here:
                    shown = ",".join(f"{int(line) + int(distance):+}" for line in lines.split(","))
                    places.setdefault(f"{symbol} {said} {shown}", set()).update(here)
            if left:
                places.setdefault(before, set()).update(left)
        unfolded[name] = dict(sorted(places.items(), key=lambda item: (min(map(order.__getitem__, item[1])), item[0])))
    return unfolded


def _rows(table: Table) -> Iterator[_Row]:
    for name, values in table.items():
        found: dict[tuple[str, str, tuple[int, ...]], dict[str, int]] = {}
        for value, releases in values.items():
            symbol, said, lines = value.split(" ")
            first, *others = (int(line) for line in lines.split(","))
            shape = (0, *(line - first for line in others))
            found.setdefault((symbol, said, shape), {}).update(dict.fromkeys(releases, first))
        yield from (_Row(name, *key, places) for key, places in found.items() if places)


def _first(row: _Row, order: Mapping[str, int]) -> tuple[int, int, str, str, tuple[int, ...]]:
    """Return what rows are ordered by, so that another release leaves those before it as they are."""
    earliest = min(row.places, key=order.__getitem__)
    return order[earliest], row.places[earliest], row.name, row.said, row.shape


def _base(row: _Row, part: Mapping[str, int]) -> int | None:
    """Return the offset of a statement that moved with a part, in the part's first releases; None if it did not."""
    bases = {row.places[release] - part[release] for release in row.places.keys() & part.keys()}
    return bases.pop() if len(bases) == 1 else None
