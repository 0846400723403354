"""Tables of derived frameworks as what differs from their base's, so that nothing of the base is kept twice."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rlmetrics.names.tables.derived_tables import AND, BASED, MISSING, BaseTable
from rlmetrics.names.tables.versions import Releases

from ..meaning.resolution import chain
from .data import Row, Table, row

if TYPE_CHECKING:
    from ..spec import FrameworkBase, Spec

__all__ = ["kept_apart"]


def kept_apart(spec: Spec, tables: Mapping[str, Table]) -> dict[str, Table]:
    """Return tables with those of derived frameworks as what differs from the base's.

    Args:
        spec: The spec.
        tables: All tables, as JSON has them.
    """
    result = dict(tables)
    for name, framework in spec.frameworks.items():
        base = framework.base
        for stem, file in framework.files.items() if base is not None else ():
            if file.components and base is not None:
                parts = [part.partition("/")[2] for part in chain(framework.known, stem) if "/" in part]
                near = next((part for part in parts if base.spec.files[part].components), None)
                if near is not None:
                    table = tables[f"frameworks/{name}/{stem}"]
                    of_base = tables[f"frameworks/{base.name}/{near}"].data
                    result[f"frameworks/{name}/{stem}"] = Table(table.source, _kept(table.data, of_base, base, near))
    return result


def _kept(data: Mapping[str, Any], of_base: Mapping[str, Any], base: FrameworkBase, stem: str) -> Row:
    derived = Releases(base.releases)
    known = BaseTable(of_base, base.name, stem, Releases(base.spec.releases), derived, base.under)
    numbers = {field: _Numbers(known.lists[field]) for field in known.lists}
    moved = {field: [numbers[field].of(item) for item in data.get(field, ())] for field in known.lists}
    pieces = _Numbers(known.pieces)
    placed = [pieces.of(_renumbered(piece, moved)) for piece in data.get("pieces", ())]
    rows = _Rows(known)
    keys = [
        rows.of([*cells[:3], placed[cells[3]], [placed[fact] for fact in cells[4]], *cells[5:]])
        for cells in data["keys"]
    ]
    named = {
        field: {name: value for name, value in data.get(field, {}).items() if value != known.named[field].get(name)}
        for field in known.named
    }
    missing = {
        field: gone
        for field in known.named
        if (gone := [name for name in known.named[field] if name not in data.get(field, {})])
    }
    listed = {name: _Numbers(rows).by_number(data.get(name, ())) for name, rows in known.listed.items()}
    own = {
        name: data[name] for name in ("title", "brief", "program", "extends", "modes", "eval_prefix") if name in data
    }
    return row(
        **{BASED: stem, MISSING: missing},
        **own,
        **named,
        **{field: numbers[field].added for field in numbers},
        pieces=pieces.added,
        keys=keys,
        **listed,
    )


class _Numbers:
    """Numbers of values: those that the base has, and then others in the order in which they come.

    Args:
        known: What the base has.
    """

    def __init__(self, known: Sequence[Any]) -> None:
        self._first = len(known)
        self._numbers: dict[str, int] = {}
        for number, value in enumerate(known):
            self._numbers.setdefault(_text(value), number)
        self.added: list[Any] = []

    def of(self, value: Any) -> int:
        """Return the number of a value, which is added if it is new."""
        text = _text(value)
        if text not in self._numbers:
            self._numbers[text] = self._first + len(self.added)
            self.added.append(value)
        return self._numbers[text]

    def by_number(self, values: Sequence[Any]) -> list[Any]:
        """Return values, those of the base by their numbers."""
        return [self._numbers.get(_text(value), value) for value in values]


class _Rows:
    """Rows of keys, those that are a row of the base by its number."""

    def __init__(self, base: BaseTable) -> None:
        self._base = base
        self._numbers: dict[str, list[int]] = {}
        for number, cells in enumerate(base.keys):
            self._numbers.setdefault(_text([*cells[:2], cells[3], *cells[5:]]), []).append(number)

    def of(self, cells: list[Any]) -> Any:
        """Return a row in its shortest form."""
        near = self._numbers.get(_text([*cells[:2], cells[3], *cells[5:]]), ())
        ways = [(number, self._base.keys[number]) for number in near]
        for number, row_ in ways:
            if row_[2] == cells[2] and row_[4] == cells[4]:
                return number
        for number, row_ in ways:
            ranges = 0 if row_[2] == cells[2] else cells[2]
            if ranges == 0 or len(ways) == 1:
                more = cells[4][len(row_[4]) :]
                return [number, ranges, [AND, *more] if cells[4] == [*row_[4], *more] else cells[4]]
        return cells


def _renumbered(piece: Mapping[str, Any], moved: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    return {name: [moved[name][at] for at in value] if name in moved else value for name, value in piece.items()}


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
