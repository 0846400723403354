"""Servers that are asked by HTTP: what an address means, what is asked again, and what is told when that fails."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from folders import RUNS
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.fleet.fleet_account import FleetAccount, RunAccount
from rlmetrics.fleet.run_ledger import RunLedger
from rlmetrics.fleet.servers.chosen_runs import Selection
from rlmetrics.fleet.servers.json_service import JsonService, authorisation
from rlmetrics.fleet.servers.mlflow_server import MlflowAddress
from rlmetrics.fleet.servers.server_addresses import is_on_server
from rlmetrics.logs.input_errors import InputError
from rlmetrics.names.tables.user_errors import UserError
from rlmetrics.translate.views import with_copies
from rlmetrics.wording.voice import speak

SECRET = "s3cr3t"


@contextmanager
def _answering(*answers: tuple[int, Any, dict[str, str]]) -> Iterator[tuple[str, list[str]]]:
    """A server that gives some answers one after the other, the last one again and again, and what it was asked."""
    left, asked = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            code, body, headers = left.pop(0) if len(left) > 1 else left[0]
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


def _service(base: str, waits: list[float]) -> JsonService:
    headers = authorisation(SECRET)
    return JsonService(base, "mlflow:here", headers, secrets=(SECRET, *headers.values()), wait=waits.append)


def test_a_busy_server_is_asked_again() -> None:
    """As late as it says, else each time twice as late, until it answers."""
    waits: list[float] = []
    with _answering((429, {}, {"Retry-After": "3"}), (503, {}, {}), (500, {}, {}), (200, {"a": 1}, {})) as (
        base,
        asked,
    ):
        assert _service(base, waits).get("runs", run_id="x y") == {"a": 1}

    assert asked == ["/runs?run_id=x+y"] * 4
    assert waits == [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("answer", "said", "count"),
    [
        ((500, {"message": f"no {SECRET} here\nat all"}, {}), "the server answers 500: no … here at all", 5),
        ((404, {"error_code": "GONE"}, {}), "the server answers 404: GONE", 1),
        ((401, {}, {}), "set who asks in the environment", 1),
        ((302, {}, {"Location": "http://other/x?token=1"}), "it redirects to http://other/x; give that address", 1),
        ((200, b"<html>", {}), "the answer is no JSON", 1),
    ],
)
def test_a_refusal_is_one_line_without_secrets(answer: tuple[int, Any, dict[str, str]], said: str, count: int) -> None:
    """What may pass is asked five times; nobody is followed elsewhere."""
    with _answering(answer) as (base, asked), pytest.raises(InputError) as error:
        _service(base, []).get("runs")

    assert said in str(error.value)
    assert str(error.value).startswith("mlflow:here: ")
    assert "\n" not in str(error.value)
    assert SECRET not in str(error.value)
    assert len(asked) == count


def test_what_may_have_arrived_is_not_sent_twice() -> None:
    """A run that was perhaps created is not created again; where nothing was done, it is asked for again."""
    with _answering((500, {}, {})) as (base, asked), pytest.raises(InputError):
        _service(base, []).post("runs/create", {}, again=False)
    assert len(asked) == 1
    with _answering((429, {}, {}), (200, {}, {})) as (base, asked):
        _service(base, []).post("runs/create", {}, again=False)
    assert len(asked) == 2


def test_a_server_that_is_not_there_is_told_in_one_line() -> None:
    """After five attempts."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    waits: list[float] = []

    with pytest.raises(InputError, match="no answer: Connection refused; is the server running there"):
        _service(f"http://127.0.0.1:{port}", waits).get("runs")

    assert waits == [0.5, 1.0, 2.0, 4.0]


@pytest.mark.parametrize(
    ("text", "server", "experiment", "run"),
    [
        ("mlflow:http://localhost:5000", "http://localhost:5000", None, None),
        ("mlflow:http://localhost:5000/", "http://localhost:5000", None, None),
        ("mlflow:https://h/ml/flow/#/experiments/7", "https://h/ml/flow", "7", None),
        ("mlflow:http://h:5/#/experiments/7/runs/ab12/model-metrics", "http://h:5", "7", "ab12"),
        ("mlflow:http://h:5/#/experiments/7/runs?searchFilter=a", "http://h:5", "7", None),
        ("mlflow:http://h:5/#/experiments/7?x=1", "http://h:5", "7", None),
    ],
)
def test_addresses_of_pages_are_understood(text: str, server: str, experiment: str | None, run: str | None) -> None:
    """As a browser shows them; the two slashes stay."""
    found = MlflowAddress.parse(text)

    assert found == MlflowAddress(server, experiment, run)
    assert MlflowAddress.parse(str(found)) == found
    assert is_on_server(text)


