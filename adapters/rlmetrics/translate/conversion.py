"""Applies a known affine conversion to whatever a logger holds under a name."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

from rlmetrics.logs.decimals import Unheld, convert_decimal, convert_float

__all__ = ["convert", "same"]

_STATISTICS = {"min", "max", "mean", "last", "first", "best"}
"""What W&B's summary may hold of a metric in the place of its last value."""

_HISTOGRAMS = {"histogram", "trackio.histogram"}

_OPPOSITES = {"Infinity": "-Infinity", "-Infinity": "Infinity"}
"""How W&B and Trackio store what JSON has no number for."""

_MIRRORED = {"min": "max", "max": "min"}


def convert(value: Any, scale: float, offset: float) -> Any:
    """Return ``scale * value + offset`` for numbers and for what trackers hold many of them in.

    These are tensors, arrays, lists, histograms of W&B and Trackio (their bins are converted), and summaries of W&B.
    Decimals stay decimals, so that converting back gives the same digits; of floats, those of up to 15 digits come
    back.

    Raises:
        TypeError: If the value is none of these; None and text other than an infinity are returned as they are.
    """
    if value is None:
        return value
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Unheld):
        msg = f"{value[:40]} can't be converted: its exponent is beyond every number"
        raise TypeError(msg)
    if isinstance(value, str):
        return _OPPOSITES.get(value, value) if scale < 0 else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        number = convert_float(value, scale, offset)
        if math.isinf(number) and isinstance(value, int):
            msg = f"an integer of {value.bit_length()} bits can't be converted"
            raise TypeError(msg)
        return number
    if isinstance(value, Decimal):
        return convert_decimal(value, scale, offset)
    if isinstance(value, list):
        return [convert(element, scale, offset) for element in value]
    if isinstance(value, dict) and value.get("_type") in _HISTOGRAMS:
        return _histogram(value, scale, offset)
    if isinstance(value, dict) and value and value.keys() <= _STATISTICS:
        converted = {name: convert(number, scale, offset) for name, number in value.items()}
        return {_MIRRORED.get(name, name) if scale < 0 else name: number for name, number in converted.items()}
    msg = f"a value of type {type(value).__name__} can't be converted by scale {scale:g} and offset {offset:g}"
    raise TypeError(msg)


def _histogram(value: dict[str, Any], scale: float, offset: float) -> dict[str, Any]:
    """Convert the edges of the bins, and turn the bins around where the sign changes."""
    counts = value.get("values")
    turned = {"values": counts[::-1]} if scale < 0 and isinstance(counts, list) else {}
    packed = value.get("packedBins")
    if isinstance(packed, dict) and packed.keys() >= {"min", "size", "count"}:
        ends = [packed["min"], packed["min"] + packed["size"] * packed["count"]]
        low = min(convert(ends, scale, offset))
        return {
            **value,
            **turned,
            "packedBins": {**packed, "min": low, "size": convert(packed["size"], abs(scale), 0.0)},
        }
    if not isinstance(value.get("bins"), list):
        msg = f"a histogram without bins can't be converted by scale {scale:g} and offset {offset:g}"
        raise TypeError(msg)
    bins = convert(value["bins"], scale, offset)
    return {**value, **turned, "bins": bins[::-1] if scale < 0 else bins}


def same(first: Any, second: Any) -> bool:
    """Tell whether two logged values are equal; NaN equals NaN, True does not equal 1."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    first, second = (value.tolist() if hasattr(value, "tolist") else value for value in (first, second))
    if isinstance(first, int | float) and isinstance(second, int | float):
        return first == second or (first != first and second != second)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(value, second[key]) for key, value in first.items())
    return bool(first == second)
