"""Judges runs: rules over logged metrics, diagnoses that join what they find, and reports.

Everything here runs on the standard library. `Monitor` judges row by row and never raises into training; `check_run`
judges a recorded run of any kind that `rlmetrics.logs` reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rlmetrics.lazy_imports import lazily

if TYPE_CHECKING:
    from .checking import check
    from .monitor import Monitor
    from .report_records import Diagnosis, Finding, NotJudged, Report

__all__ = ["Diagnosis", "Finding", "Monitor", "NotJudged", "Report", "check"]

__getattr__, __dir__ = lazily(
    globals(),
    checking=("check",),
    monitor=("Monitor",),
    report_records=("Diagnosis", "Finding", "NotJudged", "Report"),
)
