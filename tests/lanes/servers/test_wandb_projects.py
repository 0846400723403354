"""A project of W&B, carried over by two commands that are interrupted: the real client against a stand-in."""

from __future__ import annotations

import copy
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import hears_interrupts
from folders import FIXTURES, RUNS
from lanes.servers.guided import guided
from rlmetrics.translate import Translator
from wandb_project import ProjectServer, names_in_panels
from wandb_server import Run, serving
from workspaces import spec_with

SOURCE = "verl==0.9.1"
TARGET = Translator(SOURCE, "canonical").new_report("").target
RUN_COUNT, VIEWS, REPORTS = int(os.environ.get("RLMETRICS_FLEET_RUNS", "200")), 10, 3
KEPT = ("critic/score/mean", "critic/score/max", "actor/pg_loss", "actor/entropy", "training/global_step")
KEPT += ("response_length/mean", "response_length/clip_ratio", "val-core/openai/gsm8k/reward/mean@1")
CARRY = ("translate", "--plan", "plan.csv", "--to", "canonical", "--jobs", "2")
CARRY += ("--copy-tag", "moved to {to}", "--copy-group", "{group} as {to}")


def _rows() -> list[dict[str, Any]]:
    lines = (RUNS / "verl-0.9.1-tracking.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line)["data"] for line in lines]
    report = (FIXTURES / "dashboards" / "verl-0.9.1.report.json").read_text(encoding="utf-8")
    drawn = {name for name in names_in_panels(report) if not name.startswith("_")}
    return [{key: row.get(key, 0.5) for key in (*KEPT, *sorted(drawn - {*KEPT}))} for row in rows]


def _run(number: int, rows: list[dict[str, Any]]) -> Run:
    history = [
        {"_step": step, "_timestamp": 1795255987.5 + step, "_runtime": step, **row, "mine": number}
        for step, row in enumerate(rows)
    ]
    summary: dict[str, Any] = {}
    for row in history:
        summary |= row
    name = f"run{number:05}"
    config = {"lr": 1e-6, "number": number}
    done = Run(name, "rl", f"try {number}", config, summary, history, complete=True, tags=["kept"], group="sweep A")
    done.job_type = "train"
    return done


def _project(count: int) -> ProjectServer:
    server = ProjectServer()
    rows = _rows()
    for number in range(count):
        run = _run(number, rows)
        server.runs["rl", run.name] = run
    for number in range(VIEWS):
        chosen = "run:rl:run00001"
        panel = {"metrics": [KEPT[number % 4]], "overrideSeriesTitles": {f"run00000:{KEPT[number % 4]}": "first"}}
        sets = [{"id": "set", "selections": {"root": 1, "bounds": [], "tree": [chosen]}}]
        server.add_view(
            f"nw-view{number:03}-v", f"View {number}", spec_with(("Run History Line Plot", panel), runSets=sets)
        )
    report = json.loads((FIXTURES / "dashboards" / "verl-0.9.1.report.json").read_bytes())
    for number in range(REPORTS):
        server.add_view(f"report{number}", f"Report {number}", report, "runs")
    server.sweeps["sweep1"] = {"metric": {"name": KEPT[0], "goal": "maximize"}}
    server.automations["alarm"] = KEPT[2]
    return server


@pytest.fixture
def project() -> Iterator[ProjectServer]:
    """A project that refuses one request in forty, and gives pages of 50."""
    server = _project(RUN_COUNT)
    server.every = 40
    with serving(server):
        yield server


@pytest.fixture
def small() -> Iterator[ProjectServer]:
    """A project of six runs."""
    with serving(_project(6)) as server:
        assert isinstance(server, ProjectServer)
        yield server


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "rlmetrics.cli", *words]


