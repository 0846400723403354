"""Judges the runs of a plan, each by the source that stands there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from rlmetrics.health.judging import judged_rows, source_of_run
from rlmetrics.health.report_records import Report
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.reading import LoggedRow
from rlmetrics.names.inference import SourceAnswer, given
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Overlays, Tables
from rlmetrics.names.tables.user_errors import UserError
from rlmetrics.worker_pool import done_by

from .planned_logs import PlannedLog, planned_logs
from .run_plan import PlannedRun
from .scanning import PRELOAD
from .servers.chosen_runs import Selection
from .servers.server_addresses import is_on_server, item_at, items_at
from .servers.server_run import ServerItem, ServerRun

__all__ = ["JudgedRow", "judge_places", "judge_plan"]


class JudgedRow(NamedTuple):
    """A log of a plan: the reports on its runs, or why it can't be judged."""

    path: str
    reports: Sequence[Report]
    refusal: str = ""


def judge_plan(
    plan: Sequence[PlannedRun], *, config: Mapping[str, Any] | None = None, spec: Overlays = None, jobs: int = 1
) -> Iterator[JudgedRow]:
    """Yield the logs of a plan as they are judged; a likely source is inferred once more, with what else it may be.

    Args:
        plan: The runs.
        config: Settings beside those that runs recorded, which they replace.
        spec: Folders with overlays.
        jobs: How many processes.
    """
    logs: list[PlannedLog | PlannedRun] = [*planned_logs([run for run in plan if not is_on_server(run.run)])]
    logs += [run for run in plan if is_on_server(run.run)]
    for log, judged in done_by(min(jobs, len(logs)), partial(_judged_row, config or {}, spec), logs, preload=PRELOAD):
        name = log.run if isinstance(log, PlannedRun) else str(log.path)
        row = judged or JudgedRow(name, (), "the process that judged it was killed; is there enough memory?")
        # Views and sweeps log nothing.
        if row.reports or row.refusal:
            yield row


def judge_places(
    places: Sequence[str], at: str, config: Mapping[str, Any], spec: Overlays | Tables = None
) -> Iterator[JudgedRow]:
    """Yield the runs at places on servers as they are judged.

    Args:
        places: Addresses.
        at: What logged them; inferred if it is ``auto``.
        config: Settings beside those that runs recorded, which they replace.
        spec: Folders with overlays.

    Raises:
        InputError: An address is none, or a server does not answer.
    """
    certainty = "likely" if at == "auto" else "certain"
    for place in places:
        for item in items_at(place, Selection()):
            said = PlannedRun(item.address, item.kind, "" if at == "auto" else at, certainty)
            row = _judged_item(item, config, spec, said)
            if row.reports or row.refusal:
                yield row


def _judged_row(config: Mapping[str, Any], spec: Overlays | Tables, log: PlannedLog | PlannedRun) -> JudgedRow:
    if isinstance(log, PlannedLog):
        return _judged(config, spec, log)
    try:
        item = item_at(log.run)
    except UserError as error:
        return JudgedRow(log.run, (), str(error).removeprefix(f"{log.run}: "))
    return _judged_item(item, config, spec, log)


def _judged_item(item: ServerItem, config: Mapping[str, Any], spec: Overlays | Tables, said: PlannedRun) -> JudgedRow:
    if not isinstance(item, ServerRun):
        return JudgedRow(item.address, ())

    def choose(infer: Callable[[Sequence[LoggedRow]], SourceAnswer], first: Sequence[LoggedRow]) -> SourceAnswer:
        return _chosen(said, lambda: infer(first))

    try:
        reports = [*item.judged(choose, config, load_tables(spec))]
    except UserError as error:
        return JudgedRow(item.address, (), str(error).removeprefix(f"{item.address}: "))
    return JudgedRow(item.address, reports, "" if reports else "holds no row with a number")


def _source(unit: Unit, name: str, said: PlannedRun, tables: Tables, first: Sequence[LoggedRow]) -> SourceAnswer:
    """Return what the plan says; where it says what was likely, and nobody changed that, with what else it may be."""
    return _chosen(said, lambda: source_of_run(unit, name, first, "auto", tables))


def _chosen(said: PlannedRun, infer: Callable[[], SourceAnswer]) -> SourceAnswer:
    if said.certainty == "certain" and said.source:
        return given(said.source)
    inferred = infer()
    return given(said.source) if said.source and said.source != inferred.source else inferred


def _judged(config: Mapping[str, Any], spec: Overlays | Tables, log: PlannedLog) -> JudgedRow:
    path, reports = str(log.path), list[Report]()
    try:
        unit = log.unit()
        tables = load_tables(spec)
        for run in unit.open().read():
            said = log.source_of(run.name)
            if said is None:
                continue
            name = path + (f":{run.name}" if run.name else "")
            source = partial(_source, unit, run.name, said, tables)
            reports += judged_rows(run, name, source, unit.kind.name, config, tables)
    except UserError as error:
        return JudgedRow(path, reports, str(error).removeprefix(f"{path}: "))
    except OSError as error:
        return JudgedRow(path, reports, error.strerror or str(error))
    return JudgedRow(path, reports, "" if reports else "holds no row with a number")
