"""Arithmetic in expressions of dashboards: what brings converted values back, and what undoes that again."""

from __future__ import annotations

import math
import re

from rlmetrics.names.tables.key_records import Transform

__all__ = ["inverted", "unwrapped"]

_NUMBER = r"-?(?:[0-9][0-9.]*(?:e[+-]?[0-9]+)?|inf)"
_SHIFTED = re.compile(rf" - \(({_NUMBER})\)\)")
_DIVIDED = re.compile(rf" / (?:({_NUMBER})|\(({_NUMBER})\))\)")
_TOLERANCE = 1e-12
"""How far the scales of two directions may be from each other's inverse: each was rounded."""


def inverted(name: str, transform: Transform) -> str:
    """Return an expression for the old value in terms of the new name."""
    shifted = name if transform.offset == 0 else f"({name} - ({transform.offset!r}))"
    divisor = repr(transform.scale) if transform.scale > 0 else f"({transform.scale!r})"
    return shifted if transform.scale == 1 else f"({shifted} / {divisor})"


def unwrapped(text: str, start: int, end: int, transform: Transform) -> tuple[int, int] | None:
    """Return the span of what `inverted` made of a name, if ``transform`` undoes it, so that a name can stand there.

    Args:
        text: The expression.
        start: Where the name begins, with all that belongs to it.
        end: Where it ends.
        transform: How the values of the name change.
    """
    scale, offset = 1.0, 0.0
    if (shift := _SHIFTED.match(text, end)) and text[start - 1 : start] == "(":
        start, end, offset = start - 1, shift.end(), float(shift[1])
    if (shift := _DIVIDED.match(text, end)) and text[start - 1 : start] == "(":
        start, end, scale = start - 1, shift.end(), float(shift[1] or shift[2])
    undone = math.isclose(transform.scale * scale, 1.0, rel_tol=_TOLERANCE) and math.isclose(
        transform.offset, -offset * transform.scale, rel_tol=_TOLERANCE
    )
    return (start, end) if undone and (scale, offset) != (1.0, 0.0) else None
