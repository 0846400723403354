"""Saved views and reports on a W&B server, read and written through the package wandb-workspaces.

Specs stay the text that the server sent, since the models of the package drop what they do not know.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.input_errors import InputError

__all__ = ["SCHEME", "Address", "SavedView"]

SCHEME = "wandb-workspace:"
"""What the address of a view begins with: ``wandb-workspace:ENTITY/PROJECT/VIEW``."""

_REPORTS = "reports"
_WORKSPACE_TYPE, _REPORT_TYPE = "project-view", "runs"


@dataclass(frozen=True, slots=True)
class SavedView:
    """A view or report: where it is kept, what it is called, and its spec as JSON text."""

    id: str
    name: str
    title: str
    spec: str


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

    def save(self, title: str, spec: str, *, over: SavedView | None = None) -> Address:
        """Save a spec in the project, as a new view or report or over an existing one, and return its address.

        Raises:
            InputError: If the server refuses.
            ModuleNotFoundError: If wandb-workspaces is not installed.
        """
        internal = _internal()
        variables = {
            "entityName": self.entity,
            "projectName": self.project,
            "displayName": title,
            "type": _REPORT_TYPE if self.is_report else _WORKSPACE_TYPE,
            "spec": spec,
        }
        if over is not None:
            variables |= {"id": over.id, "name": over.name}
        else:
            reports = import_module("wandb_workspaces.reports.v2.internal")
            name = reports._generate_name() if self.is_report else internal._generate_view_name()
            variables |= {"name": name, "description": ""}
        try:
            mutation = import_module("wandb_workspaces.reports.v2.gql").upsert_view
            saved = _execute(mutation, variables)["upsertView"]["view"]
        except Exception as error:
            msg = f"it can't be saved: {error}"
            raise InputError(msg, Path(str(self))) from None
        view = str(saved["id"]).rstrip("=") if self.is_report else str(saved["name"])
        return Address(self.entity, self.project, view.removeprefix("nw-").removesuffix("-v"), self.is_report)


def _internal() -> Any:
    return import_module("wandb_workspaces.workspaces.internal")


def _execute(query: str, variables: dict[str, Any]) -> Any:
    execute = import_module("wandb_workspaces._graphql").execute_graphql
    return execute(import_module("wandb").Api(), query, variables)


def _padded(report: str) -> str:
    """Return the id of a report as the server knows it; addresses leave out the padding."""
    return report + "=" * (-len(report) % 4)
