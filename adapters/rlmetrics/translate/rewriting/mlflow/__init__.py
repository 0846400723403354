"""Writes stores of MLflow with other keys: an SQLite database, or the folder of a run."""

from __future__ import annotations

from collections.abc import Collection

from rlmetrics.logs.kinds.mlflow.database import MlflowDatabase
from rlmetrics.logs.kinds.mlflow.file_store import MlflowRun

from ...translation_options import Options
from .database_rewriter import MlflowDatabaseRewriter
from .file_store_rewriter import MlflowRunRewriter

__all__ = ["mlflow_rewriter"]


def mlflow_rewriter(
    log: MlflowRun | MlflowDatabase, options: Options, only: Collection[str] | None
) -> MlflowRunRewriter | MlflowDatabaseRewriter:
    """Return what writes a store of either form."""
    if isinstance(log, MlflowRun):
        return MlflowRunRewriter(log, options, only)
    return MlflowDatabaseRewriter(log, options, only)
