"""A real tracking server of MLflow, on this machine only."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

__all__ = ["free_port", "mlflow_program", "running"]

_PATIENCE_S = 120


def mlflow_program() -> Path | None:
    """The program of the full package: that of ``RLMETRICS_MLFLOW``, or the one beside this Python."""
    beside = Path(os.environ.get("RLMETRICS_MLFLOW", Path(sys.executable).with_name("mlflow")))
    if not beside.is_file():
        return None
    # The small package has the program, and not what it serves.
    asked = subprocess.run([beside, "server", "--help"], capture_output=True, text=True, check=False)
    return beside if asked.returncode == 0 and "--backend-store-uri" in asked.stdout else None


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def running(program: Path, folder: Path) -> Iterator[str]:
    """The address of a server that is stopped by its process id at the end."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [program, "server", "--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    command += ["--backend-store-uri", f"sqlite:///{folder}/mlflow.db", "--artifacts-destination", f"{folder}/files"]
    # It would start seven processes for jobs that nobody asks for.
    environment = {**os.environ, "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"}
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment, start_new_session=True)
        try:
            _wait(url, process, folder / "server.log")
            yield url
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        if process.poll() is not None:
            raise AssertionError(log.read_text(errors="replace"))
        try:
            with urlopen(f"{url}/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.2)
    raise AssertionError(log.read_text(errors="replace"))
