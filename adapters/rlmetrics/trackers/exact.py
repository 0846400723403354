"""The names of numbers that were measured beside those of the trainer: canonical ones, with ``exact/`` before them."""

from __future__ import annotations

import math
from collections.abc import Mapping

__all__ = ["EVALUATED", "EXACT", "exact", "is_exact"]

EXACT = "exact/"
EVALUATED = f"eval_{EXACT}"


def is_exact(name: str) -> bool:
    """Tell whether a name is that of such a number."""
    return name.startswith((EXACT, EVALUATED))


def exact(numbers: Mapping[str, float], prefix: str = EXACT) -> dict[str, float]:
    """Return numbers under the names they are logged by, without those that are NaN."""
    return {
        name if is_exact(name) else f"{prefix}{name}": float(value)
        for name, value in numbers.items()
        if not math.isnan(value)
    }
