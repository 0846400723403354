"""Which numbers parameters take: some are whole, some have a least value."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Final

__all__ = ["AT_LEAST", "WHOLE", "check_parameters"]

WHOLE: Final = frozenset(["k", "n", "resamples", "seed"])
"""Parameters that are whole numbers."""

AT_LEAST: Final[Mapping[str, float]] = {
    "cap": 0,
    "clip_dual": 0,
    "clip_high": 0,
    "clip_low": 0,
    "clip_range": 0,
    "clip_value": 0,
    "k": 1,
    "n": 1,
    "ratio_cap": 0,
    "resamples": 1,
    "tolerance": 0,
}
"""The least value of parameters that have one."""


def check_parameters(title: str, parameters: Mapping[str, object]) -> None:
    """Check that parameters are numbers within their bounds.

    Args:
        title: Who checks.
        parameters: The parameters by name.

    Raises:
        TypeError: One is None or no number, or is not whole where it must be.
        ValueError: One is NaN or smaller than its least value.
    """
    for name, value in parameters.items():
        if value is None:
            msg = f"{title}: missing parameter {name!r}; expected a number, got None"
            raise TypeError(msg)
        if not isinstance(value, Real):
            msg = f"{title}: {name}: expected a number, got {type(value).__name__}"
            raise TypeError(msg)
        if name in WHOLE and not float(value).is_integer():
            msg = f"{title}: {name}: expected a whole number, got {value}"
            raise TypeError(msg)
        least = AT_LEAST.get(name)
        if least is not None and not float(value) >= least:
            msg = f"{title}: {name}: expected at least {least:g}, got {value}"
            raise ValueError(msg)