@given(st.text(max_size=12).map(lambda text: f"mlflow:http://me:{SECRET}@host/{text}"))
def test_a_password_in_an_address_is_refused_without_telling_it(text: str) -> None:
    """Whatever follows."""
    with pytest.raises(InputError) as error:
        MlflowAddress.parse(text)

    assert SECRET not in str(error.value)


def test_what_is_chosen_becomes_one_filter() -> None:
    """Of W&B's interface; wrong ones are refused in one line."""
    chosen = Selection('{"state": "finished"}', ("a", "b"), "sweep1", "2026-01-31")

    assert chosen.filters() == {
        "$and": [
            {"state": "finished"},
            {"tags": {"$in": ["a", "b"]}},
            {"sweep": "sweep1"},
            {"createdAt": {"$gte": "2026-01-31T00:00:00"}},
        ]
    }
    assert Selection().filters() == {}
    for wrong in (Selection("{"), Selection("[]"), Selection(since="yesterday")):
        with pytest.raises(UserError):
            wrong.filters()


def test_a_view_names_the_copies_of_its_runs() -> None:
    """Alone or before a metric, as values and as keys; parts of other texts stay."""
    spec = json.dumps({"tree": ["old", "older"], "titles": {"old:a/b": "old run", "x:old": 1}})

    assert json.loads(with_copies(spec, {"old": "new"})) == {
        "tree": ["new", "older"],
        "titles": {"new:a/b": "old run", "x:old": 1},
    }
    assert with_copies(spec, {"none": "new"}) == spec


_HOLDING = """
import sys
from pathlib import Path
from rlmetrics.fleet.fleet_account import FleetAccount, RunAccount
from rlmetrics.fleet.run_ledger import LedgerEntry, RunLedger
with RunLedger(Path(sys.argv[1])) as ledger:
    ledger.enter("a", LedgerEntry("", "", "", {}, 0.0))
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("number", [None, signal.SIGKILL])
def test_a_ledger_is_had_by_one_command_at_a_time(tmp_path: Path, number: signal.Signals | None) -> None:
    """The second, a process of its own, ends with one line; when the first has ended, however, it is free."""
    shutil.copy(RUNS / "trl-1.16.0-grpo.jsonl", tmp_path / "run.jsonl")
    (tmp_path / "plan.csv").write_text("run,source\nrun.jsonl,trl[GRPOTrainer]==1.16.0\n", encoding="utf-8")
    path = tmp_path / "out.ledger.sqlite"
    command = [sys.executable, "-m", "rlmetrics.cli", "translate", "--plan", "plan.csv", "--to", "canonical"]
    command += ["-o", "out"]

    def second() -> subprocess.CompletedProcess[str]:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)

    with subprocess.Popen(
        [sys.executable, "-c", _HOLDING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        refused = second()
        if number is None:
            first.communicate()
        else:
            first.send_signal(number)
            first.wait()
    done = second()

    assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)
    assert "another command translates to this output" in refused.stderr
    assert done.returncode in (0, 1), done.stderr
    assert (tmp_path / "out" / "run.jsonl").is_file()
    with RunLedger(path) as ledger:
        assert ledger.entry("a") is not None


def test_why_something_was_left_out_is_said_in_chinese() -> None:
    """What a sweep or an automation would have to name, too; names and what a server says stay."""
    account = FleetAccount("canonical", "")
    no_source = "no source; what logged it belongs into the column source of the plan"
    silent = "no answer: Connection refused; is the server running there?"
    account.add(RunAccount.refused("wandb:team/rl/a", no_source), again=False)
    account.add(RunAccount.refused("mlflow:http://h/#/experiments/1/runs/b", silent), again=False)
    told = ("a sweep names actor/pg_loss: make a new one that names policy/loss",)
    account.add(RunAccount("wandb:team/rl/sweeps/s", causes=told), again=False)
    speak("zh")
    try:
        text = "\n".join(account.lines(full=True))
    finally:
        speak("en")

    assert "没有来源；请把记录它的程序写进计划的“source”列" in text
    assert "Connection refused; 服务器在那里运行吗？" in text
    assert "一次扫参指明 actor/pg_loss: 请新建一个指明 policy/loss 的" in text
