"""A translation table for columns: which keys may be renamed unseen, and why others are left out.

Nobody looks at what a query gives: a column goes under a new name only where its numbers are the same, or close to it.
"""

from __future__ import annotations

from collections.abc import Iterable

from rlmetrics.lazy_dataclasses import dataclass, field
from rlmetrics.lazy_typing import TYPE_CHECKING
from rlmetrics.translate.translator import UNTRANSLATED

if TYPE_CHECKING:
    from rlmetrics.names import MapRow, Transform
    from rlmetrics.names.mapping.mapping import NameMap

__all__ = ["CarriedColumn", "ColumnMap", "column_map"]

_CARRIED = ("same", "close")
_WHY = {
    "unreviewed": "unreviewed: compare the code before {to} is used for it",
    "biased": "biased: {to} has other numbers; {what}",
}


@dataclass(frozen=True, slots=True)
class CarriedColumn:
    """A column that gets another name.

    Attributes:
        key: Its name.
        to: The new name.
        transform: How its numbers are converted; None if they stay.
        note: In what the two differ; empty if in nothing.
    """

    key: str
    to: str
    transform: Transform | None
    note: str


@dataclass(slots=True)
class ColumnMap:
    """What becomes of columns.

    Attributes:
        source: Where their names come from.
        target: Where they go.
        carried: Those that are renamed, no two to one name.
        left: The others, each with the reason.
        aside: Those of the others whose name means something else in the target, each with a name that means nothing.
    """

    source: str
    target: str
    carried: list[CarriedColumn] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    aside: dict[str, str] = field(default_factory=dict)


def column_map(names: NameMap, keys: Iterable[str]) -> ColumnMap:
    """Return what becomes of columns with some keys as names.

    Args:
        names: The translation.
        keys: Keys of the source, or templates, which no column is called like.
    """
    found = ColumnMap(str(names.from_view.source), str(names.to_view.source))
    claims: dict[str, list[CarriedColumn]] = {}
    for key in dict.fromkeys(keys):
        if "{" in key:
            found.left[key] = "has a part that only the run knows: name the key as it was logged"
            continue
        move = names.translate(key)
        row = move.row
        if row is None or move.target is None:
            found.left[key] = _without_target(row, move.note)
        elif row.severity not in _CARRIED:
            found.left[key] = _WHY[row.severity].format(to=move.target, what=_differences(row))
        else:
            claims.setdefault(move.target, []).append(CarriedColumn(key, move.target, row.transform, _differences(row)))
    for target, columns in claims.items():
        if len(columns) == 1:
            found.carried += columns
            continue
        for column in columns:
            others = ", ".join(other.key for other in columns if other is not column)
            found.left[column.key] = f"{target} is claimed by {others}, too: name the one that the table has"
    source = names.from_view.source
    for key in found.left:
        if "{" not in key and names.to_view.find(key):
            found.aside[key] = f"{UNTRANSLATED}/{source.framework}-{source.release}/{key}"
    return found


def _without_target(row: MapRow | None, note: str | None) -> str:
    if row is None or not row.related:
        return note or "has no counterpart"
    nearest = row.related[0]
    return f"looks like {nearest.to}: {nearest.short or nearest.why}"


def _differences(row: MapRow) -> str:
    """Return what sets two numbers apart, but for what the settings take away."""
    return "; ".join(item.what for item in row.differs_by if item.applies is not False)
