"""Follows a run while it grows and tells what changes; sinks take the news elsewhere."""

from __future__ import annotations

import http.client
import json
import shlex
import subprocess
import time
import urllib.parse
import urllib.request
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.checkpoints import continued
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.log_clues import SAMPLE
from rlmetrics.logs.reading import Follower, LoggedRow, StepAxis, is_beside, rows_below
from rlmetrics.logs.successive_runs import Seam
from rlmetrics.names.inference.wording import source_line
from rlmetrics.names.meanings.recorded_settings import merged
from rlmetrics.names.sources.source import CANONICAL
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables

from .judging import opened, require_place, source_of_run, units_of
from .monitor import Monitor
from .report_records import Diagnosis, Finding

__all__ = ["RunNews", "WebhookPost", "follow", "run_command"]

_FEW = 3
"""Rows before a source is inferred from them; more where they leave several."""


@dataclass(frozen=True)
class RunNews:
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
        finding = self.finding
        value = "" if finding.value is None else f" = {finding.value:.3g}"
        line = f"step {self.step:g}  {finding.level}  {finding.key}{value}: {finding.message}"
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
) -> Iterator[RunNews]:
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
        NamesError: The source is unknown.
    """
    require_place(path)
    watcher = _Watcher(path, at, dict(config or {}), load_tables(spec))
    quiet = 0.0
    while True:
        began, before = time.monotonic(), watcher.rows
        yield from watcher.look(final=False)
        # The first rows also pay for finding out what logged them, which later looks do not.
        took = time.monotonic() - began if before else 0.0
        quiet = 0.0 if watcher.rows > before else quiet
        if idle is not None and quiet >= idle:
            yield from watcher.look(final=True)
            return
        pause = max(interval, 10 * took)
        pause = pause if idle is None else min(pause, idle - quiet)
        sleep(pause)
        quiet += pause


class _Watcher:
    """What is known about a run that grows.

    Attributes:
        rows: How many rows were read.
    """

    def __init__(self, path: Path, at: str, config: dict[str, Any], tables: Tables) -> None:
        self.rows = 0
        self._path, self._at, self._config, self._tables = path, at, config, tables
        self._follower: Follower | None = None
        self._unit: Unit | None = None
        self._is_away = False
        self._begin()

    def _begin(self) -> None:
        self._monitor: Monitor | None = None
        self._source = self._at
        self._first: list[LoggedRow] = []
        self._seam = Seam()
        self._axis = StepAxis()
        self._beside: Mapping[str, Any] = {}
        self._answer: str | None = None
        self._prefix = ""
        self._spelling: Callable[[str], str] | None = None

    def look(self, *, final: bool) -> Iterator[RunNews]:
        """Yield what the rows since the last look bring."""
        try:
            if self._follower is None:
                self._unit = _unit(self._path)
                if self._unit is None:
                    self._away("there is no log yet; waiting for one")
                    return
                self._follower = self._unit.follow()
            if self._path.exists() and not (self._path.is_file() or self._path.is_dir()):
                self._away("is a pipe or a device now; waiting for a log")  # to open it might never end
                return
            yield from self._rows(self._follower, final=final)
            self._is_away = False
        except OSError as error:
            # A file system that was away for a moment, or a log that is being replaced, must not end a long watch.
            if not self.rows:
                if not isinstance(error, FileNotFoundError):
                    raise
                self._follower = None
            self._away(f"{error.strerror or error}; waiting for it")

    def _away(self, what: str) -> None:
        """Say once that there is nothing to read."""
        if not self._is_away:
            self._is_away = True
            warnings.warn(f"{self._path}: {what}", stacklevel=3)

    def _rows(self, follower: Follower, *, final: bool) -> Iterator[RunNews]:
        restarts = follower.restarts
        for row in follower.new(final=final):
            if follower.restarts > restarts:
                restarts = follower.restarts
                warnings.warn(f"{self._path}: was cut or replaced; followed from its beginning again", stacklevel=2)
                self._begin()
            self.rows += 1
            yield from self._take(row)
        if self._first and (final or len(self._first) >= _FEW):
            yield from self._start(final=final)

    def _take(self, row: LoggedRow) -> Iterator[RunNews]:
        if is_beside(row.values):
            # It belongs to no step of its own, but its keys may tell what logged it.
            self._beside = self._beside if self._monitor is not None else {**self._beside, **row.values}
            return
        self._axis.look(row)
        step = self._axis.place(row)
        row = LoggedRow(step, row.values)
        if self._seam.lies_before(row, step):
            if self._first:
                yield from self._start(final=True)
            self._begin()
            self._axis.look(row)
            self._axis.place(row)
            self._seam.lies_before(row, step)
        if self._monitor is not None:
            yield from self._judge(row)
            return
        self._first.append(row)
        if len(self._first) >= SAMPLE:
            yield from self._start(final=True)

    def _start(self, *, final: bool) -> Iterator[RunNews]:
        """Find out the source of the first rows, and judge them; wait for more where none is known."""
        if self._unit is None or self._follower is None or not any(row.values for row in self._first):
            return
        first = [*self._first, LoggedRow(None, self._beside)]
        answer = source_of_run(self._unit, "", first, self._source, self._tables, whole=final)
        if not answer.is_known and not final:
            return
        source = answer.source or CANONICAL
        settings = merged(self._follower.config, self._config, source, self._tables)
        self._prefix, self._spelling = answer.prefix, answer.spelling
        self._monitor = opened(source, settings.values, self._tables, answer.rivals)
        self._monitor.run.answer, self._monitor.run.is_foreign = answer, answer.undescribed is not None
        if not (answer.is_given or answer.is_single):
            warnings.warn(f"{self._path}: {source_line(answer)}", stacklevel=2)
        waiting, self._first = self._first, []
        for row in waiting:
            yield from self._judge(row)

    def _judge(self, row: LoggedRow) -> Iterator[RunNews]:
        monitor = self._monitor
        rows = rows_below(self._prefix, [row], self._spelling)
        found = (finding for one in rows for finding in monitor.observe(one.step, one.values)) if monitor else ()
        for finding in found:
            first = next(iter(monitor.report().diagnoses), None) if monitor and finding.level != "info" else None
            changed = first is not None and first.id != self._answer and first.level != "info"
            self._answer = first.id if changed and first is not None else self._answer
            yield RunNews(finding.first_step, finding, first if changed else None)


def _unit(path: Path) -> Unit | None:
    """Return the log of a run; None while there is none.

    Raises:
        InputError: There are several.
    """
    try:
        units = continued(units_of(path)).units
    except InputError:
        if path.exists() and path.is_file() and path.stat().st_size:
            raise
        return None
    if len(units) > 1:
        msg = f"holds {len(units)} logs; name one of them, such as {units[0].path}"
        raise InputError(msg, path)
    return units[0]


class WebhookPost:
    """Posts news to a webhook, as Slack and its likes take them.

    Args:
        url: Where to post.
        run: What to call the run in the text.

    Raises:
        ValueError: The URL is none of the web, so that nobody would be told.
    """

    def __init__(self, url: str, run: str) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            msg = f"{url!r} is no address of a webhook; one begins with https:// or http:// and names a host"
            raise ValueError(msg)
        self._url, self._run = url, run

    def __call__(self, news: RunNews) -> str | None:
        """Post news, and return what went wrong."""
        text = f"{self._run}: {news.as_text()}"
        said = {"text": text, "level": news.finding.level, "rule": news.finding.rule, "run": self._run}
        request = urllib.request.Request(self._url, json.dumps(said).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=10):
                return None
        except (OSError, ValueError, http.client.HTTPException) as error:
            return f"the webhook did not take it: {error}"


def run_command(command: str, run: str) -> Callable[[RunNews], str | None]:
    """Return what runs a command with the news as its last argument; it returns what went wrong."""

    def call(news: RunNews) -> str | None:
        try:
            done = subprocess.run([*shlex.split(command), f"{run}: {news.as_text()}"], check=False, timeout=60)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            return f"{command}: {error}"
        return None if done.returncode == 0 else f"{command}: exit code {done.returncode}"

    return call
