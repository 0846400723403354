"""Judges runs: rules over logged metrics, diagnoses that join what they find, and reports.

Everything here runs on the standard library. `Monitor` judges row by row and never raises into training; `check_run`
judges a recorded run of any kind that `rlmetrics.translate` reads.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .judging import check_path
    from .monitor import Monitor
    from .records import Diagnosis, Finding, NotJudged, Report

__all__ = ["Diagnosis", "Finding", "Monitor", "NotJudged", "Report", "check_path"]

_HOME = {
    "Diagnosis": "records",
    "Finding": "records",
    "Monitor": "monitor",
    "NotJudged": "records",
    "Report": "records",
    "check_path": "judging",
}


def __getattr__(name: str) -> object:
    """Import a public name from its module."""
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value: object = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
