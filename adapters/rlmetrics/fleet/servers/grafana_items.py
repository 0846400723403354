"""Dashboards on a server of Grafana, carried over beside themselves, and the names that a Prometheus holds."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.folder_tree import Unit
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds import KINDS
from rlmetrics.logs.kinds.grafana import keys_behind
from rlmetrics.names.inference import Clues
from rlmetrics.names.tables.user_errors import NamesError
from rlmetrics.translate.detection import origin_of
from rlmetrics.translate.jobs import Job
from rlmetrics.translate.origins import Decision, Origin
from rlmetrics.translate.report import Report
from rlmetrics.translate.rewriting.wandb.ids import NewId
from rlmetrics.translate.translation_options import Options

from .json_service import JsonService, authorisation
from .server_run import ServerItem, ServerView

__all__ = ["GRAFANA", "PROMETHEUS", "GrafanaView", "PrometheusNames", "dashboards_at"]

GRAFANA, PROMETHEUS = "grafana:", "prometheus:"
_PAGE = re.compile(r"/d/(?P<uid>[\w-]+)(?:[/?].*)?$")
_TOKEN = "GRAFANA_TOKEN"
_LIMIT = 500
_COPY = "translated"
"""The tag of a copy."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A server of Grafana or Prometheus, or a dashboard there."""

    server: str
    uid: str | None
    text: str

    @classmethod
    def parse(cls, text: str) -> _Place:
        """Read ``grafana:`` or ``prometheus:`` and the address of a server or of a dashboard's page.

        Raises:
            InputError: It is none, or holds a password.
        """
        scheme, _, page = text.partition(":")
        parts = urlsplit(page)
        if "@" in parts.netloc:
            shown = f"{scheme}:{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
            msg = f"leave user and password out of the address; set {_TOKEN}"
            raise InputError(msg, shown)
        found = _PAGE.search(page)
        return cls((page[: found.start()] if found else page).rstrip("/"), found and found["uid"], text)

    def service(self) -> JsonService:
        """Return the server; who asks Grafana stands in the environment."""
        token = os.environ.get(_TOKEN, "") if self.text.startswith(GRAFANA) else ""
        return JsonService(self.server, self.text, authorisation(token), secrets=(token,))


def dashboards_at(where: str) -> Iterator[ServerItem]:
    """Yield the dashboards of a server but for copies, or one; for Prometheus, the names that it holds.

    Raises:
        InputError: The server does not answer, or refuses.
    """
    place = _Place.parse(where)
    if where.startswith(PROMETHEUS):
        yield PrometheusNames(where)
        return
    if place.uid:
        yield GrafanaView(where)
        return
    page, found = 1, list[dict[str, Any]]()
    while page == 1 or len(found) == _LIMIT:
        found = place.service().get("api/search", type="dash-db", limit=_LIMIT, page=page)
        for one in found:
            if _COPY not in one.get("tags", ()):
                yield GrafanaView(f"{GRAFANA}{place.server}/d/{one['uid']}")
        page += 1


class GrafanaView(ServerView):
    """A dashboard on a server of Grafana."""

    kind = "grafana"

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._place = _Place.parse(address)
        if self._place.uid is None:
            msg = f"is no dashboard; give the address of its page: {GRAFANA}http://HOST:PORT/d/UID"
            raise InputError(msg, address)

    def _read(self) -> dict[str, Any]:
        found: dict[str, Any] = self._place.service().get(f"api/dashboards/uid/{self._place.uid}")
        return found

    @contextmanager
    def _kept(self) -> Iterator[tuple[Unit, dict[str, Any]]]:
        """Give it as a file, with what the server says of it; what is said of the file is said of it."""
        found = self._read()
        with tempfile.TemporaryDirectory(prefix="rlmetrics-") as folder:
            path = Path(folder, "dashboard.json")
            path.write_text(json.dumps(found["dashboard"], ensure_ascii=False), encoding="utf-8")
            try:
                yield Unit(path, KINDS[self.kind], (path,)), found
            except (InputError, NamesError) as error:
                text = str(error).replace(str(path), self.address).removeprefix(f"{self.address}: ")
                raise InputError(text, self.address) from None

    def state(self) -> str:
        """Return a digest of the dashboard."""
        text = json.dumps(self._read()["dashboard"], sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()

    def inferred(self) -> Origin:
        """Return where its names come from by themselves."""
        with self._kept() as (unit, _):
            return origin_of(unit.path, Clues(tuple(sorted(unit.open().names()))))

    def carry(self, options: Options, decide: Decision, copies: Mapping[str, str]) -> Report:
        """Save a copy in the same folder, under an id that follows from the dashboard and the target."""
        with self._kept() as (unit, found):
            goal = unit.path.with_name("translated.json")
            report = Report.of(Job(options).attempt(unit, goal, {None: decide(self.inferred)}))
            report.path, report.dry_run = self.address, options.dry_run
            report.outputs = [self.address]
            if not options.dry_run:
                new = json.loads(goal.read_text(encoding="utf-8"))
                own = NewId.of(str(self._place.uid), report.source, report.target).new
                tags = [*dict.fromkeys([*new.get("tags", ()), _COPY])]
                new |= {"id": None, "uid": own, "title": f"{new.get('title', '')} ({report.target})", "tags": tags}
                folder = found.get("meta", {}).get("folderUid") or None
                message = f"translated from {self._place.uid}"
                body = {"dashboard": new, "folderUid": folder, "overwrite": True, "message": message}
                self._place.service().post("api/dashboards/db", body)
                report.outputs = [f"{GRAFANA}{self._place.server}/d/{own}"]
        return report

    def is_there(self, outputs: Sequence[str]) -> bool:
        """Tell whether the copies are on the server."""
        try:
            return bool(outputs) and all(GrafanaView(output)._read() for output in outputs)
        except InputError:
            return False


class PrometheusNames(ServerView):
    """The names that a server of Prometheus holds, from which follows what its exporters tell of."""

    kind = "prometheus"
    is_only_told = True

    def _names(self) -> list[str]:
        answer = _Place.parse(self.address).service().get("api/v1/label/__name__/values")
        return sorted(keys_behind(set(answer.get("data", ()))))

    def state(self) -> str:
        """Return a digest of the names."""
        return hashlib.blake2b("\0".join(self._names()).encode(), digest_size=16).hexdigest()

    def inferred(self) -> Origin:
        """Return what logs such names."""
        return origin_of(Path(self.address), Clues(tuple(self._names())))

    def carry(self, options: Options, decide: Decision, copies: Mapping[str, str]) -> Report:
        """Say that series are not renamed."""
        report = decide(self.inferred).translator(options, options.surface).new_report(self.kind)
        report.notes.append("series of Prometheus keep their names: translate the dashboards that draw them")
        return report

    def is_there(self, outputs: Sequence[str]) -> bool:
        """Tell that nothing is to be written."""
        return True
