"""Numbers that were measured beside those of the trainer, under the names they are logged by."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rlmetrics.names.meanings.exact_names import EXACT, is_exact

__all__ = ["exact"]


def exact(numbers: Mapping[str, float], prefix: str = EXACT) -> dict[str, float]:
    """Return numbers under the names they are logged by, without those that are NaN."""
    return {
        name if is_exact(name) else f"{prefix}{name}": float(value)
        for name, value in numbers.items()
        if not math.isnan(value)
    }
