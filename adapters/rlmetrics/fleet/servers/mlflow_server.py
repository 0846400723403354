"""A tracking server of MLflow, by its REST interface: experiments, runs, and histories in pages."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from rlmetrics.lazy_dataclasses import dataclass, replace
from rlmetrics.logs.input_errors import InputError

from .json_service import JsonService, authorisation

__all__ = ["MlflowAddress", "MlflowServer"]

_SCHEME = "mlflow:"
_PLACE = re.compile(r"/?#?/?experiments/(?P<experiment>[\w-]+)(?:/runs(?:/(?P<run>[\w-]+))?)?(?:[/?].*)?$")
_API = "api/2.0/mlflow"
_PAGE = 1000
"""Runs and experiments that are asked for at once."""
_POINTS = 25_000
"""Values of a history that are asked for at once, the most that MLflow gives."""
_BATCH = {"metrics": 1000, "params": 100, "tags": 100}
"""How much one request may log."""
_TOKEN, _USER, _PASSWORD = "MLFLOW_TRACKING_TOKEN", "MLFLOW_TRACKING_USERNAME", "MLFLOW_TRACKING_PASSWORD"


@dataclass(frozen=True, slots=True)
class MlflowAddress:
    """What an address means: a server, one of its experiments, or a run.

    Attributes:
        server: Where it listens.
        experiment: The id of an experiment.
        run: The id of a run.
    """

    server: str
    experiment: str | None = None
    run: str | None = None

    @classmethod
    def parse(cls, text: str) -> MlflowAddress | None:
        """Read ``mlflow:`` and the address of a server or of one of its pages; None if it is none of a server.

        Raises:
            InputError: It holds a password, or names no host.
        """
        if not text.startswith((f"{_SCHEME}http://", f"{_SCHEME}https://")):
            return None
        page = text.removeprefix(_SCHEME)
        parts = urlsplit(page)
        shown = f"{_SCHEME}{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        if "@" in parts.netloc:
            msg = f"leave user and password out of the address; set {_USER} and {_PASSWORD}"
            raise InputError(msg, shown)
        if not parts.hostname:
            msg = f"names no server; write {_SCHEME}http://HOST:PORT, or the address of an experiment's or run's page"
            raise InputError(msg, text)
        found = _PLACE.search(page)
        server = (page[: found.start()] if found else page.partition("#")[0]).rstrip("/")
        return cls(server, *(found.group("experiment", "run") if found else ()))

    def __str__(self) -> str:
        page = f"/#/experiments/{self.experiment}" if self.experiment else ""
        return f"{_SCHEME}{self.server}{page}{f'/runs/{self.run}' if self.run else ''}"


class MlflowServer:
    """A tracking server; who asks stands in the environment, as for MLflow's own client.

    Args:
        address: The server, or something on it.
    """

    def __init__(self, address: MlflowAddress) -> None:
        self.address = address
        token, user, password = (os.environ.get(name, "") for name in (_TOKEN, _USER, _PASSWORD))
        headers = authorisation(token, user, password)
        self._service = JsonService(
            f"{address.server}/{_API}", str(address), headers, secrets=(token, password, *headers.values())
        )

    def at(self, run: Mapping[str, Any]) -> MlflowAddress:
        """Return the address of a run."""
        return replace(self.address, experiment=run["info"]["experiment_id"], run=run["info"]["run_id"])

    def experiments(self) -> list[str]:
        """Return the ids of all experiments that are not deleted."""
        return [one["experiment_id"] for one in self._pages("experiments/search", "experiments", {})]

    def runs(self, experiments: Sequence[str], condition: str = "") -> Iterator[dict[str, Any]]:
        """Yield the runs of experiments that are not deleted, the oldest first.

        Args:
            experiments: The ids of experiments.
            condition: What is true of them, as MLflow's search takes it.
        """
        asked = {"experiment_ids": [*experiments], "filter": condition or None, "order_by": ["attributes.start_time"]}
        yield from self._pages("runs/search", "runs", asked)

    def run(self, run: str) -> dict[str, Any]:
        """Return a run: what it is called, the latest values, parameters and tags.

        Raises:
            InputError: There is none.
        """
        found: dict[str, Any] = self._service.get("runs/get", run_id=run)["run"]
        return found

    def history(self, run: str, key: str) -> Iterator[tuple[int, float, int]]:
        """Yield time, value and step of all that a run logged under a key, page by page."""
        token = None
        while True:
            page = self._service.get(
                "metrics/get-history", run_id=run, metric_key=key, max_results=_POINTS, page_token=token
            )
            for point in page.get("metrics", ()):
                # Proto's JSON has numbers of 64 bits, and those that JSON lacks, as text.
                yield int(point.get("timestamp", 0)), float(point.get("value", 0.0)), int(point.get("step", 0))
            token = page.get("next_page_token")
            if not token:
                return

    def create(self, values: Mapping[str, Any]) -> str:
        """Create a run and return its id; it is asked for once only."""
        made: str = self._service.post("runs/create", values, again=False)["run"]["info"]["run_id"]
        return made

    def log(self, run: str, what: str, entries: Sequence[Mapping[str, Any]]) -> None:
        """Log ``metrics``, ``params`` or ``tags`` of a run; the same ones again change nothing."""
        for start in range(0, len(entries), size := _BATCH[what]):
            self._service.post("runs/log-batch", {"run_id": run, what: entries[start : start + size]})

    def update(self, run: str, **values: Any) -> None:
        """Say how a run ended."""
        self._service.post("runs/update", {"run_id": run, **values})

    def tag(self, run: str, key: str, value: str) -> None:
        """Give a run a tag."""
        self._service.post("runs/set-tag", {"run_id": run, "key": key, "value": value})

    def delete(self, run: str) -> None:
        """Move a run to the trash of the server."""
        self._service.post("runs/delete", {"run_id": run})

    def _pages(self, path: str, what: str, asked: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        token = None
        while True:
            page = self._service.post(path, {**asked, "max_results": _PAGE, "page_token": token})
            yield from page.get(what, ())
            token = page.get("next_page_token")
            if not token:
                return
