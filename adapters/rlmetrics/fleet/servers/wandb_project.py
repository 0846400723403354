"""What a project of W&B holds, asked of W&B's own client: runs, saved views, reports, sweeps and automations."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.optional_packages import MissingPackageError
from rlmetrics.translate.view_server import SCHEME as VIEW_SCHEME
from rlmetrics.translate.view_server import SavedView, views_of
from rlmetrics.translate.wandb_runs import COPY_MARK, SCHEME, told

__all__ = ["Project", "api"]

_PAGE = 100
_VIEWS, _REPORTS = "project-view", "runs"


@lru_cache(maxsize=1)
def api() -> Any:
    """Return the client; a process has one.

    Raises:
        MissingPackageError: wandb is not installed.
    """
    try:
        return import_module("wandb").Api()
    except ModuleNotFoundError as error:
        raise MissingPackageError.of(error) or error from None


@dataclass(frozen=True, slots=True)
class Project:
    """A project.

    Attributes:
        entity: Whose it is.
        name: What it is called.
    """

    entity: str
    name: str

    def __str__(self) -> str:
        return f"{SCHEME}{self.entity}/{self.name}"

    @property
    def path(self) -> str:
        """What the client calls it."""
        return f"{self.entity}/{self.name}"

    def runs(self, filters: dict[str, Any]) -> Iterator[Any]:
        """Yield its runs, the oldest first, with their summaries, page by page; copies are left out."""
        with told(str(self)):
            # Older clients ask for all of a run anyway.
            whole = {"lazy": False} if "lazy" in inspect.signature(api().runs).parameters else {}
            for run in api().runs(self.path, filters=filters, order="+created_at", per_page=_PAGE, **whole):
                if COPY_MARK not in run.config:
                    yield run

    def ids(self) -> dict[str, str]:
        """Return the ids that the server itself uses, by those in addresses, of all runs, copies included."""
        with told(str(self)):
            return {run.id: run.storage_id for run in api().runs(self.path, per_page=_PAGE)}

    def views(self) -> Iterator[tuple[str, SavedView]]:
        """Yield the address of each saved view, and the view; then those of reports."""
        with told(str(self)):
            for view in views_of(self.entity, self.name, _VIEWS):
                yield f"{VIEW_SCHEME}{self.path}/{view.name.removeprefix('nw-').removesuffix('-v')}", view
            for view in views_of(self.entity, self.name, _REPORTS):
                yield f"{VIEW_SCHEME}{self.path}/reports/--{view.id.rstrip('=')}", view

    def sweeps(self) -> Iterator[tuple[str, str, str]]:
        """Yield the id of each sweep, the metric that it optimises, and what it is called."""
        with told(str(self)):
            for sweep in api().project(self.name, self.entity).sweeps():
                metric = (sweep.config or {}).get("metric") or {}
                yield sweep.id, str(metric.get("name") or ""), sweep.name

    def automations(self) -> Iterator[tuple[str, list[str]]]:
        """Yield the name of each automation of the project, with the metrics whose values set it off."""
        client = api()
        if not hasattr(client, "automations"):
            return
        with told(str(self)):
            for automation in client.automations(entity=self.entity):
                if getattr(automation.scope, "name", None) == self.name:
                    event = automation.event.model_dump(mode="json", round_trip=False)
                    yield automation.name, [*dict.fromkeys(_metrics(event))]


def _metrics(event: Any) -> Iterator[str]:
    """Yield the names of metrics that a condition holds, wherever they stand in it."""
    if isinstance(event, str) and event.startswith(("{", "[")):
        try:
            yield from _metrics(json.loads(event))
        except ValueError:
            return
    elif isinstance(event, list):
        for part in event:
            yield from _metrics(part)
    elif isinstance(event, dict):
        if isinstance(event.get("name"), str) and ("threshold" in event or "change_type" in event or "agg" in event):
            yield event["name"]
        for part in event.values():
            yield from _metrics(part)
