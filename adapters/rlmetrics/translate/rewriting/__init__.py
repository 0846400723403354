"""What writes copies of logs with other names, and which class does it for which kind.

A new kind that is to be translated is a module here and a line in ``REWRITERS``; what reads it is in `rlmetrics.logs`.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib import import_module
from typing import Any

from rlmetrics.logs.log import Log

from ..translation_options import Options
from .log_rewriter import LogRewriter

__all__ = ["REWRITERS", "rewriter_of"]

REWRITERS = {
    "tensorboard": "tensorboard.EventFilesRewriter",
    "wandb": "wandb.OfflineRunRewriter",
    "trackio": "trackio_rewriter.TrackioRewriter",
    "mlflow": "mlflow.mlflow_rewriter",
    "parquet": "parquet_rewriter.ParquetRewriter",
    "notebook": "notebook_rewriter.NotebookRewriter",
    "dvclive": "dvclive_rewriter.DvcliveRewriter",
    "tensorboard-download": "tensorboard_download_rewriter.DownloadRewriter",
    "json-curves": "json_curves_rewriter.JsonCurvesRewriter",
    "trainer-state": "trainer_state_rewriter.TrainerStateRewriter",
    "json-columns": "json_columns_rewriter.JsonColumnsRewriter",
    "csv": "csv_rewriter.CsvRewriter",
    "wandb-workspace": "wandb_workspace_rewriter.WorkspaceRewriter",
    "grafana": "grafana.GrafanaRewriter",
    "yaml-rows": "yaml_rows_rewriter.YamlRowsRewriter",
    "config": "config_rewriter.ConfigurationRewriter",
    "jsonl": "jsonl_rewriter.JsonlRewriter",
    "verl-console": "verl_console_rewriter.VerlConsoleRewriter",
    "hf-console": "hf_console_rewriter.HfConsoleRewriter",
    "step-dicts": "step_dicts_rewriter.StepDictsRewriter",
    "pasted-table": "pasted_table_rewriter.PastedTableRewriter",
}
"""Module and class by the name of a kind; imported when the first log of that kind is written."""


def rewriter_of(log: Log, options: Options, only: Collection[str] | None = None) -> LogRewriter[Any]:
    """Return what writes copies of a log.

    Args:
        log: The log.
        options: How it is to be translated.
        only: The only runs of a database that are meant; None for all.
    """
    module, _, name = REWRITERS[log.kind.name].partition(".")
    made: LogRewriter[Any] = getattr(import_module(f"{__name__}.{module}"), name)(log, options, only)
    return made
