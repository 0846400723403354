"""Runs on a real tracking server of MLflow, carried over by two commands that are interrupted."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command_line import hears_interrupts
from folders import RUNS
from lanes.servers.guided import guided

COUNT = int(os.environ.get("RLMETRICS_FLEET_RUNS", "50"))
KEYS = 12  # of each run: the server is asked for the history of each key by itself
CARRY = ("translate", "--plan", "plan.csv", "--to", "canonical", "--jobs", "2")
SECRET = "s3cr3t-t0k3n"
pytestmark = pytest.mark.xdist_group("tracking")


def _client(url: str) -> Any:
    from mlflow.tracking import MlflowClient

    return MlflowClient(url)


def _experiment(client: Any, name: str, count: int) -> str:
    """An experiment with runs of two trainers."""
    from mlflow.entities import Metric, Param

    experiment = str(client.create_experiment(name))
    for number in range(count):
        file = ("trl-1.16.0-grpo.jsonl", "verl-0.9.1-tracking.jsonl")[number % 2]
        lines = (RUNS / file).read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        rows = [row.get("data", row) for row in rows]
        most = max(rows, key=len)
        keys = [key for key, value in most.items() if isinstance(value, int | float)][:KEYS]
        run = client.create_run(experiment, run_name=f"try {number}").info.run_id
        metrics = [
            Metric(key.replace("@", "_at_"), float(row[key]), 1_700_000_000_000 + step, step)
            for step, row in enumerate(rows)
            for key in keys
            if key in row
        ]
        metrics.append(Metric("odd/nan", math.nan, 1_700_000_000_000, 0))
        metrics.append(Metric("odd/inf", -math.inf, 1_700_000_000_000, 0))
        client.log_batch(run, metrics=metrics, params=[Param("learning_rate", "1e-06"), Param("ünï", str(number))])
        client.set_tag(run, "note", "mine")
        client.set_terminated(run)
    return experiment


def _called(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "rlmetrics.cli", *words],
        cwd=home,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def _points(client: Any, run: str) -> dict[str, list[tuple[int, int, str]]]:
    """Time, step and value of all that a run holds, by key."""
    found = {}
    for key in client.get_run(run).data.metrics:
        history = client.get_metric_history(run, key)
        found[key] = sorted((point.timestamp, point.step, repr(point.value)) for point in history)
    return found


def _runs(client: Any, experiment: str) -> list[Any]:
    return [*client.search_runs([experiment], max_results=1000)]


def _finished(client: Any, experiment: str) -> int:
    return sum("translation_complete" in run.data.tags for run in _runs(client, experiment))


def test_an_experiment_is_carried_over_by_two_commands(tracking: str, tmp_path: Path) -> None:
    """Interrupted five times: each run has one copy with all of its points, and the originals are what they were."""
    client = _client(tracking)
    experiment = _experiment(client, "carried", COUNT)
    address = f"mlflow:{tracking}/#/experiments/{experiment}"
    originals = {run.info.run_id: (run.data.tags, run.data.params) for run in _runs(client, experiment)}
    points = {run: _points(client, run) for run in originals}

    scanned = _called(tmp_path, "fleet", "scan", address, "-o", "plan.csv", "--jobs", "2")
    assert scanned.returncode == 0, scanned.stderr
    plan = (tmp_path / "plan.csv").read_text(encoding="utf-8")
    assert plan.count(f"{address}/runs/") == COUNT
    (tmp_path / "plan.csv").write_text(plan.replace(",likely,", ",certain,"), encoding="utf-8")
    for place, number in enumerate(
        [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGKILL], start=1
    ):
        process = subprocess.Popen(
            [sys.executable, "-m", "rlmetrics.cli", *CARRY],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=hears_interrupts,
        )
        while _finished(client, experiment) < COUNT * place // 6 and process.poll() is None:
            time.sleep(0.05)
        if number == signal.SIGKILL:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, said = process.communicate(timeout=120)
        assert process.returncode != 0
        assert b"Traceback" not in said

    done = _called(tmp_path, *CARRY, "--json")

    told = json.loads(done.stdout)
    assert {run["failed"] for run in told["runs"]} == {""}
    assert told["done_before"] >= COUNT * 5 // 6 - 8
    copies = [run for run in _runs(client, experiment) if "translated_run" in run.data.tags]
    assert sorted(copy.data.tags["translated_run"] for copy in copies) == sorted(originals)
    for copy in copies:
        origin = copy.data.tags["translated_run"]
        names = json.loads(copy.data.tags["translated_from"])["names"]
        assert "actor/pg_loss" not in copy.data.metrics
        assert _points(client, copy.info.run_id) == {
            names.get(key, key): values for key, values in points[origin].items()
        }
        assert copy.data.params == originals[origin][1]
        assert (copy.data.tags["note"], copy.info.status) == ("mine", "FINISHED")
    for run, (tags, params) in originals.items():
        now = client.get_run(run)
        assert (now.data.tags, now.data.params) == (tags, params)
        assert _points(client, run) == points[run]
    again = _called(tmp_path, *CARRY, "--json")
    assert json.loads(again.stdout)["done_before"] == COUNT
    assert len(_runs(client, experiment)) == 2 * COUNT


def test_a_run_is_translated_and_checked_by_the_address_of_its_page(tracking: str, tmp_path: Path) -> None:
    """Without a plan, and once only; the original names its copy where that is asked for."""
    client = _client(tracking)
    experiment = _experiment(client, "single", 2)
    run = next(run.info.run_id for run in _runs(client, experiment) if run.info.run_name == "try 1")
    address = f"mlflow:{tracking}/#/experiments/{experiment}/runs/{run}"

    checked = _called(tmp_path, "check", address, "--json")
    first = _called(
        tmp_path, "translate", address, "--from", "verl==0.9.1", "--to", "canonical", "--link-originals", "--json"
    )
    second = _called(tmp_path, "translate", address, "--from", "verl==0.9.1", "--to", "canonical", "--json")

    assert json.loads(checked.stdout)["run"] == address
    assert first.returncode == 0, first.stderr
    (copy,) = json.loads(first.stdout)["outputs"]
    assert copy.startswith(f"mlflow:{tracking}/#/experiments/{experiment}/runs/")
    linked = json.loads(client.get_run(run).data.tags["translated_copies"])
    assert list(linked.values()) == [copy.rpartition("/")[2]]
    assert json.loads(second.stdout)["outputs"] != []
    assert sum("translated_run" in one.data.tags for one in _runs(client, experiment)) == 1


def test_commands_of_the_guide_carry_an_experiment_over(tracking: str, tmp_path: Path) -> None:
    """As printed, with the address of an experiment's page: a copy of each run."""
    client = _client(tracking)
    experiment = _experiment(client, "guided", 2)
    scan, carry = guided("mlflow:", f"mlflow:{tracking}/#/experiments/{experiment}")

    scanned, carried = _called(tmp_path, *scan), _called(tmp_path, *carry)

    assert scanned.returncode == 0, scanned.stderr
    assert carried.returncode in (0, 1), carried.stderr  # 1 where names of a likely source are set aside
    assert sum("translation_complete" in run.data.tags for run in _runs(client, experiment)) == 2


