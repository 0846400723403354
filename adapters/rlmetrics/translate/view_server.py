"""Saved views and reports on a W&B server, read and written through the package wandb-workspaces.

Specs stay the text that the server sent, since the models of the package drop what they do not know.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.input_errors import InputError

__all__ = ["SCHEME", "Address", "SavedView", "views_of"]

SCHEME = "wandb-workspace:"
"""What the address of a view begins with: ``wandb-workspace:ENTITY/PROJECT/VIEW``."""

_REPORTS = "reports"
_COPY_OF = "translated from "
_WORKSPACE_TYPE, _REPORT_TYPE = "project-view", "runs"


@dataclass(frozen=True, slots=True)
class SavedView:
    """A view or report: where it is kept, what it is called, its spec as JSON text, and what is said of it."""

    id: str
    name: str
    title: str
    spec: str
    description: str = ""

    @property
    def is_copy(self) -> bool:
        """Whether it is a translation of another one."""
        return self.description.startswith(_COPY_OF)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a view or report is, or where new ones go.

    Attributes:
        entity: The entity.
        project: The project.
        view: What follows ``?nw=`` in the address of a workspace's page; for a report, the id at the end of its title.
            None for the project itself.
        is_report: Whether it is a report.
    """

    entity: str
    project: str
    view: str | None = None
    is_report: bool = False

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read ``wandb-workspace:ENTITY/PROJECT[/VIEW]`` or ``wandb-workspace:ENTITY/PROJECT/reports/TITLE--ID``.

        Raises:
            InputError: If it is none of these.
        """
        parts = text.removeprefix(SCHEME).split("/")
        if all(parts) and len(parts) == 2:
            return cls(parts[0], parts[1])
        if all(parts) and len(parts) == 3:
            return cls(parts[0], parts[1], parts[2].removeprefix("nw-").removesuffix("-v"))
        if all(parts) and len(parts) == 4 and parts[2] == _REPORTS and "--" in parts[3]:
            return cls(parts[0], parts[1], parts[3].rpartition("--")[2], is_report=True)
        msg = (
            f"no view; write {SCHEME}ENTITY/PROJECT/VIEW, where VIEW is what follows ?nw= in the page's address, or "
            f"reports/TITLE--ID"
        )
        raise InputError(msg, Path(text))

    def __str__(self) -> str:
        inner = [] if self.view is None else [_REPORTS, f"--{self.view}"] if self.is_report else [self.view]
        return SCHEME + "/".join([self.entity, self.project, *inner])

    def _listed(self, name: str) -> Iterator[SavedView]:
        """Yield what has a name there.

        Raises:
            InputError: The server refuses.
        """
        try:
            yield from views_of(self.entity, self.project, _REPORT_TYPE if self.is_report else _WORKSPACE_TYPE, name)
        except Exception as error:
            msg = f"what is saved there can't be listed: {error}"
            raise InputError(msg, Path(str(self))) from None

    def read(self) -> SavedView:
        """Return what is kept there.

        Raises:
            InputError: If there is nothing, or the server refuses.
            ModuleNotFoundError: If wandb-workspaces is not installed.
        """
        internal = _internal()
        try:
            if self.is_report:
                query = import_module("wandb_workspaces.reports.v2.gql").view_report
                view = _execute(query, {"reportId": _padded(str(self.view))})["view"]
                return SavedView(view["id"], view["name"], view["displayName"], view["spec"])
            view = internal.get_view_dict(self.entity, self.project, self.view)
            return SavedView(view["id"], f"nw-{self.view}-v", view["displayName"], view["spec"])
        except Exception as error:  # The package lets through whatever its transports raise.
            msg = "there is no such report" if isinstance(error, TypeError) else f"it can't be read: {error}"
            raise InputError(msg, Path(str(self))) from None

    def save(
        self, title: str, spec: str, *, over: SavedView | None = None, name: str | None = None, of: str = ""
    ) -> Address:
        """Save a spec in the project, as a new view or report or over an existing one, and return its address.

        Args:
            title: What it is called.
            spec: Its spec.
            over: What it is saved over.
            name: The name by which the server knows it, and over which it is saved if it is there already.
            of: The id of what it is a translation of.

        Raises:
            InputError: If the server refuses.
            ModuleNotFoundError: If wandb-workspaces is not installed.
        """
        internal = _internal()
        if name is not None:
            name = f"nw-{name}-v" if not self.is_report else name
            over = next(self._listed(name), None)
        variables = {
            "entityName": self.entity,
            "projectName": self.project,
            "displayName": title,
            "type": _REPORT_TYPE if self.is_report else _WORKSPACE_TYPE,
            "spec": spec,
        }
        if of:
            variables["description"] = f"{_COPY_OF}{of}"
        if over is not None:
            variables |= {"id": over.id, "name": over.name}
        else:
            reports = import_module("wandb_workspaces.reports.v2.internal")
            name = name or (reports._generate_name() if self.is_report else internal._generate_view_name())
            variables = {"description": "", **variables, "name": name}
        try:
            mutation = import_module("wandb_workspaces.reports.v2.gql").upsert_view
            saved = _execute(mutation, variables)["upsertView"]["view"]
        except Exception as error:
            msg = f"it can't be saved: {error}"
            raise InputError(msg, Path(str(self))) from None
        view = str(saved["id"]).rstrip("=") if self.is_report else str(saved["name"])
        return Address(self.entity, self.project, view.removeprefix("nw-").removesuffix("-v"), self.is_report)


def views_of(entity: str, project: str, kind: str, name: str | None = None) -> Iterator[SavedView]:
    """Yield the views of a kind, all or those of a name, page by page, as W&B's client lists reports.

    Args:
        entity: The entity.
        project: The project.
        kind: ``project-view`` or, for reports, ``runs``.
        name: The name by which the server knows a view.
    """
    public = import_module("wandb.apis.public")
    api = import_module("wandb").Api()
    service = getattr(api, "_service_api", None) or api.client
    pages = public.Reports(service, public.Project(service, entity, project, {}), name=name, entity=entity)
    pages.variables["viewType"] = kind
    for view in pages:
        yield SavedView(view.id, view.name, view.display_name or "", json.dumps(view.spec), view.description or "")


def _internal() -> Any:
    return import_module("wandb_workspaces.workspaces.internal")


def _execute(query: str, variables: dict[str, Any]) -> Any:
    execute = import_module("wandb_workspaces._graphql").execute_graphql
    return execute(import_module("wandb").Api(), query, variables)


def _padded(report: str) -> str:
    """Return the id of a report as the server knows it; addresses leave out the padding."""
    return report + "=" * (-len(report) % 4)
