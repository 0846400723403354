"""Runs on a tracking server of MLflow: judged where they lie, and carried over to runs beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import rlmetrics
from rlmetrics.health.judging import judged_rows, source_of_run
from rlmetrics.health.report_records import Report as Judgement
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.names.tables.tables import Tables
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.translate.detection import origins_of
from rlmetrics.translate.jobs import Job
from rlmetrics.translate.origins import Decision
from rlmetrics.translate.report import Report
from rlmetrics.translate.rewriting.mlflow.routes import NOTE
from rlmetrics.translate.translation_options import Options
from rlmetrics.wording.voice import later

from .mlflow_server import MlflowAddress, MlflowServer
from .mlflow_spool import logged_in, spooled
from .server_run import Chooser, ServerRun

__all__ = ["MlflowServerRun", "runs_at"]

_ORIGINAL, _TARGET, _ASKED, _COMPLETE = "translated_run", "translated_to", "translated_as", "translation_complete"
"""Tags of a copy: whose it is, to what, by what, and whether all is there."""
_BACK = "translated_copies"
"""The tag of an original, if that was asked for: its copies by target."""
_NAME = "mlflow.runName"
_OF_FILES = ("mlflow.log-model.history", "mlflow.loggedArtifacts")
"""Tags about artifacts, which a copy has none of."""
_BATCH = 1000


def runs_at(address: MlflowAddress) -> Iterator[MlflowServerRun]:
    """Yield the runs of a server or an experiment, or one, but for copies that this program made.

    Raises:
        InputError: The server does not answer, or refuses.
    """
    server = MlflowServer(address)
    if address.run is not None:
        yield MlflowServerRun(str(address))
        return
    experiments = [address.experiment] if address.experiment else server.experiments()
    for run in server.runs(experiments) if experiments else ():
        if _ORIGINAL not in _tags(run):
            yield MlflowServerRun(str(server.at(run)), run)


class MlflowServerRun(ServerRun):
    """A run on a tracking server.

    Args:
        address: ``mlflow:`` and the address of its page.
        known: What the server told of it already.
    """

    kind = "mlflow"
    left_behind = later("artifacts, inputs and traces stay with the original, which the tag translated_run names")

    def __init__(self, address: str, known: Mapping[str, Any] | None = None) -> None:
        super().__init__(address)
        place = MlflowAddress.parse(address)
        if place is None or place.run is None:
            msg = "is no run; give the address of its page: mlflow:http://HOST:PORT/#/experiments/ID/runs/ID"
            raise InputError(msg, address)
        self._id = place.run
        self._server = MlflowServer(place)
        self._known = known

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs, without who asks."""
        return {"address": self.address, "known": self._known}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Begin anew there."""
        self.__init__(state["address"], state["known"])  # type: ignore[misc]

    def state(self) -> str:
        """Return a digest of its latest values, parameters and state."""
        run = self._run()
        data = run.get("data", {})
        own = run["info"].get("status"), run["info"].get("end_time"), data.get("metrics"), data.get("params")
        return hashlib.blake2b(json.dumps(own, sort_keys=True).encode(), digest_size=16).hexdigest()

    def judged(self, choose: Chooser, config: Mapping[str, Any], tables: Tables) -> Iterator[Judgement]:
        """Yield what health says of it."""
        with self._spooled() as unit:
            for run in unit.open().read():
                infer = partial(source_of_run, unit, run.name, at="auto", tables=tables)
                yield from judged_rows(run, self.address, partial(choose, infer), self.kind, config, tables)

    def carry(self, options: Options, decide: Decision, copies: Mapping[str, str]) -> Report:
        """Log a copy to the same experiment; one that was not completed, or is of something else, goes to the trash."""
        asked = hashlib.blake2b(
            repr((rlmetrics.__version__, options, self.state())).encode("utf-8", "surrogateescape"), digest_size=16
        ).hexdigest()
        with self._spooled() as unit:
            origin = decide(lambda: next(iter(origins_of([unit], spec=options.spec)[unit.path].values())))
            goal = unit.path.with_name("translated.db")
            report = Report.of(Job(options).attempt(unit, goal, {None: origin}))
            report.path = self.address
            if not options.dry_run:
                copy = self._logged(goal, report.target, asked)
                report.outputs = [str(copy)]
                if options.link_originals:
                    known = json.loads(_tags(self._run()).get(_BACK, "{}"))
                    self._server.tag(self._id, _BACK, json.dumps({**known, report.target: copy.run}))
            else:
                report.dry_run, report.outputs = True, [self.address]
        report.notes.append(f"not copied: {self.left_behind}")
        return report

    def is_there(self, outputs: Sequence[str]) -> bool:
        """Tell whether the copies are complete and not deleted."""
        try:
            return bool(outputs) and all(self._is_complete(MlflowServerRun(output)._run()) for output in outputs)
        except InputError:
            return False

    def _is_complete(self, run: Mapping[str, Any]) -> bool:
        return run["info"].get("lifecycle_stage") == "active" and _COMPLETE in _tags(run)

    def _run(self) -> Mapping[str, Any]:
        if self._known is None:
            self._known = self._server.run(self._id)
        return self._known

    def _logged(self, path: Path, target: str, asked: str) -> MlflowAddress:
        """Log a translated database and return the address of the run; one that is there already is left as it is."""
        run, server = self._run(), self._server
        info, experiment = run["info"], run["info"]["experiment_id"]
        for copy in server.runs([experiment], f"tags.{_ORIGINAL} = '{self._id}'"):
            tags = _tags(copy)
            if tags.get(_TARGET) == target:
                if tags.get(_ASKED) == asked and _COMPLETE in tags:
                    return server.at(copy)
                server.delete(copy["info"]["run_id"])
        named = f"{info.get('run_name') or _tags(run).get(_NAME) or self._id} ({target})"
        marks = {_NAME: named, _ORIGINAL: self._id, _TARGET: target, _ASKED: asked}
        tags = {
            **{key: value for key, value in _tags(run).items() if key not in (*_OF_FILES, _BACK)},
            **_note_in(path),
            **marks,
        }
        copy_id = server.create(
            {
                "experiment_id": experiment,
                "run_name": named,
                "start_time": info.get("start_time"),
                "user_id": info.get("user_id"),
                "tags": [{"key": key, "value": value} for key, value in marks.items()],
            }
        )
        server.log(copy_id, "tags", [{"key": key, "value": value} for key, value in tags.items()])
        server.log(copy_id, "params", run.get("data", {}).get("params", []))
        points = logged_in(path)
        while batch := [*islice(points, _BATCH)]:
            server.log(copy_id, "metrics", batch)
        server.update(copy_id, status=info.get("status"), end_time=info.get("end_time"), run_name=named)
        server.tag(copy_id, _COMPLETE, "true")
        return server.at({"info": {"experiment_id": experiment, "run_id": copy_id}})

    @contextmanager
    def _spooled(self) -> Iterator[Unit]:
        """Give it as a log; what is said of the log is said of it."""
        with spooled(self._server, self._run()) as unit:
            try:
                yield unit
            except (InputError, NamesError) as error:
                text = str(error).replace(str(unit.path), self.address)
                text = text.removeprefix(f"{self.address}: ")
                raise InputError(text, self.address) from None


def _tags(run: Mapping[str, Any]) -> dict[str, str]:
    return {entry["key"]: entry.get("value", "") for entry in run.get("data", {}).get("tags", ())}


def _note_in(path: Path) -> dict[str, str]:
    """Return the tag that says what the names of a translated database were."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(path)) as database:
        return dict(database.execute("SELECT key, value FROM tags WHERE key = ?", (NOTE,)).fetchall())
