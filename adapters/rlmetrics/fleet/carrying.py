"""Translates the runs of a plan; what is done is taken down, so that an interrupted one goes on."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from pathlib import Path

from rlmetrics.logs.files import discard, naming, require_ordinary, resolved
from rlmetrics.logs.input_errors import InputError
from rlmetrics.translate.jobs import Job
from rlmetrics.translate.processes import PRELOAD
from rlmetrics.translate.translation_options import Options
from rlmetrics.wording.voice import later
from rlmetrics.worker_pool import done_by

from .carried_run import LogTask, ServerTask, carried
from .fleet_account import FleetAccount, RunAccount
from .planned_logs import PlannedLog, planned_logs
from .run_ledger import LedgerEntry, RunLedger
from .run_plan import PlannedRun
from .servers.server_addresses import is_on_server, item_at
from .servers.server_run import ServerItem, ServerRun

__all__ = ["carry", "ledger_of"]

_SCRATCH = ".unfinished"


def ledger_of(output: Path) -> Path:
    """Return where the ledger of an output is."""
    return output.with_name(f"{output.name}.ledger.sqlite")


def carry(
    plan: Sequence[PlannedRun],
    output: Path,
    options: Options,
    *,
    jobs: int = 1,
    force: bool = False,
    progress: Callable[[Path, int, int], None] | None = None,
) -> FleetAccount:
    """Translate the runs of a plan into a folder; those that are done already are left as they are.

    Args:
        plan: The runs.
        output: The folder; its tree is that of the runs below the folder that holds them all.
        options: How names are translated.
        jobs: How many processes.
        force: Begin anew in a folder that exists.
        progress: Called with a log, and how many of how many are done.

    Raises:
        InputError: The output exists and is no translation of a plan, or holds what is to be translated.
        OSError: As the system says; what is done by then stays done.
    """
    require_ordinary(output)
    logs = planned_logs([run for run in plan if not is_on_server(run.run)])
    runs, views = _on_servers(plan)
    total = len(logs) + len(runs) + len(views)
    root = Path(os.path.commonpath([resolved(log.path).parent for log in logs])) if logs else output
    ledger = ledger_of(output)
    _require_place(output, ledger, logs, force=force)
    began = time.perf_counter()
    account = FleetAccount(options.target, str(output) if logs else "", dry_run=options.dry_run)
    with naming(output), RunLedger(None if options.dry_run else ledger, anew=force) as known:
        if not options.dry_run and logs:
            output.mkdir(exist_ok=True)
        with _scratch(None if options.dry_run or not logs else output) as scratch:
            of_logs = (
                LogTask(
                    log,
                    output / resolved(log.path).relative_to(root),
                    scratch / str(number),
                    known.entry(str(log.path)),
                )
                for number, log in enumerate(logs)
            )
            of_runs = (ServerTask(item, run, known.entry(run.run), {}) for item, run in runs)
            copies: dict[str, str] = {}
            # Evaluated once the runs are done, which views name.
            of_views = (ServerTask(item, run, known.entry(run.run), copies) for item, run in views)
            parts: tuple[Iterator[LogTask | ServerTask], ...] = (
                chain[LogTask | ServerTask](of_logs, of_runs),
                of_views,
            )
            preload = (*PRELOAD, *sorted({package for item, _ in (*runs, *views) for package in item.packages}))
            for tasks in parts:
                for task, entry in _done(tasks, options, min(jobs, total), preload):
                    if entry is not task.before:
                        known.enter(task.name, entry)
                    done = RunAccount(**entry.account)
                    account.add(done, again=entry is task.before)
                    if done.outputs and is_on_server(task.name):
                        copies[task.name] = done.outputs[0]
                    if progress:
                        progress(Path(task.name), len(account.runs), total)
    account.seconds = time.perf_counter() - began
    return account


def _on_servers(plan: Sequence[PlannedRun]) -> tuple[Sequence[tuple[ServerItem, PlannedRun]], ...]:
    """Return the runs of a plan that lie on servers, and what names their metrics there."""
    found = [(item_at(run.run), run) for run in plan if is_on_server(run.run)]
    runs = [(item, run) for item, run in found if isinstance(item, ServerRun)]
    return runs, [(item, run) for item, run in found if not isinstance(item, ServerRun)]


@contextmanager
def _scratch(output: Path | None) -> Iterator[Path]:
    """Give a folder for what is not yet done: in the output, or anywhere where nothing of it stays."""
    if output is None:
        with tempfile.TemporaryDirectory(prefix="rlmetrics-") as folder:
            yield Path(folder)
        return
    scratch = output / _SCRATCH
    discard(scratch)
    try:
        scratch.mkdir(parents=True, exist_ok=True)
        yield scratch
    finally:
        discard(scratch)


def _require_place(output: Path, ledger: Path, logs: Sequence[PlannedLog], *, force: bool) -> None:
    real = resolved(output)
    for log in logs:
        if real in (resolved(log.path), *resolved(log.path).parents):
            msg = "the output may not hold what is translated; choose another place with -o"
            raise InputError(msg, output)
    if output.exists() and not (output.is_dir() and (ledger.exists() or force)):
        msg = "exists already, and no ledger says that it is of a plan; choose another place with -o, or use --force"
        raise InputError(msg, output)
    if not output.parent.is_dir():
        msg = f"the folder {output.parent} does not exist; create it first"
        raise InputError(msg, output)


def _done(
    tasks: Iterator[LogTask | ServerTask], options: Options, jobs: int, preload: Sequence[str]
) -> Iterator[tuple[LogTask | ServerTask, LedgerEntry]]:
    """Yield each task with its entry, which is the one from before where nothing is new."""
    for task, entry in done_by(jobs, partial(carried, Job(options)), tasks, preload=preload):
        if entry is None:
            why = later("the process that translated it was killed; is there enough memory?")
            yield task, LedgerEntry("", "", "", RunAccount.refused(task.name, why).as_json(), 0.0)
        else:
            # What came back from another process is another object.
            yield task, task.before if task.before is not None and entry == task.before else entry
