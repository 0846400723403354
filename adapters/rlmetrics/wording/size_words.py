"""How large a difference typically is, in words."""

from __future__ import annotations

from collections.abc import Sequence

from rlmetrics.lazy_dataclasses import replace
from rlmetrics.lazy_typing import TYPE_CHECKING

from .voice import later, phrase

if TYPE_CHECKING:
    from rlmetrics.names.tables.key_records import Typical

__all__ = ["spanned_words", "spoken_size", "typical_words"]

_SIDES = {
    "higher": later("{size} higher on reference batches"),
    "lower": later("{size} lower on reference batches"),
    None: later("{size} on reference batches"),
}
BATCHES = "on reference batches"
"""Where sizes hold: said with every one, since no run is like another."""


def typical_words(typical: Typical | None) -> str | None:
    """Return a range of sizes, such as "28–66 % lower on reference batches"; None where there is none."""
    if typical is None:
        return None
    if typical.high == 0:
        return f"no difference {BATCHES}"
    direction = f" {typical.direction}" if typical.direction else ""
    return f"{_range(typical)}{direction} {BATCHES}"


def spoken_size(typical: Typical) -> str:
    """Return a range of sizes in the language that is spoken."""
    return phrase(_SIDES[typical.direction], size=_range(typical))


def spanned_words(typicals: Sequence[Typical | None]) -> str | None:
    """Return one range for a difference that several keys share; None where none of them has one.

    Shares of the number go before other units, which cannot be put together. Where not all keys have such a share,
    the words say how many do.

    Args:
        typicals: The range of each key, None for a key without one.
    """
    known = [each for each in typicals if each is not None]
    units = sorted({each.unit for each in known}, key=lambda unit: unit != "%")
    alike = [each for each in known if each.unit == units[0]]
    if not alike or (units[0] != "%" and len(units) > 1):
        return None
    low, high = min(each.low for each in alike), max(each.high for each in alike)
    sides = {each.direction for each in alike}
    whole = replace(alike[0], low=low, high=high, direction=sides.pop() if len(sides) == 1 else None)
    words = typical_words(whole)
    return words if len(alike) == len(typicals) else f"{words}, {len(alike)} of {len(typicals)} keys"


def _range(typical: Typical) -> str:
    unit = "" if typical.unit == "1" else f" {typical.unit}"
    if typical.low == typical.high:
        return f"{typical.high:g}{unit}"
    return f"up to {typical.high:g}{unit}" if typical.low == 0 else f"{typical.low:g}–{typical.high:g}{unit}"
