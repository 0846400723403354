"""Takes what health finds to where it is read: the log of the program, a file, any function."""

from __future__ import annotations

import json
import logging
import math
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from rlmetrics.health.monitor import Monitor
from rlmetrics.health.report_records import Finding, plain
from rlmetrics.health.watching import RunNews

from .faults import Faults, log

__all__ = ["FindingsFile", "Sink", "Teller", "say", "tell"]

Sink = Callable[[RunNews], object]
"""Takes news about a run; a text that it returns says what went wrong."""

_LOGGED = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class FindingsFile:
    """Appends findings to a file of JSON lines, one for each time that a finding is new or got worse.

    A line has the fields that ``rlmetrics check --json`` gives a finding, the ``step`` that brought it, and
    ``diagnosis``, the id of the first diagnosis if it changed. Each line is written in one piece, so several processes
    may share a file.

    Args:
        path: The file; folders are made.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)

    def __call__(self, news: RunNews) -> None:
        """Write a line."""
        row: dict[str, Any] = {"step": news.step, **plain(news.finding)}
        row["diagnosis"] = None if news.answer is None else news.answer.id
        finite = {
            key: None if isinstance(item, float) and not math.isfinite(item) else item for key, item in row.items()
        }
        line = json.dumps(finite, ensure_ascii=False, allow_nan=False) + "\n"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            os.write(file, line.encode())
        finally:
            os.close(file)


def say(news: RunNews) -> None:
    """Log news under ``rlmetrics``, at the level of the finding."""
    log(_LOGGED.get(news.finding.level, logging.WARNING), news.as_text())


class Teller:
    """Tells sinks what a monitor finds. What a sink raises, or returns as text, is a fault.

    Args:
        monitor: What judges the run.
        sinks: Where the news go.
        faults: Where faults are counted.
    """

    def __init__(self, monitor: Monitor, sinks: Iterable[Sink], faults: Faults) -> None:
        self.monitor = monitor
        self.sinks = tuple(sinks)
        self._faults = faults
        self._answer: str | None = None

    def __call__(self, step: float | None, findings: Iterable[Finding]) -> None:
        """Tell findings that are new or got worse at a step."""
        for finding in findings:
            news = self._news(finding.last_step if step is None else step, finding)
            for sink in self.sinks:
                with self._faults("a finding could not be told"):
                    said = sink(news)
                    if isinstance(said, str):
                        self._faults.note(said)

    def _news(self, step: float, finding: Finding) -> RunNews:
        """Return a finding with the first diagnosis, where that is another one than before."""
        first = None
        if finding.level != "info":
            with self._faults("no diagnosis could be made"):
                first = next(iter(self.monitor.report().diagnoses), None)
        if first is None or first.level == "info" or first.id == self._answer:
            return RunNews(step, finding, None)
        self._answer = first.id
        return RunNews(step, finding, first)


def tell(monitor: Monitor, *sinks: Sink) -> Faults:
    """Let sinks know, from now on, whatever a monitor finds.

    Args:
        monitor: What judges the run, by whomever its ``observe`` is called.
        sinks: Each takes news: ``step``, ``finding``, ``answer`` and ``as_text()``.

    Returns:
        Where their faults are counted; none reaches the caller of ``observe``.
    """
    faults = Faults()
    teller = Teller(monitor, sinks, faults)
    observe = monitor.observe

    def observing(step: float | None, row: Mapping[str, Any]) -> list[Finding]:
        findings = observe(step, row)
        teller(step, findings)
        return findings

    vars(monitor)["observe"] = observing
    return faults