def _called(server: ProjectServer, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = server.environment(home)
    done = subprocess.run(
        _command(*words), cwd=home, env=environment, capture_output=True, text=True, timeout=3600, check=False
    )
    assert environment["WANDB_API_KEY"] not in done.stdout + done.stderr
    return done


def _correct(plan: Path) -> None:
    text = plan.read_text(encoding="utf-8").replace(",likely,", ",certain,")
    plan.write_text(text.replace("verl==0.9.0,", f"{SOURCE},"), encoding="utf-8")


def _interrupted(server: ProjectServer, home: Path, number: int, until: int) -> None:
    process = subprocess.Popen(
        _command(*CARRY),
        cwd=home,
        env=server.environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=hears_interrupts,
    )
    while len(server.runs) < until and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    assert process.returncode != 0
    assert b"Traceback" not in said, said


def test_a_project_is_carried_over_by_two_commands(project: ProjectServer, tmp_path: Path) -> None:
    """Interrupted five times; nothing is lost or doubled, panels name what their copies log, originals stay."""
    before = {place: copy.deepcopy(run) for place, run in project.runs.items()}
    views = copy.deepcopy(project.views)
    scanned = _called(project, tmp_path, "fleet", "scan", "wandb:team/rl", "-o", "plan.csv", "--jobs", "2")
    assert scanned.returncode == 0, scanned.stderr
    _correct(tmp_path / "plan.csv")
    kinds = [line.split(",")[1] for line in (tmp_path / "plan.csv").read_text().splitlines()[1:]]
    assert (kinds.count("wandb"), kinds.count("wandb-workspace")) == (RUN_COUNT, VIEWS + REPORTS)
    assert (kinds.count("wandb-sweep"), kinds.count("wandb-automation")) == (1, 1)
    for place, number in enumerate(
        [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGKILL], start=1
    ):
        _interrupted(project, tmp_path, number, RUN_COUNT + RUN_COUNT * place // 7)

    done = _called(project, tmp_path, *CARRY, "--json")

    told = json.loads(done.stdout)
    assert {run["failed"] for run in told["runs"]} == {""}
    assert told["done_before"] >= RUN_COUNT * 5 // 7 - 10
    assert project.unknown == []
    assert project.refused > 5
    copies = {run.config["translated_from"]["run"]: run for run in project.runs.values() if run not in before.values()}
    copies = {place: run for place, run in copies.items() if "translated_from" in run.config}
    assert len(project.runs) == 2 * RUN_COUNT
    assert len(copies) == RUN_COUNT
    for (_, name), original in before.items():
        kept, new = project.runs["rl", name], copies[f"team/rl/{name}"]
        assert kept == original
        assert [row["_step"] for row in new.history] == [row["_step"] for row in original.history]
        assert [row["policy/loss"] for row in new.history] == [row["actor/pg_loss"] for row in original.history]
        assert [row["mine"] for row in new.history] == [row["mine"] for row in original.history]
        assert (new.group, new.tags, new.complete) == (f"sweep A as {TARGET}", ["kept", f"moved to {TARGET}"], True)
    assert {own: view for own, view in project.views.items() if own in views} == views
    assert len(project.views) == 2 * len(views)
    logged = {key for run in copies.values() for row in run.history for key in row}
    for own, view in project.views.items():
        if own not in views:
            assert view["description"].startswith("translated from ")
            names = {name for name in names_in_panels(view["spec"]) if not name.startswith("_")}
            assert names - logged == set(), (view["displayName"], names - logged)
            if view["type"] == "project-view":
                assert f'"{copies["team/rl/run00000"].name}:' in view["spec"]
                assert f'run:rl:{copies["team/rl/run00001"].name}"' in view["spec"]
    assert sum("make a new one that names" in cause["cause"] for cause in told["causes"]) == 2
    again = _called(project, tmp_path, *CARRY)
    assert "not copied: W&B's interface takes no start time, system metrics" in " ".join(again.stdout.split())
    assert len(project.runs) == 2 * RUN_COUNT
    assert len(project.views) == 2 * len(views)


def test_runs_are_chosen(small: ProjectServer, tmp_path: Path) -> None:
    """By a filter of the interface, tags and time, asked of the server."""
    small.runs["rl", "run00003"].tags = ["other"]
    small.runs["rl", "run00004"].complete = False

    def found(*words: str) -> list[str]:
        done = _called(small, tmp_path, "fleet", "scan", "wandb:team/rl", *words)
        assert done.returncode == 0, done.stderr
        addresses = [line.split(",")[0] for line in done.stdout.splitlines()[1:]]
        return [address.rpartition("/")[2] for address in addresses if address.count("/") == 2 and "run" in address]

    assert found("--tag", "other") == ["run00003"]
    assert found("--filter", '{"state": "running"}') == ["run00004"]
    assert len(found("--since", "2026-11-01")) == 6
    refused = _called(small, tmp_path, "fleet", "scan", "wandb:team/rl", "--since", "2027-01-01")
    assert "holds no run" in refused.stderr or refused.returncode == 0


def test_runs_are_checked_where_they_lie(small: ProjectServer, tmp_path: Path) -> None:
    """Each with a verdict; nothing is written to the server."""
    done = _called(small, tmp_path, "check", "wandb:team/rl", "--json")

    told = json.loads(done.stdout)
    assert [report["run"] for report in told] == [f"wandb:team/rl/run{number:05}" for number in range(6)]
    assert all(report["verdict"] != "not_judged" for report in told)
    assert small.operations.get("UpsertBucket", 0) == 0


def test_originals_name_their_copies_only_when_asked(small: ProjectServer, tmp_path: Path) -> None:
    """By an entry of their configuration; all else of them stays."""
    scan, carry = guided("wandb:", "wandb:team/rl")
    _called(small, tmp_path, *scan)
    _correct(tmp_path / "plan.csv")
    before = copy.deepcopy(small.runs["rl", "run00002"])

    done = _called(small, tmp_path, *carry, "--link-originals", "--json")

    assert {run["failed"] for run in json.loads(done.stdout)["runs"]} == {""}
    after = small.runs["rl", "run00002"]
    linked = after.config.pop("translated_to")[TARGET].rpartition("/")[2]
    assert after.config == before.config
    assert after.history == before.history
    assert small.runs["rl", linked].config["translated_from"]["run"] == "team/rl/run00002"


def test_a_copy_tells_nothing_of_the_machine_that_it_is_made_on(small: ProjectServer, tmp_path: Path) -> None:
    """Packages that are installed where the command runs are no file of a copy, nor is what the system is."""
    scan, carry = guided("wandb:", "wandb:team/rl")
    _called(small, tmp_path, *scan)
    _correct(tmp_path / "plan.csv")

    done = _called(small, tmp_path, *carry)

    assert done.returncode == 0, done.stderr
    assert len(small.runs) == 12
    assert {file for _, _, file in small.files} & {"requirements.txt", "wandb-metadata.json"} == set()


@pytest.mark.parametrize("where", ["wandb:team/none", "wandb:team", "wandb:team/rl/gone"])
def test_a_place_that_is_none_is_refused_in_one_line(small: ProjectServer, tmp_path: Path, where: str) -> None:
    """And no plan is written."""
    done = _called(small, tmp_path, "fleet", "scan", where, "-o", "plan.csv")

    assert done.returncode == 2 or "unknown" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr
