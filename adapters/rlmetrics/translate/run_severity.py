"""Judges a translation by the configuration that the run itself recorded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from rlmetrics.names.config import UNKNOWN

from .report import Report
from .run_settings import RunSettings, agreeing, recorded
from .translator import Translator

__all__ = ["judge_by", "judge_by_run"]


def judge_by_run(
    report: Report, translator: Translator, kind: str, path: Path, only: Collection[str] | None = None
) -> None:
    """Judge an account by the configuration of a file or folder; of several runs by what they have in common.

    Args:
        report: The account.
        translator: What carried the names.
        kind: What the file or folder is.
        path: The file or folder.
        only: The only runs that were translated; None for all.
    """
    found = recorded(kind, path)
    wanted = [one for run, one in found.items() if only is None or run is None or run in only]
    if wanted:
        judge_by(report, translator, agreeing(wanted), advise=kind != "wandb")


def judge_by(report: Report, translator: Translator, settings: RunSettings, *, advise: bool) -> None:
    """Judge an account by a configuration, and say what of it could not be read.

    Args:
        report: The account.
        translator: What carried the names.
        settings: The configuration.
        advise: Whether to say which settings would change what becomes of a name.
    """
    known = translator.understood(settings.values)
    report.notes += [f"the run's configuration: {problem}" for problem in settings.problems]
    if known.values and translator.judge(report, known.values):
        report.configuration.append(
            {"where": settings.where, "values": _plain(known.values), "unknown": [*known.unknown]}
        )
        if advise:
            report.notes += translator.advise(_plain(known.values))


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not UNKNOWN}
