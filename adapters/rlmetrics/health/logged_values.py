"""What a logged value is: a number, no number at all, or a number that got lost, in every way that loggers write it."""

from __future__ import annotations

import math
import re
from typing import Any, Final

__all__ = ["LOST", "NULL", "TEXT", "number_of"]

LOST: Final = math.nan
"""NaN or an infinity, whatever it was written as."""

NULL: Final = "null"
"""No value where others have one: NaN, as some loggers write it, or nothing was logged."""

TEXT: Final = "text"
"""No number: a text, a picture, a table, a histogram."""

_LOST_WORDS = {"nan", "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity", "1.#qnan", "1.#inf", "-1.#ind"}
_NULL_WORDS = {"", "null", "none", "na", "n/a", "<na>"}


_GROUPED = re.compile(r"[+-]?[1-9]\d{0,2}(?:(?:,\d{3})+\.\d+|(?:,\d{3}){2,})")
"""A number whose thousands spreadsheets set apart, where the comma can be nothing else: ``1,024`` may be a fraction."""


def number_of(value: Any) -> float | str:
    """Return a finite number, ``LOST``, ``NULL`` or ``TEXT``."""
    kind = type(value)
    if kind is float or kind is int:
        number = float(value) if kind is float or abs(value) < 2**1000 else math.nan
        return number if math.isfinite(number) else LOST
    if value is None:
        return NULL
    if kind is bool or isinstance(value, dict | list | tuple | set | bytes):
        return TEXT
    if isinstance(value, str):
        return _spelled(value)
    try:
        number = float(value)
    except Exception:
        return TEXT
    return number if math.isfinite(number) else LOST


def _spelled(text: str) -> float | str:
    word = text.strip().lower()
    if word in _LOST_WORDS:
        return LOST
    if word in _NULL_WORDS:
        return NULL
    if not word[:1].isdigit() and word[:1] not in "+-.":
        return TEXT
    try:
        number = float(word.replace(",", "") if _GROUPED.fullmatch(word) else word)
    except ValueError:
        return TEXT
    return number if math.isfinite(number) else LOST
