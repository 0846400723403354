"""Views on a server, through the real command line and W&B's own packages, against a stand-in on this machine."""

import json
import os
import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
from folders import FIXTURES
from wandb_views import Views, serving

PPO = FIXTURES / "dashboards" / "trl-0.7.10-ppo.workspace.json"
OLD, NEW = "trl[PPOTrainer]==0.7.10", "trl[PPOTrainer]==0.18.2"


@pytest.fixture
def views():
    """A server with one view, whose spec has a field that no package knows."""
    kept = Views()
    spec = json.loads(PPO.read_bytes())
    spec["section"]["fromTheFuture"] = {"huge": 123456789012345678901234567890}
    kept.saved["nw-abc123-v"] = {"id": "Vmx1", "displayName": "PPO", "spec": json.dumps(spec)}
    with serving(kept):
        yield kept


def run(views, *arguments, source=OLD, target=NEW):
    """Translate something on the stand-in."""
    return call(views, "translate", *arguments, "--from", source, "--to", target)


def call(views, *arguments):
    """Run the program in a process of its own, as W&B's client keeps its settings for the life of one."""
    environment = {
        **os.environ,
        "WANDB_BASE_URL": views.url,
        "WANDB_API_KEY": "0" * 40,
        "WANDB_SILENT": "true",
    }
    command = [sys.executable, "-m", "rlmetrics.cli", *arguments, "--json"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


def test_the_translation_is_saved_as_a_new_view(views):
    """The old view stays; the new one has a name and id of its own, and every field that the server sent."""
    before = dict(views.saved["nw-abc123-v"])

    done = run(views, "wandb-workspace:acme/rl/abc123")

    assert done.returncode == 0, done.stderr
    assert views.saved["nw-abc123-v"] == before
    (mutation,) = views.mutations
    assert "id" not in mutation
    assert mutation["displayName"] == f"PPO ({NEW})"
    assert mutation["name"] not in ("nw-abc123-v", "")
    spec = json.loads(mutation["spec"])
    assert spec["section"]["fromTheFuture"] == {"huge": 123456789012345678901234567890}
    assert "policy/approxkl_avg" in mutation["spec"]
    models: Any = import_module("wandb_workspaces.workspaces.internal")
    models.WorkspaceViewspec.model_validate_json(mutation["spec"])
    report = json.loads(done.stdout)
    slug = mutation["name"].removeprefix("nw-").removesuffix("-v")
    assert (report["kind"], report["outputs"]) == ("wandb-workspace", [f"wandb-workspace:acme/rl/{slug}"])


def test_a_view_is_overwritten_only_when_told(views, tmp_path):
    """``--overwrite`` saves under the old id and title; with ``-o`` a file is written and nothing is saved."""
    file = tmp_path / "view.json"
    done = run(views, "wandb-workspace:acme/rl/nw-abc123-v", "-o", str(file))
    assert (done.returncode, views.mutations) == (0, []), done.stderr
    assert "policy/approxkl_avg" in json.loads(file.read_text())["spec"]

    done = run(views, "wandb-workspace:acme/rl/abc123", "--overwrite")

    assert done.returncode == 0, done.stderr
    (mutation,) = views.mutations
    assert (mutation["id"], mutation["name"], mutation["displayName"]) == ("Vmx1", "nw-abc123-v", "PPO")
    assert list(views.saved) == ["nw-abc123-v"]


@pytest.mark.parametrize(
    ("address", "what"),
    [
        ("wandb-workspace:acme/rl", "names no view; write wandb-workspace:ENTITY/PROJECT/VIEW"),
        ("wandb-workspace:acme", "no view; write wandb-workspace:ENTITY/PROJECT/VIEW"),
        ("wandb-workspace:acme/rl/reports/Weekly--Vmlldzo5", "there is no such report"),
        ("wandb-workspace:acme/rl/gone", "it can't be read: Workspace `gone` not found in project `rl`"),
        ("wandb-workspace:acme/other/abc123", "it can't be read: Project `acme/other` not found"),
    ],
)
def test_what_the_server_does_not_have_is_one_line(views, address, what):
    """An address that is none, a missing view or project: one line, exit code 2, and nothing is saved."""
    done = run(views, address)

    assert (done.returncode, views.mutations) == (2, [])
    assert what in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_view_without_known_names_is_not_saved(views):
    """Nothing to translate is an error, as for files."""
    views.saved["nw-abc123-v"]["spec"] = '{"section": {"panelBankConfig": {}, "runSets": []}}'

    done = run(views, "wandb-workspace:acme/rl/abc123")

    assert (done.returncode, views.mutations) == (2, [])
    assert "0 keys translated" in done.stderr


def test_a_made_dashboard_is_saved_as_a_new_view(views):
    """``rlmetrics dashboard -o wandb-workspace:ENTITY/PROJECT`` needs no file; the view is called after the source."""
    source = "trl[GRPOTrainer]==1.16.0"

    done = call(
        views,
        "dashboard",
        "--at",
        source,
        "--kind",
        "wandb-workspace",
        "-o",
        "wandb-workspace:acme/rl",
        "--config",
        "beta=1",
    )

    assert done.returncode == 0, done.stderr
    (mutation,) = views.mutations
    assert (mutation["entityName"], mutation["projectName"], mutation["displayName"]) == ("acme", "rl", source)
    assert '"train/kl"' in mutation["spec"]
    slug = mutation["name"].removeprefix("nw-").removesuffix("-v")
    assert json.loads(done.stdout)["output"] == f"wandb-workspace:acme/rl/{slug}"


def test_a_report_is_saved_as_a_new_report(views):
    """By the address of its page: the copy is a report of its own, and the old one stays."""
    report = (PPO.parent / "verl-0.9.1.report.json").read_text(encoding="utf-8")
    views.saved["x1"] = {"id": "VmlldzoxMg==", "name": "x1", "displayName": "Weekly", "spec": report}

    done = run(
        views, "wandb-workspace:acme/rl/reports/Weekly-numbers--VmlldzoxMg", source="verl==0.9.1", target="canonical"
    )

    assert done.returncode == 0, done.stderr
    (mutation,) = views.mutations
    assert report == views.saved["x1"]["spec"]
    assert (mutation["type"], mutation["displayName"]) == ("runs", "Weekly (canonical==0.1.0)")
    assert "id" not in mutation
    assert "reward/score/mean" in mutation["spec"]
    assert json.loads(done.stdout)["outputs"] == [f"wandb-workspace:acme/rl/reports/--id-{mutation['name']}"]


def test_a_view_of_several_possible_sources_follows_the_rule_for_files(views):
    """Saved with what all of them write alike; the rest is set aside, and the exit code is 1."""
    done = run(views, "wandb-workspace:acme/rl/abc123", source="auto", target="canonical")

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["from"] == "trl[PPOTrainer]==0.4.2..0.11.4"
    assert len(views.mutations) == 1

    grpo = json.loads((PPO.parent / "trl-0.18.2-grpo.view.json").read_bytes())
    views.saved["nw-abc123-v"]["spec"] = grpo["spec"]
    done = run(views, "wandb-workspace:acme/rl/abc123", source="auto", target="canonical")
    assert (done.returncode, len(views.mutations)) == (1, 2)
    assert json.loads(done.stdout)["undecided"]


def test_a_dry_run_saves_nothing(views, tmp_path):
    """The report is that of the real one; neither the server nor a file is written to."""
    dry = run(views, "wandb-workspace:acme/rl/abc123", "--dry-run")
    into_file = run(views, "wandb-workspace:acme/rl/abc123", "--dry-run", "-o", str(tmp_path / "view.json"))

    assert ((dry.returncode, into_file.returncode), views.mutations, os.listdir(tmp_path)) == ((0, 0), [], [])
    real = json.loads(run(views, "wandb-workspace:acme/rl/abc123").stdout)
    assert {name for name, value in json.loads(dry.stdout).items() if value != real[name]} == {"dry_run", "outputs"}
