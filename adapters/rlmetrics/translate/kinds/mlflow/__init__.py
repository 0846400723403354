"""Stores of MLflow: an SQLite database, or the folders of runs below ``mlruns``."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from ...logs import Kind, Log
from ...translation_options import Options
from .database import MlflowDatabase, recognises
from .file_store import MlflowRun, members

__all__ = ["KIND"]


def _opened(kind: Kind, path: Path, options: Options, only: Collection[str] | None) -> Log:
    log = MlflowRun if path.is_dir() else MlflowDatabase
    return log(kind, path, options, only)


KIND = Kind("mlflow", recognises, _opened, members, is_database=True, surface="mlflow")
"""New names are shown as MLflow allows them, unless another surface is asked for."""
