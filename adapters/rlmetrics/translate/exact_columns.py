"""Conversions of columns of PyArrow, each number as the decimal that stands for it: what logs of text are given."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from rlmetrics.logs.decimals import convert_decimal

__all__ = ["converted_column"]

_HELD = 22
"""Powers of ten of which an exponent is all that changes in a spelled number."""
_PLAIN = r"^-?[0-9]+(\.[0-9]*)?$"


def converted_column(values: Any, scale: float, offset: float) -> Any:
    """Return ``scale * value + offset`` of numbers of PyArrow, rounded once, as wide as they are or as float64.

    A number stands for its shortest decimal, so that those of up to 15 digits come back.
    """
    import pyarrow as pa
    from pyarrow import compute

    own = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    kind = own.type if pa.types.is_float32(own.type) else pa.float64()
    there = own.is_valid()
    texts = own.drop_null().cast(pa.string())
    power = None if offset else _power_of_ten(scale)
    if power is None:
        found = pa.array([_converted(text, scale, offset) for text in texts.to_pylist()], kind)
    else:
        plain = compute.match_substring_regex(texts, _PLAIN)  # pyright: ignore[reportAttributeAccessIssue]
        shifted = compute.binary_join_element_wise(texts.filter(plain), f"e{power}", "")  # pyright: ignore[reportAttributeAccessIssue]
        rest = texts.filter(compute.invert(plain)).to_pylist()  # pyright: ignore[reportAttributeAccessIssue]
        found = compute.replace_with_mask(  # pyright: ignore[reportAttributeAccessIssue]
            pa.nulls(len(texts), kind), plain, shifted.cast(kind)
        )
        others = pa.array([_converted(text, scale, offset) for text in rest], kind)
        found = compute.replace_with_mask(found, compute.invert(plain), others)  # pyright: ignore[reportAttributeAccessIssue]
    return compute.replace_with_mask(pa.nulls(len(own), kind), there, found)  # pyright: ignore[reportAttributeAccessIssue]


def _converted(text: str, scale: float, offset: float) -> float:
    return float(convert_decimal(Decimal(text), scale, offset))


def _power_of_ten(scale: float) -> int | None:
    """Return which power of ten a scale is; None if it is none."""
    power = round(math.log10(scale)) if scale > 0 and math.isfinite(scale) else _HELD + 1
    return power if abs(power) <= _HELD and float(f"1e{power}") == scale else None
