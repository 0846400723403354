"""Which differences the spec's records can show: for each metric, operations by level and traits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlmetrics.names import Tables

__all__ = ["Wanted", "wanted"]


@dataclass
class Wanted:
    """What records say about one metric, whatever the release and the configuration.

    Attributes:
        operations: Operations by level.
        traits: Ways in which a number departs from the plain one.
        variants: The variants of its function that give such a number.
    """

    operations: dict[str, set[str]] = field(default_factory=dict)
    traits: set[str] = field(default_factory=set)
    variants: set[str] = field(default_factory=set)


def wanted(tables: Tables) -> dict[str, Wanted]:
    """Return what the records of all components say, by metric."""
    found: dict[str, Wanted] = {}
    for framework in tables.frameworks:
        for _, stem, _, _ in tables.framework(framework).components:
            table = tables.framework(framework).component(stem)
            for row in table.rows:
                pieces = [row.record, *row.facts]
                for metric in {str(piece["metric"]) for piece in pieces if piece.get("metric")}:
                    _add(found.setdefault(metric, Wanted()), pieces, table.profiles, tables)
    return found


def _add(one: Wanted, pieces: list[Mapping[str, Any]], profiles: Mapping[str, Any], tables: Tables) -> None:
    for piece in (*pieces, *(profiles[piece["profile"]] for piece in pieces if piece.get("profile") in profiles)):
        for level, operation in piece.get("reduction", {}).items():
            one.operations.setdefault(level, set()).add(operation)
        one.traits.update(_traits(piece, tables))
        if piece.get("reproduced_by"):
            one.variants.add(piece["reproduced_by"])


def _traits(piece: Mapping[str, Any], tables: Tables) -> Iterator[str]:
    yield from piece.get("traits", ())
    yield from (tables.signatures["WITHOUT"][name][1] for name in piece.get("without", ()))
    row = tables.signatures["POPULATIONS"].get(piece.get("population"))
    yield from row[2] if row else ()
