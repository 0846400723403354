"""Dashboards by HTTP: Grafana's interface on a stand-in, as no package of it is at hand; Prometheus for real."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest
from folders import FIXTURES
from lanes.servers.guided import guided
from lanes.servers.mlflow_server import free_port

SECRET = "glsa_s3cr3t"


@contextmanager
def _grafana(dashboards: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A stand-in: it lists dashboards in pages, gives and takes them, for one who has the token."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if self.headers["Authorization"] != f"Bearer {SECRET}":
                self._reply(401, {"message": "Unauthorized"})
            elif parts.path == "/api/search":
                values = {key: value[0] for key, value in parse_qs(parts.query).items()}
                begin = (int(values["page"]) - 1) * int(values["limit"])
                listed = [{"uid": uid, "tags": one.get("tags", [])} for uid, one in dashboards.items()]
                self._reply(200, listed[begin : begin + int(values["limit"])])
            else:
                one = dashboards.get(parts.path.rpartition("/")[2])
                known = {"dashboard": one, "meta": {"folderUid": "f1"}}
                self._reply(200 if one else 404, known if one else {"message": "Dashboard not found"})

        def do_POST(self) -> None:
            sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            assert (sent["folderUid"], sent["overwrite"], sent["dashboard"]["id"]) == ("f1", True, None)
            dashboards[sent["dashboard"]["uid"]] = sent["dashboard"]
            self._reply(200, {"uid": sent["dashboard"]["uid"], "status": "success"})

        def _reply(self, code: int, answer: Any) -> None:
            body = json.dumps(answer).encode()
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()


def _called(home: Path, *words: str, token: str = SECRET) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GRAFANA_TOKEN": token}
    command = [sys.executable, "-m", "rlmetrics.cli", *words]
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert SECRET not in done.stdout + done.stderr
    return done


def test_dashboards_are_carried_over_by_two_commands(tmp_path: Path) -> None:
    """Each has one copy with translated names, however often the command is given; the originals stay."""
    original = json.loads((FIXTURES / "dashboards" / "verl-0.9.1.grafana.json").read_bytes())
    dashboards = {f"uid{number}": {**original, "uid": f"uid{number}", "title": str(number)} for number in range(3)}
    before = json.dumps(dashboards)
    with _grafana(dashboards) as url:
        scan, carry = guided("grafana:", f"grafana:{url}")
        scanned = _called(tmp_path, *scan)
        assert scanned.returncode == 0, scanned.stderr
        plan = (tmp_path / "plan.csv").read_text(encoding="utf-8")
        (tmp_path / "plan.csv").write_text(plan.replace(",likely,", ",certain,"), encoding="utf-8")
        first, second = _called(tmp_path, *carry, "--json"), _called(tmp_path, *carry, "--json")
        refused = _called(tmp_path, "fleet", "scan", f"grafana:{url}", token="other")

    assert [run["failed"] for run in json.loads(first.stdout)["runs"]] == [""] * 3
    assert json.loads(second.stdout)["done_before"] == 3
    assert json.dumps({uid: one for uid, one in dashboards.items() if uid.startswith("uid")}) == before
    copies = [one for uid, one in dashboards.items() if not uid.startswith("uid")]
    assert sorted(one["title"] for one in copies) == [f"{number} (verl==0.5.0)" for number in range(3)]
    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "the server answers 401: Unauthorized" in refused.stderr


def test_a_real_prometheus_says_what_its_names_are_of(tmp_path: Path) -> None:
    """The names that it scraped from an exporter lead to the trainer that logged them."""
    program = shutil.which("prometheus")
    if program is None:
        pytest.fail("prometheus is not installed; the lane's command installs Debian's package")
    names = ("critic_score_mean", "actor_pg_loss", "actor_ppo_kl", "actor_pg_clipfrac_lower", "timing_s_update_actor")
    text = "".join(f"rl_insight_monitor_{name} 1\n" for name in names).encode()

    class Exporter(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Exporter) as exporter:
        threading.Thread(target=exporter.serve_forever, daemon=True).start()
        target = f"127.0.0.1:{exporter.server_port}"
        (tmp_path / "prometheus.yml").write_text(
            f"scrape_configs: [{{job_name: t, scrape_interval: 1s, static_configs: [{{targets: ['{target}']}}]}}]\n"
        )
        port = free_port()
        command = [program, f"--config.file={tmp_path}/prometheus.yml", f"--storage.tsdb.path={tmp_path}/data"]
        process = subprocess.Popen(
            [*command, f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            _wait_for(f"http://127.0.0.1:{port}/api/v1/label/__name__/values", "actor_pg_loss")
            (scan,) = guided("prometheus:", f"prometheus:http://127.0.0.1:{port}")
            done = _called(tmp_path, *scan)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
            exporter.shutdown()

    assert done.returncode == 0, done.stderr
    (row,) = done.stdout.splitlines()[1:]
    assert row.startswith(f"prometheus:http://127.0.0.1:{port},prometheus,verl")


def _wait_for(url: str, text: str) -> None:
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            with urlopen(url, timeout=5) as answer:
                if text.encode() in answer.read():
                    return
        except (URLError, OSError):
            pass
        time.sleep(0.3)
    msg = f"{text} is not there"
    raise AssertionError(msg)
