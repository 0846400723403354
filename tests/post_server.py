"""A server on this machine that keeps what is posted to it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["Server", "serving"]


class Server(ThreadingHTTPServer):
    """Keeps what is posted.

    Attributes:
        posted: The bodies.
        gate: Open while it answers.
        status: What it answers.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.posted: list[dict[str, Any]] = []
        self.gate = threading.Event()
        self.gate.set()
        self.status = 200

    @property
    def url(self) -> str:
        """Where to post."""
        return f"http://127.0.0.1:{self.server_address[1]}/hook"


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    def do_POST(self) -> None:
        """Keep the body."""
        assert isinstance(self.server, Server)
        self.server.gate.wait(20)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posted.append(json.loads(body))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Print nothing."""


@contextmanager
def serving() -> Iterator[Server]:
    """Return a server that runs meanwhile."""
    found = Server()
    thread = threading.Thread(target=found.serve_forever, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        found.gate.set()
        found.shutdown()
        found.server_close()
