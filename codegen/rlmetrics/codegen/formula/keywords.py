"""Keyword arguments that must be written out, because states of different values could not merge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .domains import LetScope
from .syntax import Expression, FormulaLiteral, Unary

__all__ = ["bins", "ddof", "level", "literal"]

MAX_BINS: Final = 10_000


def literal(at: Expression) -> int | float | None:
    """Return the number that an expression spells out, with an optional minus."""
    if isinstance(at, Unary) and at.operator == "-":
        value = literal(at.operand)
        return None if value is None else -value
    if isinstance(at, FormulaLiteral) and not isinstance(at.value, bool):
        return at.value
    return None


def ddof(given: Mapping[str, Expression], scope: LetScope) -> int:
    """Return what is subtracted from the count in a variance; 1 if nothing is said.

    Raises:
        FormulaError: It is neither 0 nor 1.
    """
    if "ddof" not in given:
        return 1
    value = literal(given["ddof"])
    if value not in (0, 1):
        raise scope.error(given["ddof"], "`ddof` must be 0 or 1", "write ddof=0 (by n) or ddof=1 (by n - 1)")
    return int(value)


def level(given: Mapping[str, Expression], scope: LetScope) -> float:
    """Return the share of a population that lies below a quantile.

    Raises:
        FormulaError: It is no number between 0 and 1.
    """
    value = literal(given["level"])
    if value is None or not 0 <= value <= 1:
        raise scope.error(given["level"], "`level` must be a number from 0 to 1", "write such as level=0.5")
    return float(value)


def bins(given: Mapping[str, Expression], scope: LetScope) -> tuple[float, float, int]:
    """Return the lower end, the upper end and the number of bins.

    Raises:
        FormulaError: One is no literal, or there is nothing between the ends.
    """
    ends: list[float] = []
    for name in ("low", "high"):
        value = literal(given[name])
        if value is None:
            raise scope.error(given[name], f"`{name}` must be a number", "write a literal: bins of states must agree")
        ends.append(float(value))
    low, high = ends
    number = literal(given["bins"])
    if not isinstance(number, int) or not 1 <= number <= MAX_BINS:
        message = f"`bins` must be a whole number from 1 to {MAX_BINS}"
        raise scope.error(given["bins"], message, "write such as bins=50")
    if not low < high:
        raise scope.error(given["high"], f"`high` ({high:g}) is not above `low` ({low:g})", "swap or widen them")
    return low, high, number
