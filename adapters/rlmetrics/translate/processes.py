"""Translates units in several processes; what each comes to is the same as in one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from rlmetrics.lazy_typing import TYPE_CHECKING, NamedTuple
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.names.tables.user_errors import UserError

from .jobs import Job
from .origins import Origin
from .report import Report

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

__all__ = ["Outcome", "Task", "done_in"]


class Task(NamedTuple):
    """A unit, where its translation goes, and where the names of its runs come from."""

    unit: Unit
    goal: Path
    origins: Mapping[str | None, Origin]


class Outcome(NamedTuple):
    """What became of a task: an account for each source of its runs, or why it was refused."""

    reports: list[Report]
    refusal: UserError | None = None


def _outcome(job: Job, task: Task) -> Outcome:
    try:
        return Outcome(job.attempt(*task))
    except UserError as error:
        return Outcome([], error)


def done_in(processes: int, job: Job, tasks: Sequence[Task]) -> Iterator[tuple[Task, Outcome]]:
    """Yield each task when it is done, with its accounts, or why it was refused."""
    if min(processes, len(tasks)) < 2:
        for task in tasks:
            yield task, _outcome(job, task)
        return
    # Most translations are done in this process, which these would take a fifth longer to start.
    import multiprocessing
    from multiprocessing.connection import Connection, wait

    # Forking a process that may have threads is not safe; a new one costs a third of a second.
    context = multiprocessing.get_context("spawn")
    waiting = list(tasks)[::-1]
    running: dict[Connection, tuple[BaseProcess, Task]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < processes:
                task = waiting.pop()
                ours, theirs = context.Pipe()
                process: BaseProcess = context.Process(target=_work, args=(job, theirs), daemon=True)
                process.start()
                theirs.close()
                ours.send(task)
                running[ours] = process, task
            for ready in wait(list(running)):
                assert isinstance(ready, Connection)
                process, task = running.pop(ready)
                try:
                    outcome = _received(ready)
                except (EOFError, OSError):
                    msg = "the process that translated it was killed; is there enough memory?"
                    outcome = Outcome([], InputError(msg, task.unit.path))
                if isinstance(outcome, OSError):
                    raise outcome
                yield task, outcome
                if waiting and process.is_alive():
                    running[ready] = process, waiting.pop()
                    with suppress(OSError):  # it was killed just now, which shows when its answer is read
                        ready.send(running[ready][1])
                else:
                    ready.close()
    finally:
        for process, _ in running.values():
            process.terminate()
            process.join()


def _received(connection: Connection) -> Outcome | OSError:
    """Return an outcome that another process sends, or what the system refused it, such as room on the disk.

    Raises:
        EOFError: If that process could not go on; also OSError.
    """
    outcome: Outcome | OSError
    outcome, said = connection.recv()
    for category, message in said:
        warnings.warn(message, category, stacklevel=4)
    return outcome


def _work(job: Job, connection: Connection) -> None:
    """Do tasks until there are no more; Ctrl-C is the business of the process that has the output."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            outcome: Outcome | OSError
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    outcome = _outcome(job, task)
                except OSError as error:
                    outcome = error
            connection.send((outcome, [(warning.category, str(warning.message)) for warning in caught]))
