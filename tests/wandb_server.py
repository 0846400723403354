"""A stand-in for W&B's server on the loop-back interface: keeps what ``wandb`` sends to it, so that tests can look.

It answers the requests that the wandb package makes when it uploads a run: GraphQL mutations for the run, its files and
its artifacts, streamed lines of files, and uploads.
"""

import base64
import gzip
import hashlib
import json
import math
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote

ENTITY = "team"


@dataclass
class Run:
    """What arrived of one run."""

    name: str
    project: str
    display_name: str = ""
    config: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    alerts: list[str] = field(default_factory=list)
    complete: bool = False
    tags: list[str] = field(default_factory=list)
    group: str | None = None
    job_type: str | None = None
    notes: str | None = None

    @property
    def last_step(self) -> int:
        """The step of the last row; -1 if there is none."""
        return int(self.history[-1]["_step"]) if self.history else -1


@dataclass
class Artifact:
    """An artifact: its files by name."""

    name: str
    run: str
    state: str = "PENDING"
    files: dict[str, bytes] = field(default_factory=dict)


class Server:
    """What arrived.

    Attributes:
        url: Where the server listens.
        runs: By project and id.
        files: Contents by project, id and name of the file.
        artifacts: In the order in which they were created.
        unknown: Names of operations that it can't answer.
    """

    def __init__(self) -> None:
        self.url = ""
        self.runs: dict[tuple[str, str], Run] = {}
        self.files: dict[tuple[str, str, str], bytes] = {}
        self.artifacts: list[Artifact] = []
        self.unknown: list[str] = []

    def environment(self, home: object) -> dict[str, str]:
        """Variables for a process of wandb that talks to this server and keeps its own files below ``home``."""
        own = {
            "WANDB_BASE_URL": self.url,
            "WANDB_API_KEY": "0" * 40,
            "WANDB_ERROR_REPORTING": "false",
            "HOME": str(home),
        }
        own |= {"WANDB_SILENT": "true", "WANDB_CONFIG_DIR": f"{home}/config", "WANDB_CACHE_DIR": f"{home}/cache"}
        own |= {"WANDB_DATA_DIR": f"{home}/data", "WANDB_MODE": "online", "WANDB_CONSOLE": "off"}
        return {**{key: value for key, value in os.environ.items() if not key.startswith("WANDB_")}, **own}

    def refuses(self) -> bool:
        """Whether a request comes too soon."""
        return False

    def query(self, operation: str, values: dict[str, Any]) -> dict[str, Any]:
        """Answer a request to ``/graphql``."""
        answer = getattr(self, f"_{operation}", None)
        if answer is None:
            self.unknown.append(operation)
            return {}
        found: dict[str, Any] = answer(values.get("input", values))
        return found

    def stream(self, project: str, name: str, sent: dict[str, Any]) -> None:
        """Take lines of files, each batch with its offset."""
        run = self.runs[project, name]
        for file, chunk in sent.get("files", {}).items():
            lines = [json.loads(line) for line in chunk["content"]] if file.endswith((".json", ".jsonl")) else []
            if file == "wandb-history.jsonl":
                run.history[chunk["offset"] :] = lines
            elif file == "wandb-summary.json":
                run.summary = lines[-1]
        run.complete = run.complete or bool(sent.get("complete"))

    def upload(self, place: str, content: bytes) -> None:
        """Take a file."""
        kind, first, second, name = place.split("/", 3)
        if kind == "run":
            self.files[first, second, unquote(name)] = content
        else:
            self.artifacts[int(first)].files[unquote(name)] = content

    def _UpsertBucket(self, values: dict[str, Any]) -> dict[str, Any]:
        if "id" in values and "project" not in values:  # an existing run is changed
            project, name = next(place for place, run in self.runs.items() if self._bucket(run)["id"] == values["id"])
        else:
            project, name = values["project"] or "uncategorized", values["name"]
        inserted = (project, name) not in self.runs
        run = self.runs.setdefault((project, name), Run(name, project))
        run.display_name = values.get("displayName") or run.display_name
        run.tags = values.get("tags") or run.tags
        run.group = values.get("groupName") or run.group
        run.job_type = values.get("jobType") or run.job_type
        run.notes = values.get("notes") or run.notes
        if values.get("config"):
            run.config = {key: entry["value"] for key, entry in json.loads(values["config"]).items()}
        place = {"id": "p", "name": project, "entity": {"id": "e", "name": ENTITY}}
        return {"upsertBucket": {"bucket": {**self._bucket(run), "project": place}, "inserted": inserted}}

    def _Viewer(self, values: dict[str, Any]) -> dict[str, Any]:
        viewer = {"id": "u", "entity": ENTITY, "username": "user", "name": "user", "email": "user@example.org"}
        return {"viewer": {**viewer, "flags": "{}", "teams": {"edges": []}, "apiKeys": {"edges": []}, "admin": False}}

    _GetDefaultEntity = _Viewer

    def _OrganizationCoreWeaveOrganizationID(self, values: dict[str, Any]) -> dict[str, Any]:
        return {"entity": {"organization": None}}

    def _Run(self, values: dict[str, Any]) -> dict[str, Any]:
        run = self.runs.get((values["project"], values["name"]))
        if run is None:
            return {"project": {"run": None}}
        found = {
            **self._bucket(run),
            "projectId": 1,
            "state": "finished" if run.complete else "running",
            "systemMetrics": "{}",
            "historyKeys": {"lastStep": run.last_step, "keys": {key: {} for row in run.history for key in row}},
            "user": {"name": "user", "username": "user"},
            **dict.fromkeys(("createdAt", "heartbeatAt"), "2026-11-21T01:01:01Z"),
            **dict.fromkeys(("commit", "sweepName"), None),
            "readOnly": False,
        }
        return {"project": {"run": found}}

    def _RunHistoryKeys(self, values: dict[str, Any]) -> dict[str, Any]:
        run = self.runs[values["project"], values["name"]]
        return {
            "project": {
                "run": {
                    "historyKeys": {"lastStep": run.last_step, "keys": {key: {} for row in run.history for key in row}}
                }
            }
        }

    def _RunParquetHistory(self, values: dict[str, Any]) -> dict[str, Any]:
        live = [{"_step": row["_step"]} for row in self.runs[values["project"], values["runName"]].history]
        return {"project": {"run": {"parquetHistory": {"parquetUrls": [], "liveData": live}}}}

    def _HistoryPage(self, values: dict[str, Any]) -> dict[str, Any]:
        rows = self.runs[values["project"], values["run"]].history
        found = [row for row in rows if values["minStep"] <= row["_step"] < values["maxStep"]]
        return {"project": {"run": {"history": [json.dumps(_finite(row)) for row in found]}}}

    def _RunResumeStatus(self, values: dict[str, Any]) -> dict[str, Any]:
        run = self.runs.get((values["project"], values["name"]))
        place = {"id": "p", "name": values["project"], "entity": {"id": "e", "name": ENTITY}}
        return {"model": {**place, "bucket": None if run is None else self._bucket(run)}}

    def _bucket(self, run: Run) -> dict[str, Any]:
        """What the server tells of a run."""
        return {
            "id": f"{run.project}:{run.name}",
            "name": run.name,
            "displayName": run.display_name,
            "description": "",
            "tags": run.tags,
            "group": run.group,
            "jobType": run.job_type,
            "notes": run.notes,
            "config": json.dumps({key: {"value": value} for key, value in run.config.items()}),
            "summaryMetrics": json.dumps(_finite(run.summary)),
            "historyLineCount": len(run.history),
            "eventsLineCount": 0,
            "logLineCount": 0,
            "historyTail": json.dumps([json.dumps(_finite(row)) for row in run.history[-1:]]),
            "eventsTail": "[]",
            "wandbConfig": '{"t": 1}',
            "sweepName": None,
        }

    def _NotifyScriptableRunAlert(self, values: dict[str, Any]) -> dict[str, Any]:
        self.runs[values["projectName"], values["runName"]].alerts.append(values["title"])
        return {"notifyScriptableRunAlert": {"success": True}}

    def _ServerFeaturesQuery(self, values: dict[str, Any]) -> dict[str, Any]:
        return {"serverInfo": {"features": []}}

    def _CreateRunFiles(self, values: dict[str, Any]) -> dict[str, Any]:
        place = f"{self.url}/upload/run/{values['project']}/{values['run']}"
        files = [{"name": name, "uploadUrl": f"{place}/{name}"} for name in values["files"]]
        return {"createRunFiles": {"runID": values["run"], "uploadHeaders": [], "files": files}}

    def _CreateArtifact(self, values: dict[str, Any]) -> dict[str, Any]:
        self.artifacts.append(Artifact(values["artifactCollectionName"], values["runName"]))
        sequence = {"id": "s", "latestArtifact": None}
        artifact = {"id": str(len(self.artifacts) - 1), "state": "PENDING", "artifactSequence": sequence}
        return {"createArtifact": {"artifact": artifact}}

    def _CreateArtifactFiles(self, values: dict[str, Any]) -> dict[str, Any]:
        nodes = [self._artifact_file(file["artifactID"], file["name"]) for file in values["artifactFiles"]]
        return {"createArtifactFiles": {"files": {"edges": [{"node": node} for node in nodes]}}}

    def _CreateArtifactManifest(self, values: dict[str, Any]) -> dict[str, Any]:
        file = self._artifact_file(values["artifactID"], values["name"])
        return {"createArtifactManifest": {"artifactManifest": {"id": values["artifactID"], "file": file}}}

    def _UpdateArtifactManifest(self, values: dict[str, Any]) -> dict[str, Any]:
        file = self._artifact_file(values["artifactManifestID"], "wandb_manifest.json")
        return {"updateArtifactManifest": {"artifactManifest": {"id": values["artifactManifestID"], "file": file}}}

    def _CommitArtifact(self, values: dict[str, Any]) -> dict[str, Any]:
        artifact = self.artifacts[int(values["artifactID"])]
        artifact.state = "COMMITTED"
        digest = base64.b64encode(hashlib.md5(b"".join(artifact.files.values())).digest()).decode()
        return {"commitArtifact": {"artifact": {"id": values["artifactID"], "digest": digest}}}

    def _artifact_file(self, artifact: str, name: str) -> dict[str, Any]:
        url = f"{self.url}/upload/artifact/{artifact}/-/{name}"
        known = {"id": name, "name": name, "displayName": name, "artifact": {"id": artifact}, "storagePath": None}
        return {**known, "uploadUrl": url, "uploadHeaders": [], "uploadMultipartUrls": None}


