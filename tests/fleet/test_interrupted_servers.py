"""Ctrl-C while a server that answers "too many requests" is asked again and again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command_line import hears_interrupts
from generate_support import environment


@pytest.fixture
def busy() -> Iterator[tuple[str, threading.Event]]:
    """Return the address of a server that refuses everything for half a minute, and what tells that it was asked."""
    asked = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

        def do_GET(self) -> None:
            self.send_response(429)
            self.send_header("Retry-After", "30")
            self.send_header("Content-Length", "0")
            self.end_headers()
            asked.set()

        do_POST = do_GET  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("project", ["wandb:team/tiny", "mlflow:{url}/#/experiments/1"])
def test_the_exit_code_is_that_of_an_interruption(
    busy: tuple[str, threading.Event], tmp_path: Path, project: str
) -> None:
    """It ends at once with 130 and without a traceback, and nothing is left behind."""
    url, asked = busy
    key = {"WANDB_BASE_URL": url, "WANDB_API_KEY": "0" * 40, "WANDB_SILENT": "true", "HOME": str(tmp_path / "home")}
    work = tmp_path / "work"
    work.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "rlmetrics.cli", "check", project.format(url=url)],
        cwd=work,
        env=environment(**key),
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=hears_interrupts,
    )
    try:
        assert asked.wait(30)
        # As a terminal does: everything that was started gets it.
        os.killpg(process.pid, signal.SIGINT)
        out, said = process.communicate(timeout=60)
    finally:
        process.kill()

    assert process.returncode == 130, said
    assert "Traceback" not in out + said
    assert list(work.iterdir()) == []
