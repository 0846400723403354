"""Finds runs and what logged each: every run is read once, judged, and told in a row of a plan."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path

from rlmetrics.health.judging import judged_run, logs_of
from rlmetrics.health.report_records import Report
from rlmetrics.lazy_dataclasses import dataclass, field
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.unrecognised import EMPTY
from rlmetrics.names.inference import SourceAnswer
from rlmetrics.names.inference.wording import source_line
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import NamesError, UserError
from rlmetrics.translate.origins import Known, Several, Unknown
from rlmetrics.worker_pool import done_by

from .run_plan import PlannedRun
from .servers.chosen_runs import Selection
from .servers.server_addresses import is_on_server, items_at
from .servers.server_run import ServerItem, ServerRun, ServerView

__all__ = ["PRELOAD", "Scan", "ServerScan", "scan"]

PRELOAD = ("rlmetrics.fleet.warm_judge",)
_MLFLOW, _TRACKIO = "mlflow:", "trackio:"
_MOST_EVIDENCE = 3


@dataclass
class Scan:
    """The runs below a place, found when they are asked for.

    Attributes:
        units: The logs.
        unreadable: What can't be read there, each with the reason.
    """

    units: list[Unit] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)

    def runs(self, spec: Sequence[str] | None = None, jobs: int = 1) -> Iterator[PlannedRun]:
        """Yield the runs in the order of the logs."""
        for reason in self.unreadable:
            path, _, why = reason.partition(": ")
            yield PlannedRun(path, evidence=why)
        found: dict[Path, list[PlannedRun]] = {}
        waiting = [unit.path for unit in self.units][::-1]
        work = partial(_runs_of, tuple(spec or ()))
        for unit, runs in done_by(min(jobs, len(self.units)), work, self.units, preload=PRELOAD):
            lost = [PlannedRun(str(unit.path), unit.kind.name, evidence="the process that read it was killed")]
            found[unit.path] = lost if runs is None else runs
            # A plan has the same order, however many processes made it.
            while waiting and waiting[-1] in found:
                yield from found.pop(waiting.pop())


@dataclass
class ServerScan:
    """What lies on a server, as it told when it was asked.

    Attributes:
        units: The runs, and what names their metrics.
    """

    units: list[ServerItem] = field(default_factory=list)

    def runs(self, spec: Sequence[str] | None = None, jobs: int = 1) -> Iterator[PlannedRun]:
        """Yield them in the order of the server, runs first; where a view fits several sources, its runs decide."""
        own = [item for item in self.units if isinstance(item, ServerRun)]
        found: dict[str, list[PlannedRun]] = {}
        waiting, sources = [item.address for item in own][::-1], set[str]()
        work = partial(_runs_on_server, tuple(spec or ()))
        preload = (*PRELOAD, *sorted({package for item in own for package in item.packages}))
        for item, runs in done_by(min(jobs, len(own)), work, own, preload=preload):
            lost = [PlannedRun(item.address, item.kind, evidence="the process that read it was killed")]
            found[item.address] = lost if runs is None else runs
            while waiting and waiting[-1] in found:
                done = found.pop(waiting.pop())
                sources.update(run.source if run.certainty == "certain" else "" for run in done)
                yield from done
        common = next(iter(sources)) if len(sources) == 1 else ""
        for view in self.units:
            if isinstance(view, ServerView):
                yield _view(view, common)


def scan(where: str, selection: Selection | None = None) -> Scan | ServerScan:
    """Return the logs at a place.

    Args:
        where: A file or folder, ``mlflow:`` with the URI of a store on this machine or of a server,
            ``wandb:ENTITY/PROJECT``, or ``trackio:PROJECT`` for a project of Trackio on this machine.
        selection: Which runs of a project are meant.

    Raises:
        InputError: There are none.
    """
    if is_on_server(where):
        items = [*items_at(where, selection or Selection())]
        if not items:
            msg = "holds no run; is this the right project or experiment?"
            raise InputError(msg, where)
        return ServerScan(items)
    if selection:
        msg = "--filter, --tag, --sweep and --since choose among the runs of W&B projects"
        raise InputError(msg, Path(where))
    path = Path(where)
    if where.startswith(_MLFLOW) and not path.exists():
        path = _store(where)
    if where.startswith(_TRACKIO) and not path.exists():
        path = _project(where)
    return Scan(*logs_of(path))


def _project(address: str) -> Path:
    """Return where Trackio keeps a project: it takes the same variables, and leaves out the same characters of a name.

    Raises:
        InputError: The address names none, or Trackio has none of that name.
    """
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    folder = Path(os.environ.get("TRACKIO_DIR") or Path(os.path.expandvars(home), "trackio")).expanduser()
    name = "".join(char for char in address.removeprefix(_TRACKIO) if char.isalnum() or char in "-_")
    path = folder / f"{name}.db"
    if not path.is_file():
        msg = f"is no project of Trackio in {folder}; give the folder or the file, or set TRACKIO_DIR"
        raise InputError(msg, Path(address))
    return path


def _store(address: str) -> Path:
    """Return where a store of MLflow lies.

    Raises:
        InputError: It is none of those.
    """
    uri = address.removeprefix(_MLFLOW)
    scheme, colon, rest = uri.partition(":")
    if colon and scheme == "sqlite" and rest.startswith("///"):
        return Path(rest[3:])
    if colon and scheme == "file":
        return Path(rest.removeprefix("//"))
    if "://" in uri:
        msg = (
            f"is no store that can be read: give {_MLFLOW}sqlite:///FILE, {_MLFLOW}FOLDER or {_MLFLOW}http://HOST:PORT"
        )
        raise InputError(msg, Path(address))
    return Path(uri)


@lru_cache(maxsize=1)
def _tables(spec: tuple[str, ...]) -> Tables:
    return load_tables([*spec] or None)


def _runs_of(spec: tuple[str, ...], unit: Unit) -> list[PlannedRun]:
    """Return the runs of a log; one that says why, if it can't be read."""
    runs: list[PlannedRun] = []
    try:
        for run in unit.open().read():
            name = str(unit.path) + (f":{run.name}" if run.name else "")
            runs += (
                _planned(unit.kind.name, report) for report in judged_run(unit, run, name, "auto", {}, _tables(spec))
            )
        why = "holds no row with a number" if unit.size else EMPTY
    except (InputError, NamesError) as error:
        why = str(error).removeprefix(f"{unit.path}: ")
    except OSError as error:
        why = error.strerror or str(error)
    return runs or [PlannedRun(str(unit.path), unit.kind.name, evidence=" ".join(why.split()))]


