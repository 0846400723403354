"""A loop-back stand-in for the part of W&B's server that keeps the views of workspaces."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Views:
    """The views of one project, and what was asked.

    Attributes:
        saved: View by its internal name: id, displayName and spec.
        mutations: The variables of every view that was saved.
        url: Where the server listens.
    """

    def __init__(self) -> None:
        self.saved: dict[str, dict[str, Any]] = {}
        self.mutations: list[dict[str, Any]] = []
        self.url = ""

    def answer(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        """Return the data for one request."""
        if "upsertView" in query:
            self.mutations.append(variables)
            view = {
                "id": variables.get("id") or f"id-{variables['name']}",
                "displayName": variables["displayName"],
                "spec": variables["spec"],
            }
            self.saved[variables["name"]] = view
            return {"upsertView": {"view": {**view, "name": variables["name"]}, "inserted": "id" not in variables}}
        if "SpecificReport" in query:
            found = (view for view in self.saved.values() if view["id"] == variables["reportId"])
            return {"view": next(found, None)}
        if "allViews" in query:
            if (variables["entityName"], variables["projectName"]) != ("acme", "rl"):
                return {"project": None}
            found = self.saved.get(variables["viewName"])
            return {"project": {"allViews": {"edges": [{"node": found}] if found else []}}}
        return {"viewer": {"id": "u", "entity": "acme", "username": "u", "email": "u@example.org", "flags": "{}"}}


@contextmanager
def serving(views: Views) -> Iterator[str]:
    """Serve views on a free port of this machine and give the address."""

    class Handler(BaseHTTPRequestHandler):
        """Answers GraphQL; anything else that the client sends is taken and forgotten."""

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            data: dict[str, Any] = {}
            if self.path == "/graphql":
                request = json.loads(body)
                data = {"data": views.answer(request["query"], request.get("variables") or {})}
            answer = json.dumps(data).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    views.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield views.url
    finally:
        server.shutdown()
        server.server_close()
