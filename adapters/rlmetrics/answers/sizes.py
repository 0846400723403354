"""How large a difference typically is, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlmetrics.names.records import Typical

__all__ = ["typical_words"]

BATCHES = "on reference batches"
"""Where sizes hold: said with every one, since no run is like another."""


def typical_words(typical: Typical | None, target: str | None = None) -> str | None:
    """Return a range of sizes, such as "28 to 66 % lower on reference batches"; None where there is none.

    Args:
        typical: The range.
        target: What to call the side that is ``higher`` or ``lower``.
    """
    if typical is None:
        return None
    unit = "" if typical.unit == "1" else f" {typical.unit}"
    if typical.high == 0:
        return f"no difference {BATCHES}"
    size = f"up to {typical.high:g}" if typical.low == 0 else f"{typical.low:g} to {typical.high:g}"
    if typical.low == typical.high:
        size = f"{typical.high:g}"
    side = f" in {target}" if target and typical.direction else ""
    return f"{size}{unit} {typical.direction or 'apart'}{side} {BATCHES}"
