"""Conversions in decimal digits, as logs spell them, so that converting back gives the same digits."""

from __future__ import annotations

import json
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, DecimalException, InvalidOperation
from functools import lru_cache
from math import isfinite
from typing import Any

__all__ = [
    "Unheld",
    "convert_decimal",
    "convert_float",
    "float_terms",
    "number",
    "printed",
    "quoted",
    "spelled",
    "written",
]

_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LONGEST = 10_000
"""Digits of a sum: those of a huge and a tiny number could fill the memory."""
_SUM = Context(prec=_LONGEST, Emax=MAX_EMAX, Emin=MIN_EMIN)
_GUARDED = 21
"""Digits of a quotient that has no end."""
_FLOAT = 17
"""Digits that tell any float64 from others; a number of more may be such a quotient."""
_TERMS = 10_000
"""Largest denominator of a scale that is taken for the ratio it was rounded from."""
_ROUNDING = 1 << 50
"""How many times larger than what rounding changes of it a scale is at least."""
_WRITTEN_OUT = 16
"""Up to which power of ten decimals are written without an exponent."""


class Unheld(str):
    """A number as it is spelled, because its exponent is beyond what decimals hold: it can be copied, not converted."""

    __slots__ = ()


def number(text: str) -> Decimal | Unheld:
    """Return the number that a text spells, with all its digits."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return Unheld(text)


def convert_decimal(value: Decimal, scale: float, offset: float) -> Decimal:
    """Return ``scale * value + offset``.

    It is exact where the scale is a decimal, such as 0.0001, and so is its inverse. By other ratios, such as 1/3,
    numbers of up to 17 digits come back.

    Raises:
        TypeError: If the result is beyond what decimals hold.
    """
    try:
        return _converted(value, scale, offset)
    except DecimalException:
        msg = f"{value:.6e} can't be converted: the result is beyond every number"
        raise TypeError(msg) from None


def _converted(value: Decimal, scale: float, offset: float) -> Decimal:
    if not value.is_finite():
        return _EXACT.add(_EXACT.multiply(value, Decimal(scale)), Decimal(offset))
    factor, denominator, returns = _factors(scale)
    product = _EXACT.multiply(value, factor)
    if denominator is not None:
        digits = max(_GUARDED, len(value.as_tuple().digits) + 4)
        product = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN).divide(product, denominator)
    if not returns and len(value.as_tuple().digits) > _FLOAT:
        product = _proper(product)
    return _EXACT.normalize(_SUM.add(product, Decimal(repr(offset))) if offset else product)


def convert_float(value: float, scale: float, offset: float) -> float:
    """Return the float64 next to ``scale * value + offset``, where ``value`` stands for its shortest decimal.

    Numbers of up to 15 digits come back from it.
    """
    if type(value) is float and not offset and isfinite(value):
        factor, denominator, _ = _factors(scale)
        if denominator is None:
            return float(_EXACT.multiply(Decimal(repr(value)), factor))
    return float(convert_decimal(Decimal(value) if isinstance(value, int) else Decimal(repr(value)), scale, offset))


def float_terms(scale: float) -> tuple[float, float]:
    """Return what to multiply floats by, and divide them by, for a scale that was rounded from a ratio."""
    factor, denominator, _ = _factors(scale)
    return float(factor), 1.0 if denominator is None else float(denominator)


def spelled(value: Decimal) -> str:
    """Return a number as JSON, with all its digits."""
    if not value.is_finite():
        return "NaN" if value.is_nan() else "Infinity" if value > 0 else "-Infinity"
    if not value:
        return "-0.0" if value.is_signed() else "0"
    return f"{value:f}" if abs(value.adjusted()) <= _WRITTEN_OUT else str(value)


def printed(value: Decimal) -> str:
    """Return a number as Python prints floats, with all its digits."""
    text = repr(float(value))
    return text if not value.is_finite() or Decimal(text) == value else spelled(value)


def written(value: Any) -> str:
    """Return a value as JSON, with all digits of the decimals in it."""
    if isinstance(value, Decimal):
        return spelled(value)
    if isinstance(value, Unheld):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(name)}: {written(entry)}' for name, entry in value.items())}}}"
    return json.dumps(value)


def quoted(text: str, *, is_ascii: bool) -> str:
    """Return a text as JSON, in ASCII if that is wanted, or if it holds half a pair, which no encoding can."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(text)
    return json.dumps(text, ensure_ascii=is_ascii)


@lru_cache(maxsize=256)
def _factors(scale: float) -> tuple[Decimal, Decimal | None, bool]:
    """Return a scale as the ratio that it was rounded from, and whether a division by its numerator has an end.

    A ratio of which the decimal digits end is one factor, without a denominator.
    """
    from fractions import Fraction  # few values are converted

    ratio = Fraction(repr(scale))
    near = ratio.limit_denominator(_TERMS)
    if not near:
        near = 1 / (1 / ratio).limit_denominator(_TERMS)
    if abs(near - ratio) * _ROUNDING <= abs(ratio):
        ratio = near
    numerator, denominator = Decimal(ratio.numerator), Decimal(ratio.denominator)
    returns = _is_decimal(ratio.numerator)
    if not _is_decimal(ratio.denominator):
        return numerator, denominator, returns
    quotient = Context(prec=_LONGEST, Emax=MAX_EMAX, Emin=MIN_EMIN).divide(Decimal(1), denominator)
    return _EXACT.multiply(numerator, quotient), None, returns


def _is_decimal(term: int) -> bool:
    """Tell whether one divided by ``term`` has an end in decimal digits."""
    for factor in (2, 5):
        while term and term % factor == 0:
            term //= factor
    return abs(term) == 1


def _proper(value: Decimal) -> Decimal:
    """Return the number of fewer digits that ``value`` was before it was divided, if it is as near as that."""
    near = Context(prec=_FLOAT + 1, Emax=MAX_EMAX, Emin=MIN_EMIN).plus(value)
    apart = _EXACT.subtract(value, near)
    return near if apart.is_zero() or apart.adjusted() < value.adjusted() - _FLOAT - 1 else value
