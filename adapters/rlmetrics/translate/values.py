"""Applies a known affine conversion to whatever a logger holds under a name."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["convert", "same"]


def convert(value: Any, scale: float, offset: float) -> Any:
    """Return ``scale * value + offset`` for numbers, lists of numbers and W&B histograms (their bins).

    Raises:
        TypeError: If the value is none of these; None and text such as ``"NaN"`` are returned as they are.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return scale * value + offset
    if isinstance(value, list):
        return [convert(element, scale, offset) for element in value]
    if isinstance(value, dict) and value.get("_type") == "histogram" and isinstance(value.get("bins"), list):
        return {**value, "bins": convert(value["bins"], scale, offset)}
    msg = f"a value of type {type(value).__name__} can't be converted by scale {scale:g} and offset {offset:g}"
    raise TypeError(msg)


def same(first: Any, second: Any) -> bool:
    """Tell whether two logged values are equal; NaN equals NaN, True does not equal 1."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, int | float) and isinstance(second, int | float):
        return first == second or (math.isnan(first) and math.isnan(second))
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(value, second[key]) for key, value in first.items())
    return bool(first == second)
