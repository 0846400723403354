"""Follows a run while it grows and tells what changes; sinks take the news elsewhere."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from rlmetrics.names.tables import Overlays, Tables
from rlmetrics.translate import InputError
from rlmetrics.translate.reading import LoggedRow, read_runs
from rlmetrics.translate.tree import Unit

from .judging import units_of
from .monitor import Monitor
from .records import Diagnosis, Finding

__all__ = ["News", "follow", "post_to", "run_command"]

_HELD_BACK = {"tensorboard", "mlflow"}
"""Kinds that write a step value by value, so that the last one may not be complete."""


@dataclass(frozen=True)
class News:
    """What changed.

    Attributes:
        step: The step of the row that brought it.
        finding: What was found, or got worse.
        answer: The first diagnosis, if it is another one than before.
    """

    step: float
    finding: Finding
    answer: Diagnosis | None

    def as_text(self) -> str:
        """Return the news in one line."""
        found = self.finding
        value = "" if found.value is None else f" = {found.value:.3g}"
        line = f"step {self.step:g}  {found.level}  {found.key}{value}: {found.message}"
        return line if self.answer is None else f"{line}  Now: {self.answer.title}. {self.answer.checks[0]}"


def follow(
    path: Path,
    *,
    at: str = "auto",
    config: Mapping[str, Any] | None = None,
    spec: Overlays | Tables = None,
    interval: float = 5.0,
    idle: float | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[News]:
    """Yield what changes in a run that grows.

    Args:
        path: A file, or a folder that is one run; it need not exist yet.
        at: The source; by default inferred from the first rows.
        config: Settings of the run.
        spec: Folders with further YAML.
        interval: Seconds between two looks; more where reading takes long.
        idle: Seconds without a new row after which to end; None for never.
        sleep: Waits.

    Raises:
        InputError: The path is no log, or holds several runs.
    """
    monitor = Monitor(None if at == "auto" else at, config, spec=spec)
    answer: str | None = None
    seen, quiet = 0, 0.0
    while True:
        began = time.monotonic()
        fresh = 0
        last = idle is not None and quiet >= idle
        for row in _new_rows(path, seen, everything=last):
            fresh += 1
            for finding in monitor.observe(row.step, row.values):
                first = next(iter(monitor.report().diagnoses), None) if finding.level != "info" else None
                changed = first is not None and first.id != answer and first.level != "info"
                answer = first.id if changed and first is not None else answer
                yield News(finding.first_step, finding, first if changed else None)
        seen += fresh
        if last:
            return
        took = time.monotonic() - began
        pause = max(interval, 10 * took)
        quiet = 0.0 if fresh else quiet + pause
        sleep(pause)


def _new_rows(path: Path, seen: int, *, everything: bool) -> Iterator[LoggedRow]:
    unit = _unit(path)
    if unit is None:
        return
    runs = read_runs(unit)
    run = next(runs, None)
    if run is None:
        return
    held = None
    for row in islice(run.rows, seen, None):
        if unit.kind not in _HELD_BACK or everything:
            yield row
            continue
        if held is not None:
            yield held
        held = row


def _unit(path: Path) -> Unit | None:
    """Return the log of a run; None while there is none.

    Raises:
        InputError: There are several.
    """
    try:
        units = units_of(path)
    except InputError:
        if path.exists() and path.is_file() and path.stat().st_size:
            raise
        return None
    if len(units) > 1:
        msg = f"holds {len(units)} logs; name one of them, such as {units[0].path}"
        raise InputError(msg, path)
    return units[0]


def post_to(url: str, run: str) -> Callable[[News], str | None]:
    """Return what posts news to a webhook, as Slack and its likes take them; it returns what went wrong."""

    def post(news: News) -> str | None:
        text = f"{run}: {news.as_text()}"
        body = json.dumps({"text": text, "level": news.finding.level, "rule": news.finding.rule, "run": run}).encode()
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=10):
                return None
        except (OSError, ValueError) as error:
            return f"the webhook did not take it: {error}"

    return post


def run_command(command: str, run: str) -> Callable[[News], str | None]:
    """Return what runs a command with the news as its last argument; it returns what went wrong."""

    def call(news: News) -> str | None:
        try:
            done = subprocess.run([*shlex.split(command), f"{run}: {news.as_text()}"], check=False, timeout=60)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            return f"{command}: {error}"
        return None if done.returncode == 0 else f"{command}: exit code {done.returncode}"

    return call
