"""Stores of MLflow: an SQLite database, or the folders of runs below ``mlruns``."""

from __future__ import annotations

from pathlib import Path

from ...log import Kind, Log
from .database import MlflowDatabase, recognises
from .file_store import MlflowRun, members

__all__ = ["KIND"]


def _opened(kind: Kind, path: Path) -> Log:
    log = MlflowRun if path.is_dir() else MlflowDatabase
    return log(kind, path)


KIND = Kind("mlflow", recognises, _opened, members, is_database=True, surface="mlflow")
"""Names are shown as MLflow allows them; a translation may ask for another surface."""