def _runs_on_server(spec: tuple[str, ...], item: ServerRun) -> list[PlannedRun]:
    """Return a run on a server, or the runs that stand in it; one that says why, if it can't be read."""
    runs: list[PlannedRun] = []
    try:
        judged = item.judged(lambda infer, first: infer(first), {}, _tables(spec))
        runs += (_planned(item.kind, report) for report in judged)
        why = "holds no number"
    except (InputError, NamesError) as error:
        why = str(error).removeprefix(f"{item.address}: ")
    return runs or [PlannedRun(item.address, item.kind, evidence=" ".join(why.split()))]


def _view(view: ServerView, common: str) -> PlannedRun:
    """Return what a plan says of a view.

    Args:
        view: The view.
        common: What logged all runs beside it; empty if they differ.
    """
    try:
        origin = view.inferred()
    except UserError as error:
        why = str(error).removeprefix(f"{view.address}: ")
        if not common:
            return PlannedRun(view.address, view.kind, evidence=" ".join(why.split()))
        origin = Unknown(error)
    if isinstance(origin, Known):
        return PlannedRun(view.address, view.kind, origin.source, "certain", "its own names")
    if common:
        return PlannedRun(view.address, view.kind, common, "certain", "all runs of the project")
    if isinstance(origin, Several) and origin.answer.source:
        return PlannedRun(view.address, view.kind, origin.answer.source, "likely", _evidence(origin.answer))
    return PlannedRun(view.address, view.kind, evidence="names no metric from which its source follows")


def _planned(kind: str, report: Report) -> PlannedRun:
    answer = report.answer
    first, last = report.steps
    certainty, evidence = "unknown", ""
    if answer is not None:
        certainty = "unknown" if not answer.is_known else "certain" if answer.is_single else "likely"
        evidence = _evidence(answer)
    source = answer.source if answer is not None and answer.source is not None else ""
    return PlannedRun(
        report.run, kind, source, certainty, evidence, report.rows, float(first), float(last), report.verdict
    )


def _evidence(answer: SourceAnswer) -> str:
    """Return what speaks for a source, the weightiest first; where several are left, what they are before that."""
    if not answer.is_known:
        return source_line(answer, "the column source")
    weighty = sorted(answer.evidence, key=lambda item: -item.weight)[:_MOST_EVIDENCE]
    said = [item.says for item in weighty if item.weight > 0]
    left = [] if answer.is_single else [f"any of {', '.join(one.span for one in answer.candidates[:3])}"]
    return "; ".join([*left, *said])