def _finite(value: Any) -> Any:
    """NaN and infinity as text, which is how the server tells them."""
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_finite(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return value


class _Listener(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that end while a connection is still open."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


@contextmanager
def serving(server: Server | None = None) -> Iterator[Server]:
    """A server that runs until the block ends, a new one by default."""
    served = server or Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body of an answer go out together: apart, the second waits 40 ms for the client to confirm the first.
        wbufsize = -1

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

        def do_POST(self) -> None:
            sent = json.loads(self._body())
            if self.path == "/graphql":
                if served.refuses():
                    self._reply({"errors": [{"message": "rate limit exceeded"}]}, 429)
                    return
                named = re.search(r"\b(?:query|mutation)\s+(\w+)", sent["query"])
                name = named[1] if named else "Viewer"
                self._reply({"data": served.query(name, sent.get("variables") or {})})
                return
            _, _, _, project, run, _ = self.path.split("/")
            served.stream(project, run, sent)
            self._reply({})

        def do_PUT(self) -> None:
            served.upload(self.path.removeprefix("/upload/"), self._body())
            self._reply({})

        def _body(self) -> bytes:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            return gzip.decompress(body) if self.headers.get("Content-Encoding") == "gzip" else body

        def _reply(self, answer: dict[str, Any], code: int = 200) -> None:
            body = json.dumps(answer).encode()
            self.send_response(code)
            if code == 429:
                self.send_header("Retry-After", "0")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with _Listener(("127.0.0.1", 0), Handler) as listener:
        served.url = f"http://127.0.0.1:{listener.server_port}"
        thread = threading.Thread(target=listener.serve_forever, daemon=True)
        thread.start()
        try:
            yield served
        finally:
            listener.shutdown()
            thread.join()
