"""The names under which rlmetrics logs what it measures itself: canonical ones, after ``exact/``.

They stand beside a trainer's own numbers, and mean what the spec says in every release.
"""

from __future__ import annotations

from rlmetrics.lazy_typing import TYPE_CHECKING

from ..sources.source import parse_source

if TYPE_CHECKING:
    from ..tables.tables import Tables
    from .canonical import CanonicalView

__all__ = ["EVALUATED", "EXACT", "canonical_of", "is_exact"]

EXACT = "exact/"
EVALUATED = f"eval_{EXACT}"
_SHOWN = {EXACT: "", f"train/{EXACT}": "", EVALUATED: "eval/", f"eval/{EXACT}": "eval/"}
"""How such names begin, as logged and as trackers show them, and how the canonical ones begin."""


def is_exact(name: str) -> bool:
    """Tell whether a name is one under which such a number is logged."""
    return name.startswith((EXACT, EVALUATED))


def canonical_of(name: str, tables: Tables) -> tuple[CanonicalView, str] | None:
    """Return the spec's own names, and that of such a number; None if it is another name, such as a user's."""
    start = next((start for start in _SHOWN if name.startswith(start)), None)
    if start is None:
        return None
    from .canonical import CanonicalView

    view, key = CanonicalView(tables, parse_source("canonical", tables)), _SHOWN[start] + name[len(start) :]
    return (view, key) if view.find(key) else None
