"""One entry of a plan, carried over: unless that was done, and nothing has changed since."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import rlmetrics
from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.names.tables.user_errors import UserError
from rlmetrics.translate.jobs import Job
from rlmetrics.translate.mirroring import settled
from rlmetrics.translate.origins import Origin
from rlmetrics.translate.report import Report
from rlmetrics.translate.translation_options import Options

from .fleet_account import RunAccount
from .planned_logs import PlannedLog, origin_said
from .run_ledger import LedgerEntry, digest_of
from .run_plan import PlannedRun
from .servers.server_run import ServerItem, ServerRun

__all__ = ["LogTask", "ServerTask", "carried"]


@dataclass(frozen=True, slots=True)
class LogTask:
    """A log, where its translation goes, and what is known of an earlier one."""

    log: PlannedLog
    goal: Path
    scratch: Path
    before: LedgerEntry | None

    @property
    def name(self) -> str:
        """What the ledger calls it."""
        return str(self.log.path)


@dataclass(frozen=True, slots=True)
class ServerTask:
    """Something on a server, what the plan says of it, what is known of an earlier copy, and the copies of runs."""

    item: ServerItem
    said: PlannedRun
    before: LedgerEntry | None
    copies: Mapping[str, str]

    @property
    def name(self) -> str:
        """What the ledger calls it."""
        return self.item.address


def carried(job: Job, task: LogTask | ServerTask) -> LedgerEntry:
    """Translate what a task names, and return what is to be known of it; the entry from before if nothing is new."""
    return _log(job, task) if isinstance(task, LogTask) else _item(job.options, task)


def _log(job: Job, task: LogTask) -> LedgerEntry:
    began = time.perf_counter()
    log, path = task.log, str(task.log.path)
    asked = _asked(job.options, [(name, run.source, run.certainty) for name, run in log.runs])
    given = written = ""
    try:
        unit = log.unit()
        given = digest_of(unit.files)
        before = task.before
        if before is not None and (before.asked, before.input) == (asked, given) and _is_there(before):
            return before
        reports = job.attempt(unit, task.scratch, log.origins(unit, job.options.spec))
        files = settled(task.scratch, task.goal, dry_run=job.options.dry_run)
        written = "" if job.options.dry_run else digest_of(files)
        account = RunAccount.of(path, unit.kind.name, Report.of(reports), [str(file) for file in files])
    except UserError as error:
        account = RunAccount.refused(path, str(error).removeprefix(f"{path}: "))
    return LedgerEntry(asked, given, written, account.as_json(), time.perf_counter() - began)


def _is_there(before: LedgerEntry) -> bool:
    files = [Path(file) for file in before.account["outputs"]]
    return bool(files) and all(file.is_file() for file in files) and digest_of(files) == before.output


def _item(options: Options, task: ServerTask) -> LedgerEntry:
    began = time.perf_counter()
    item, before = task.item, task.before
    # What is carried of a view depends on where the copies of the runs that it names are.
    copies = [] if isinstance(item, ServerRun) else sorted(task.copies.items())
    asked, given = _asked(options, [(None, task.said.source, task.said.certainty), *copies]), ""

    def decide(infer: Callable[[], Origin]) -> Origin:
        return origin_said(task.said, infer() if task.said.certainty == "likely" else None)

    try:
        given = item.state()
        if before is not None and (before.asked, before.input) == (asked, given) and _stands(item, before):
            return before
        report = item.carry(options, decide, task.copies)
        account = RunAccount.of(item.address, item.kind, report, report.outputs, item.left_behind)
        if item.is_only_told:
            account = replace(account, causes=report.notes)
    except UserError as error:
        account = RunAccount.refused(item.address, str(error).removeprefix(f"{item.address}: "))
    return LedgerEntry(asked, given, "", account.as_json(), time.perf_counter() - began)


def _stands(item: ServerItem, before: LedgerEntry) -> bool:
    return not before.account["failed"] and item.is_there(before.account["outputs"])


def _asked(options: Options, sources: object) -> str:
    """Return a digest of all that decides what becomes of something, but for itself."""
    text = repr((rlmetrics.__version__, sources, options))
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
