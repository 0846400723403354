"""The facts of all functions, from the tests that were generated."""

from __future__ import annotations

from importlib import import_module

from metric_checks import Case
from metric_selection import BY_FAMILY

__all__ = ["CASES"]

CASES: dict[str, Case] = {
    case.id: case for family in BY_FAMILY for case in import_module(f"generated.test_{family}").CASES
}
"""By the function's key."""
