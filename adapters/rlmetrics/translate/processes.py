"""Translates units in several processes; what each comes to is the same as in one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from rlmetrics.lazy_typing import NamedTuple
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.names.tables.user_errors import UserError
from rlmetrics.worker_pool import done_by

from .jobs import Job
from .origins import Origin
from .report import Report

__all__ = ["PRELOAD", "Outcome", "Task", "done_in"]

PRELOAD = ("rlmetrics.translate.warm_worker",)
"""What processes that translate have imported."""


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
    for task, outcome in done_by(min(processes, len(tasks)), partial(_outcome, job), tasks, preload=PRELOAD):
        if outcome is None:
            msg = "the process that translated it was killed; is there enough memory?"
            outcome = Outcome([], InputError(msg, task.unit.path))
        yield task, outcome
