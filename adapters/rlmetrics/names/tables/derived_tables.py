"""Tables of a framework that derives from another one: kept as what differs from the other's, and made whole here.

See `rlmetrics.codegen.tables.table_differences`, which takes away what a reader can add again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rlmetrics.lazy_typing import Any

from .versions import Releases

__all__ = ["AND", "BASED", "MISSING", "BaseTable", "whole"]

BASED = "based_on"
"""The field that names the base's file, where a table is kept as what differs from it."""

_LISTS = ("notes", "reads", "documented")
_ROWS = ("tracking", "unlogged", "reports")
"""Fields of rows that each hold in some releases."""
_NAMED = ("config", "placeholders", "profiles", "single", "bind")
AND = -1
"""What stands for the facts of the base's row, before others."""
MISSING = "missing"
"""The field for names that the base's table has and this one has not, by field."""


class BaseTable:
    """A component's table of the base, as it is in the derived framework.

    Args:
        data: The table.
        name: The base.
        stem: The file of the table.
        order: Releases of the base.
        derived: Releases of the derived framework.
        under: The base's release under each of these.
    """

    def __init__(
        self,
        data: Mapping[str, Any],
        name: str,
        stem: str,
        order: Releases,
        derived: Releases,
        under: Mapping[str, str],
    ) -> None:
        self._name, self._stem = name, stem
        self._order, self._derived = order, derived
        self._bits = [1 << order.index(under[release]) for release in derived.names]
        self._spans: dict[tuple[str, ...], list[str]] = {}
        self.lists = {field: [*data.get(field, ())] for field in _LISTS}
        self.named = {
            field: {name: self._moved(value) for name, value in data.get(field, {}).items()} for field in _NAMED
        }
        self.pieces = [self._piece(piece) for piece in data.get("pieces", ())]
        self.keys = [self._row(cells) for cells in data.get("keys", ())]
        self.listed = {
            field: [{**row, "releases": self.ranges(row["releases"])} for row in data.get(field, ())] for field in _ROWS
        }

    def ranges(self, ranges: Sequence[str]) -> list[str]:
        """Return ranges of the base's releases as ranges of the derived framework's."""
        asked = tuple(ranges)
        if asked not in self._spans:
            covered = self._order.bits(self._order.covered(asked))
            bits = sum([1 << place for place, bit in enumerate(self._bits) if bit & covered])
            self._spans[asked] = self._derived.ranges(bits)
        return self._spans[asked]

    def _moved(self, value: Any) -> Any:
        """Return what is said under a name; rows, of defaults too, begin with their releases."""
        if isinstance(value, list):
            return [self._ranged(row) for row in value]
        if isinstance(value, dict) and "formerly" in value:
            value = {**value, "formerly": self._ranged(value["formerly"])}
        if isinstance(value, dict) and "defaults" in value:
            rest = {name: item for name, item in value.items() if name != "defaults"}
            rows = [self._ranged(row) for row in value["defaults"] if not row[0] or self.ranges(row[0])]
            return {**rest, "defaults": rows} if rows else rest
        return value

    def _ranged(self, row: Sequence[Any]) -> list[Any]:
        return [self.ranges(row[0]) if row[0] else row[0], *row[1:]]

    def _piece(self, piece: Mapping[str, Any]) -> dict[str, Any]:
        said = dict(piece)
        if "at" in said:
            said["at"] = [f"{self._name}/{at if ':' in at else f'{self._stem}:{at}'}" for at in said["at"]]
        if "parameters" in said:
            said["parameters"] = {name: self._moved(rows) for name, rows in said["parameters"].items()}
        return said

    def _row(self, cells: Sequence[Any]) -> list[Any]:
        fragment = cells[5] if len(cells) > 5 else self._stem
        return [cells[0], cells[1], self.ranges(cells[2]), cells[3], cells[4], f"{self._name}/{fragment}"]


def whole(kept: Mapping[str, Any], base: BaseTable) -> dict[str, Any]:
    """Return a table of which only what differs from the base's is kept."""
    data: dict[str, Any] = {name: kept[name] for name in kept if name not in (BASED, MISSING)}
    for field in _LISTS:
        data[field] = [*base.lists[field], *kept.get(field, ())]
    missing: Mapping[str, Sequence[str]] = kept.get(MISSING, {})
    for field in _NAMED:
        gone = missing.get(field, ())
        inherited = {name: value for name, value in base.named[field].items() if name not in gone}
        data[field] = {**inherited, **kept.get(field, {})}
    data["pieces"] = pieces = [*base.pieces, *kept.get("pieces", ())]
    data["keys"] = keys = [_row(cells, base) for cells in kept.get("keys", ())]
    for field, rows in base.listed.items():
        data[field] = [rows[row] if isinstance(row, int) else row for row in kept.get(field, ())]
    measuring: dict[str, list[int]] = {}
    for number, cells in enumerate(keys):
        for metric in dict.fromkeys(pieces[piece].get("metric") for piece in (cells[3], *cells[4])):
            if metric is not None:
                measuring.setdefault(metric, []).append(number)
    data["measuring"] = measuring
    return data


def _row(cells: Any, base: BaseTable) -> Sequence[Any]:
    """Return a row: that of the base by its number, one with other releases or facts than that, or one of its own."""
    if isinstance(cells, int):
        return base.keys[cells]
    if isinstance(cells[0], int):
        number, ranges, facts = cells
        row = base.keys[number]
        facts = [*row[4], *facts[1:]] if facts[:1] == [AND] else facts
        return [*row[:2], row[2] if ranges == 0 else ranges, row[3], facts, *row[5:]]
    own: Sequence[Any] = cells
    return own
