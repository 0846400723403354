"""A stand-in for a project on W&B's server: what is listed there, in pages and within limits.

It answers only the documents that the installed packages send, found in their source, and what it answers fits the
models that were generated for those, where there are any.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import wandb
import wandb_server
import wandb_workspaces
from wandb.util import get_core_path

TIME = "2026-11-21T01:01:01Z"
PAGE_INFO = {"__typename": "PageInfo"}


@cache
def documents() -> set[str]:
    """The names of all operations in the source of the installed packages, and in what they have compiled."""
    found: set[str] = set()
    for package in (wandb, wandb_workspaces):
        for path in Path(next(iter(package.__path__))).rglob("*.py"):
            found.update(re.findall(r"\b(?:query|mutation)\s+(\w+)\s*[({]", path.read_text(encoding="utf-8")))
    compiled = Path(get_core_path()).read_bytes()
    found.update(name.decode() for name in re.findall(rb"\b(?:query|mutation) (\w+) ?[({]", compiled))
    return found


class ProjectServer(wandb_server.Server):
    """A server with a project: what it holds beside runs, and how it behaves.

    Attributes:
        project: The name of the project.
        views: Views and reports by their ids.
        sweeps: The configuration of each sweep, by its id.
        automations: The metric of each automation, by its name.
        most: The most that one page holds.
        refused: How many requests were answered with 429.
        every: Each how many requests one is refused; none if it is 0.
    """

    def __init__(self) -> None:
        super().__init__()
        self.project = "rl"
        self.views: dict[str, dict[str, Any]] = {}
        self.sweeps: dict[str, dict[str, Any]] = {}
        self.automations: dict[str, str] = {}
        self.most = 50
        self.every = 0
        self.refused = 0
        self.asked = 0
        self.operations: dict[str, int] = {}

    def refuses(self) -> bool:
        """Whether a request comes too soon."""
        self.asked += 1
        if self.every and self.asked % self.every == 0:
            self.refused += 1
            return True
        return False

    def query(self, operation: str, values: dict[str, Any]) -> dict[str, Any]:
        """Answer what the client sends and nothing else."""
        self.operations[operation] = self.operations.get(operation, 0) + 1
        if operation not in documents():
            self.unknown.append(operation)
            return {}
        return super().query(operation, values)

    def add_view(self, name: str, title: str, spec: dict[str, Any], kind: str = "project-view") -> str:
        """Save a view and return its id."""
        own = f"Vmlldzo{len(self.views):04}="
        self.views[own] = {
            "id": own,
            "name": name,
            "type": kind,
            "displayName": title,
            "description": "",
            "spec": json.dumps(spec),
        }
        return own

    def _paged(self, found: list[Any], values: dict[str, Any], limit: str, cursor: str) -> dict[str, Any]:
        begin = int(values.get(cursor) or 0)
        size = min(values.get(limit) or self.most, self.most)
        edges = [{"node": node, "cursor": str(begin + place + 1)} for place, node in enumerate(found[begin:][:size])]
        more = begin + size < len(found)
        page = {**PAGE_INFO, "endCursor": edges[-1]["cursor"] if edges else None, "hasNextPage": more}
        return {"edges": edges, "pageInfo": page}

    def _Runs(self, values: dict[str, Any]) -> dict[str, Any]:
        if values["project"] != self.project:
            return {"project": None}
        filters = json.loads(values.get("filters") or "{}")
        found = [run for (project, _), run in self.runs.items() if project == values["project"]]
        found = [run for run in found if _passes(run, filters)]
        paged = self._paged(found, values, "perPage", "cursor")
        for edge in paged["edges"]:
            run = edge["node"]
            edge["node"] = {**self._Run({"project": run.project, "name": run.name})["project"]["run"], "projectId": 1}
        return {"project": {"internalId": "1", "runCount": len(found), "readOnly": False, "runs": paged}}

    def _bucket(self, run: wandb_server.Run) -> dict[str, Any]:
        return {**super()._bucket(run), "id": f"run:{run.project}:{run.name}", "sweepName": None}

    def _ProjectViews(self, values: dict[str, Any]) -> dict[str, Any]:
        kind, name = values["viewType"], values.get("viewName")
        found = [view for view in self.views.values() if view["type"] == kind and name in (None, view["name"])]
        user = {"username": "u", "photoUrl": "", "email": "u@example.org"}
        nodes = [{**view, "user": user, "updatedAt": TIME, "createdAt": TIME} for view in found]
        return {"project": {"allViews": self._paged(nodes, values, "reportLimit", "reportCursor")}}

    def _View(self, values: dict[str, Any]) -> dict[str, Any]:
        found = [view for view in self.views.values() if view["name"] == values["viewName"]]
        return {"project": {"allViews": {"edges": [{"node": view} for view in found]}}}

    def _SpecificReport(self, values: dict[str, Any]) -> dict[str, Any]:
        found = self.views.get(values["reportId"])
        place = {"id": "p", "name": self.project, "entityName": wandb_server.ENTITY}
        return {"view": found and {**found, "project": place, "createdAt": TIME, "updatedAt": TIME}}

    def _upsertView(self, values: dict[str, Any]) -> dict[str, Any]:
        own = values.get("id")
        if own is None:
            own = self.add_view(values["name"], values["displayName"], {}, values["type"])
        view = self.views[own]
        view |= {key: values[key] for key in ("name", "displayName", "description", "spec") if key in values}
        return {"upsertView": {"view": view, "inserted": values.get("id") is None}}

    def _GetProject(self, values: dict[str, Any]) -> dict[str, Any]:
        user = {"__typename": "User", "id": "u", "name": "u", "username": "u", "email": "u@e.org", "admin": False}
        user |= {"flags": "{}", "entity": "team", "deletedAt": None, "apiKeys": None, "teams": None}
        project = {"__typename": "Project", "id": "p", "name": values["name"], "entityName": values["entity"]}
        project |= {"createdAt": TIME, "isBenchmark": False, "user": user}
        return self._typed("GetProject", {"project": project})

    def _GetSweeps(self, values: dict[str, Any]) -> dict[str, Any]:
        nodes = [_sweep(own, config) for own, config in self.sweeps.items()]
        paged = self._paged(nodes, values, "perPage", "cursor")
        return self._typed("GetSweeps", {"project": {"totalSweeps": len(nodes), "sweeps": paged}})

    def _GetSweep(self, values: dict[str, Any]) -> dict[str, Any]:
        own = values.get("name") or values["sweep"]
        return self._typed("GetSweep", {"project": {"sweep": _sweep(own, self.sweeps[own])}})

    def _GetEntityAutomationsLegacy(self, values: dict[str, Any]) -> dict[str, Any]:
        triggers = [_trigger(name, metric, self.project) for name, metric in self.automations.items()]
        paged = self._paged([{"__typename": "Project", "triggers": triggers}], values, "perPage", "cursor")
        answer = {"scope": {"projects": paged}}
        import_module("wandb.automations._generated").GetEntityAutomationsLegacy.model_validate(answer)
        return answer

    def _typed(self, model: str, answer: dict[str, Any]) -> dict[str, Any]:
        """Hold an answer against the model that the client reads it by."""
        getattr(import_module("wandb.apis._generated"), model).model_validate(answer)
        return answer


def _passes(run: wandb_server.Run, condition: dict[str, Any]) -> bool:
    """Whether a run passes a filter: the few operators that are asked for here."""
    for name, wanted in condition.items():
        if name == "$and":
            if not all(_passes(run, part) for part in wanted):
                return False
        elif name == "tags":
            if not set(wanted["$in"]) & set(run.tags):
                return False
        elif name == "state":
            if ("finished" if run.complete else "running") != wanted:
                return False
        elif name == "createdAt":
            if wanted["$gte"] > TIME:
                return False
        elif name == "sweep":
            if getattr(run, "sweep", None) != wanted:
                return False
        else:
            raise AssertionError(name)
    return True


def _sweep(own: str, config: dict[str, Any]) -> dict[str, Any]:
    return {
        "__typename": "Sweep",
        "id": f"sweep:{own}",
        "name": own,
        "displayName": None,
        "method": "grid",
        "state": "FINISHED",
        "description": None,
        "bestLoss": None,
        "config": json.dumps(config),
        "createdAt": TIME,
        "updatedAt": TIME,
        "runCount": 0,
        "runCountExpected": None,
    }


def _trigger(name: str, metric: str, project: str) -> dict[str, Any]:
    automations = import_module("wandb.automations")
    condition = automations.RunEvent.metric(metric).avg(5).gt(1.0).model_dump_json()
    condition = json.dumps({"run_filter": json.dumps({"$and": []}), "run_metric_filter": json.loads(condition)})
    return {
        "__typename": "Trigger",
        "id": f"VHJpZ2dlcjo{name}",
        "createdAt": TIME,
        "updatedAt": TIME,
        "name": name,
        "description": "",
        "enabled": True,
        "scope": {"__typename": "Project", "id": "UHJvamVjdDox", "name": project},
        "event": {
            "__typename": "FilterEventTriggeringCondition",
            "eventType": "RUN_METRIC",
            "filter": condition,
        },
        "action": {"__typename": "NoOpTriggeredAction", "noOp": True},
    }


def names_in_panels(spec: str) -> Iterable[str]:
    """The names of metrics that the panels of a spec draw."""
    from rlmetrics.logs.kinds.wandb_workspace import names_in

    return names_in(spec, Path("spec.json"))
