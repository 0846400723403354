"""What W&B's projects hold: runs, which are judged where they lie, and all that is carried over beside itself."""

from __future__ import annotations

import hashlib
import json
import re
from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar

from rlmetrics.health.judging import judged_rows, keys_of
from rlmetrics.health.report_records import Report as Judgement
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.wandb.nested_names import NestedNames
from rlmetrics.logs.kinds.wandb_workspace import names_in
from rlmetrics.logs.log import arguments_among
from rlmetrics.logs.reading import LoggedRow, RecordedRun, as_step
from rlmetrics.logs.run_settings import flattened
from rlmetrics.names.inference import Clues, SourceAnswer, find_source, nonzero_in
from rlmetrics.names.tables.tables import Tables
from rlmetrics.translate.detection import origin_of
from rlmetrics.translate.origins import Decision, Origin
from rlmetrics.translate.report import Report
from rlmetrics.translate.translation_options import Options
from rlmetrics.translate.view_server import SCHEME as VIEW_SCHEME
from rlmetrics.translate.view_server import Address
from rlmetrics.translate.views import translate_view
from rlmetrics.translate.wandb_runs import SCHEME, metrics_of, recorded_in, told, translate_server_run, values_of
from rlmetrics.wording.voice import later

from .chosen_runs import Selection
from .server_run import Chooser, ServerItem, ServerRun, ServerView
from .wandb_project import Project, api

__all__ = ["wandb_item", "wandb_items"]

_SWEEPS, _AUTOMATIONS = "sweeps", "automations"
_ANEW = later("make a new one that names {key}")
_CLIENT = ("wandb", "wandb.apis.public")
_FINISHED = frozenset({"finished", "crashed", "failed", "killed"})


def wandb_items(where: str, selection: Selection) -> Iterator[ServerItem]:
    """Yield what a project holds, or the one thing that an address names.

    Raises:
        InputError: The address is none, or the server refuses.
    """
    parts = where.removeprefix(SCHEME).split("/")
    if len(parts) != 2 or not all(parts):
        yield wandb_item(where)
        return
    project = Project(*parts)
    for run in project.runs(selection.filters()):
        yield WandbServerRun(f"{project}/{run.id}")
    for address, view in project.views():
        if not view.is_copy:
            yield WandbView(address, view.spec)
    for sweep, metric, _ in project.sweeps():
        yield WandbSweep(f"{project}/{_SWEEPS}/{sweep}", (metric,) if metric else ())
    for name, metrics in project.automations():
        yield WandbAutomation(f"{project}/{_AUTOMATIONS}/{name}", tuple(metrics))


def wandb_item(address: str) -> ServerItem:
    """Return what an address names.

    Raises:
        InputError: It is none.
    """
    if address.startswith(VIEW_SCHEME):
        return WandbView(address)
    parts = address.removeprefix(SCHEME).split("/")
    if len(parts) == 3 and all(parts):
        return WandbServerRun(address)
    if len(parts) >= 4 and parts[2] == _SWEEPS:
        return WandbSweep(address)
    if len(parts) >= 4 and parts[2] == _AUTOMATIONS:
        return WandbAutomation(address)
    msg = f"is no project and no run; write {SCHEME}ENTITY/PROJECT or {SCHEME}ENTITY/PROJECT/RUN"
    raise InputError(msg, address)


class WandbServerRun(ServerRun):
    """A run on the server."""

    kind = "wandb"
    packages = _CLIENT
    left_behind = later(
        "W&B's interface takes no start time, system metrics, console output, artifacts, files or media; they stay "
        "with the original, which translated_from in the copy's configuration names"
    )

    def _run(self, *, anew: bool = False) -> Any:
        with told(self.address):
            if anew:  # The client keeps every run that it was asked for, and a project may have any number.
                api().flush()
            return api().run(self.address.removeprefix(SCHEME))

    def state(self) -> str:
        """Return a digest of its last step, summary and state."""
        run = self._run(anew=True)
        own = run.lastHistoryStep, run.state, values_of(run.summaryMetrics)
        return _digest(own)

    def judged(self, choose: Chooser, config: Mapping[str, Any], tables: Tables) -> Iterator[Judgement]:
        """Yield what health says of it, from its history."""
        run = self._run(anew=True)
        recorded = recorded_in(run)

        def rows() -> Iterator[LoggedRow]:
            nested = NestedNames()
            with told(self.address):
                for row in run.scan_history():
                    yield LoggedRow(as_step(row.get("_step")), metrics_of(row, nested))

        def infer(first: Sequence[LoggedRow]) -> SourceAnswer:
            settings = frozenset(recorded)
            whole = bool(arguments_among(recorded))
            nonzero = nonzero_in(row.values for row in first)
            where = {"settings": "W&B"} if settings else {}
            clues = Clues(
                tuple(keys_of(first)),
                whole=True,
                settings=settings,
                settings_whole=whole,
                nonzero=nonzero,
                where=where,
            )
            return find_source(clues, tables)

        one = RecordedRun("", rows(), flattened(run.config))
        yield from judged_rows(one, self.address, partial(choose, infer), self.kind, config, tables)

    def carry(self, options: Options, decide: Decision, copies: Mapping[str, str]) -> Report:
        """Log a copy to the same project, or continue one that was interrupted."""
        return translate_server_run(self.address, options, decide=decide, client=api())

    def is_there(self, outputs: Sequence[str]) -> bool:
        """Tell whether the copies are on the server, and have ended."""
        try:
            return bool(outputs) and all(WandbServerRun(output)._run().state in _FINISHED for output in outputs)
        except InputError:
            return False