def test_a_long_history_is_read_in_pages(tracking: str, tmp_path: Path) -> None:
    """Three pages of a key's values, each of which the copy has."""
    from mlflow.entities import Metric

    client = _client(tracking)
    experiment = client.create_experiment("long")
    run = client.create_run(experiment).info.run_id
    count = 51_000  # a page has 25,000
    for start in range(0, count, 1000):
        batch = [
            Metric("actor/pg_loss", 0.5 / (step + 1), 1_700_000_000_000 + step, step)
            for step in range(start, start + 1000)
        ]
        client.log_batch(run, metrics=batch)
    client.set_terminated(run)
    address = f"mlflow:{tracking}/#/experiments/{experiment}/runs/{run}"

    done = _called(tmp_path, "translate", address, "--from", "verl==0.9.1", "--to", "canonical", "--json")

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["records"] == count
    copy = told["outputs"][0].rpartition("/")[2]
    assert _points(client, copy)["policy/loss"] == _points(client, run)["actor/pg_loss"]


def test_secrets_stand_in_no_output(tracking: str, tmp_path: Path) -> None:
    """Neither a token nor a password, whatever is refused; an address with a password is refused without it."""
    _experiment(_client(tracking), "secret", 1)
    host = tracking.removeprefix("http://")

    done = _called(
        tmp_path, "fleet", "scan", f"mlflow:{tracking}/#/experiments/999", "-o", "p.csv", MLFLOW_TRACKING_TOKEN=SECRET
    )
    inside = _called(tmp_path, "fleet", "scan", f"mlflow:http://me:{SECRET}@{host}")

    for answer in (done, inside):
        assert SECRET not in answer.stdout + answer.stderr
        assert answer.returncode == 2
        assert len(answer.stderr.splitlines()) == 1, answer.stderr
    assert "MLFLOW_TRACKING_PASSWORD" in inside.stderr
