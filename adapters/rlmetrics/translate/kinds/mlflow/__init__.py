"""Stores of MLflow: an SQLite database, or the folders of runs below ``mlruns``."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ...errors import InputError
from ...report import Report
from ...translator import Translator
from . import database, files
from .files import members

__all__ = ["SURFACE", "members", "names", "recognises", "runs", "translate"]

SURFACE = "mlflow"
"""New names are shown as MLflow allows them, unless another surface is asked for."""


def recognises(path: Path) -> bool:
    """Tell whether ``path`` is a database of MLflow."""
    return database.recognises(path)


def names(path: Path) -> set[str]:
    """Return the keys of a run's folder, or of all runs of a database."""
    return files.names(path) if path.is_dir() else database.names(path)


def runs(path: Path) -> dict[str, set[str]]:
    """Return the keys of each run of a database, by its id."""
    return {} if path.is_dir() else database.runs(path)


def translate(
    path: Path, output: Path, translator: Translator, report: Report, only: Collection[str] | None = None
) -> None:
    """Write a copy of a store with its keys translated; of a database, those of some runs, if they are named.

    Values, times and steps stay; conversions apply to values. Parameters, tags, inputs and artifacts are copied.

    Raises:
        InputError: If the store is damaged, or MLflow doesn't allow a new name.
    """
    if path.is_dir():
        if not members(path):
            msg = "is no folder of a run as MLflow keeps it: it has no meta.yaml with a run_id beside its metrics"
            raise InputError(msg, path)
        files.translate(path, output, translator, report)
    else:
        database.translate(path, output, translator, report, only)