class WandbView(ServerView):
    """A saved view or a report.

    Args:
        address: Where it is.
        spec: Its spec, as far as the server told it already.
    """

    kind = "wandb-workspace"
    packages = (*_CLIENT, "wandb_workspaces.workspaces.internal", "wandb_workspaces.reports.v2.gql")

    def __init__(self, address: str, spec: str | None = None) -> None:
        super().__init__(address)
        self._spec = spec

    def _read(self) -> str:
        if self._spec is None:
            self._spec = Address.parse(self.address).read().spec
        return self._spec

    def state(self) -> str:
        """Return a digest of its spec."""
        return _digest(json.loads(self._read()))

    def inferred(self) -> Origin:
        """Return where its names come from by themselves."""
        path = Path(self.address)
        return origin_of(path, Clues(tuple(sorted(names_in(self._read(), path)))))

    def carry(self, options: Options, decide: Decision, copies: Mapping[str, str]) -> Report:
        """Save a copy under a name that follows from the view and the target, which names the copies of runs."""
        where = Address.parse(self.address)
        same = f"{SCHEME}{where.entity}/{where.project}/"
        runs = {old.removeprefix(same): new.removeprefix(same) for old, new in copies.items() if old.startswith(same)}
        if runs:
            ids = _ids(where.entity, where.project)
            runs |= {ids[old]: ids[new] for old, new in runs.items() if old in ids and new in ids}
        return translate_view(self.address, options, decide=decide, runs=runs, lasting=True)

    def is_there(self, outputs: Sequence[str]) -> bool:
        """Tell whether the copies are on the server."""
        try:
            return bool(outputs) and all(Address.parse(output).read().spec for output in outputs)
        except InputError:
            return False


class _Named(ServerView):
    """What names a few metrics, and can't be changed from here: the account says what it would have to name.

    Args:
        address: Where it is.
        metrics: The names, as far as the server told them already.
    """

    what: ClassVar[str]
    """What the account says of it, with a place for the name."""
    packages = _CLIENT
    is_only_told = True

    def __init__(self, address: str, metrics: tuple[str, ...] | None = None) -> None:
        super().__init__(address)
        self._metrics = metrics

    def _names(self) -> tuple[str, ...]:
        if self._metrics is None:
            entity, project, _, own = self.address.removeprefix(SCHEME).split("/", 3)
            self._metrics = self.found(Project(entity, project), own)
        return self._metrics

    @abstractmethod
    def found(self, project: Project, own: str) -> tuple[str, ...]:
        """Return the names, asked of the server."""

    def state(self) -> str:
        """Return a digest of the names."""
        return _digest(self._names())

    def inferred(self) -> Origin:
        """Return where its names come from by themselves."""
        return origin_of(Path(self.address), Clues(self._names()))

    def carry(self, options: Options, decide: Decision, copies: Mapping[str, str]) -> Report:
        """Return what a new one would have to name."""
        origin = decide(self.inferred)
        translator = origin.translator(options, options.surface)
        report = translator.new_report(self.kind)
        for entry in translator.entries(dict.fromkeys(self._names())):
            if entry.name != entry.old:
                report.notes.append(f"{self.what.format(key=entry.old)}: {_ANEW.format(key=entry.name)}")
        return report

    def is_there(self, outputs: Sequence[str]) -> bool:
        """Tell that nothing is to be written."""
        return True


class WandbSweep(_Named):
    """A sweep, of which the metric that it optimises is named."""

    kind = "wandb-sweep"
    what = later("a sweep names {key}")

    def found(self, project: Project, own: str) -> tuple[str, ...]:
        """Return the metric."""
        return tuple(metric for sweep, metric, _ in project.sweeps() if sweep == own and metric)


class WandbAutomation(_Named):
    """An automation, which values of metrics set off."""

    kind = "wandb-automation"
    what = later("an automation names {key}")

    def found(self, project: Project, own: str) -> tuple[str, ...]:
        """Return the metrics."""
        return tuple(metric for name, metrics in project.automations() if name == own for metric in metrics)


@lru_cache(maxsize=1)
def _ids(entity: str, project: str) -> dict[str, str]:
    return Project(entity, project).ids()


def _digest(value: Any) -> str:
    text = re.sub(r"\s+", " ", json.dumps(value, sort_keys=True, default=str))
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
