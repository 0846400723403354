"""Projects of Trackio, written by Trackio, translated through the command line, and read by Trackio."""

import json
import sqlite3
from contextlib import closing

import pytest
from folders import RUNS
from rlmetrics.cli import main
from rlmetrics.logs.kinds import KINDS
from rlmetrics.translate import Translator
from translate.trackio_databases import cells_of, run_trackio

WRITE_MIXED = """
import json, sys, trackio
for name, rows in json.loads(sys.argv[1]).items():
    trackio.init(project="rlhf", name=name, config={"lr": 1e-6})
    for row in rows:
        trackio.log(row)
    trackio.finish()
"""
READ_MIXED = """
import json, sys
from trackio.sqlite_storage import SQLiteStorage
print(json.dumps({run: SQLiteStorage.get_logs("rlhf", run) for run in ("ppo", "sft", "own")}))
"""


def _numbers(name):
    with (RUNS / name).open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return [{k: v for k, v in row.get("data", row).items() if isinstance(v, int | float)} for row in rows]


@pytest.fixture
def mixed(tmp_path):
    """A project with runs of two frameworks, and one whose names no release has."""
    rows = {
        "ppo": _numbers("trl-0.7.10-ppo1_wandb.jsonl"),
        "sft": _numbers("verl-0.9.1-sft.jsonl"),
        "own": [{"my/own": 0.5}],
    }
    run_trackio(tmp_path, "-c", WRITE_MIXED, json.dumps(rows))
    return tmp_path / "rlhf.db"


def test_each_run_is_judged_by_its_own_names(mixed, tmp_path, capsys):
    """Runs of several frameworks in one project: each is translated from its own source, and its note says so."""
    home = tmp_path / "home"
    home.mkdir()

    code = main(["translate", str(mixed), "--to", "canonical", "-o", str(home / "rlhf.db"), "--json"])

    report = json.loads(capsys.readouterr().out)
    old, new = (json.loads(run_trackio(folder, "-c", READ_MIXED)) for folder in (tmp_path, home))
    ppo, sft = Translator("trl[PPOTrainer]==0.7.10", "canonical"), Translator("verl[sft]==0.9.1", "canonical")
    assert code == 0
    assert new == {"ppo": list(map(ppo.row, old["ppo"])), "sft": list(map(sft.row, old["sft"])), "own": old["own"]}
    assert report["records"] == sum(map(len, old.values()))
    assert {file["path"] for file in report["files"]} == {f"{mixed} (ppo)", f"{mixed} (sft, own)"}
    notes = dict(cells_of(home / "rlhf.db", "SELECT run_name, config FROM configs"))
    sources = {run: json.loads(config)["translated_from"]["from"] for run, config in notes.items()}
    assert sources == {"ppo": "trl[PPOTrainer]==0.5.0..0.11.4", "sft": "verl[sft]==0.9.1", "own": sources["sft"]}
    assert sorted(file.name for file in home.iterdir() if "rlhf" in file.name and file.suffix == ".db") == ["rlhf.db"]


def test_runs_of_which_a_release_is_left_open_are_carried_as_far_as_all_agree(mixed, tmp_path, capsys):
    """What the possible releases of one run of a project make different things of is set aside."""
    run_trackio(tmp_path, "-c", WRITE_MIXED, json.dumps({"grpo": _numbers("trl-0.18.2-grpo.jsonl")}))

    assert main(["translate", str(mixed), "--to", "canonical", "--json"]) == 1

    report = json.loads(capsys.readouterr().out)
    assert report["undecided"]
    assert report["undecided"].keys() <= report["set_aside"].keys()


def test_the_arguments_in_a_run_s_configuration_narrow_its_source(mixed, tmp_path, capsys):
    """Transformers' callback records all arguments; releases that have others are no candidates."""
    arguments = KINDS["wandb"].open(RUNS / "wandb" / "0.31.0-trl-0.18.2-grpo").argument_names()[None]
    run_trackio(tmp_path, "-c", WRITE_MIXED, json.dumps({"grpo": _numbers("trl-0.18.2-grpo.jsonl")}))
    said = []
    for config in ({}, dict.fromkeys(arguments)):
        with closing(sqlite3.connect(mixed)) as database, database:
            database.execute("UPDATE configs SET config = ? WHERE run_name = 'grpo'", (json.dumps(config),))
        assert main(["translate", str(mixed), "--to", "canonical", "--dry-run", "--json"]) in (0, 1)
        files = json.loads(capsys.readouterr().out)["files"]
        said += [file["from"] for file in files if file["path"] == f"{mixed} (grpo)"]

    assert said == ["trl[GRPOTrainer]==0.18.0..0.19.1", "trl[GRPOTrainer]==0.18.0..0.18.2"]
