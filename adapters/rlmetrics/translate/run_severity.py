"""Judges a translation by the configuration that the run itself recorded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rlmetrics.logs.run_settings import RunSettings, agreeing
from rlmetrics.names.settings.configuration import UNKNOWN

from .report import Report
from .rewriting.log_rewriter import LogRewriter
from .translator import Translator

__all__ = ["judge_by", "judge_by_run"]


def judge_by_run(report: Report, translator: Translator, rewriter: LogRewriter[Any]) -> None:
    """Judge an account by the configuration of a log that was translated; of several runs by what they have in common.

    Args:
        report: The account.
        translator: What carried the names.
        rewriter: The log, as it was before, and the runs of it that were translated.
    """
    log, only = rewriter.log, rewriter.only
    wanted = [one for run, one in log.configuration.items() if only is None or run is None or run in only]
    if wanted:
        judge_by(report, translator, agreeing(wanted), advise=not rewriter.advises)


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
