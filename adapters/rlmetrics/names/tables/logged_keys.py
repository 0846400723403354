"""Under which conditions a key is logged in every run."""

from __future__ import annotations

from .component_rows import TableRow
from .tables import Tables

__all__ = ["is_always_logged", "logging_guards"]


def is_always_logged(row: TableRow, tables: Tables) -> bool:
    """Tell whether every run logs a number under a key, as far as that can be told."""
    return logging_guards(row, tables) == ()


def logging_guards(row: TableRow, tables: Tables) -> tuple[str, ...] | None:
    """Return the guards under which every run logs a number under a key; None where that can't be told.

    What is shared by many classes is left out: it comes with a run's end, or from elsewhere.
    """
    if row.fragment is not None or row.mode != "train":
        return None
    pieces = (row.record, *row.facts)
    if any(piece.keys() & {"condition", "fails", "route"} for piece in pieces):
        return None
    for piece in pieces:
        if "metric" in piece or "kind" in piece:
            kind = piece.get("kind") or tables.metrics.get(piece.get("metric") or "", {}).get("kind", "scalar")
            if kind != "scalar":
                return None
    return tuple(dict.fromkeys(guard for piece in pieces for guard in piece.get("logged_when", ())))
