"""Runs on a stand-in for W&B's server: translated copies beside them, by the real command and the real wandb."""

import copy
import json
import math
import subprocess
import sys

import pytest
from folders import RUNS
from rlmetrics.translate.rewriting.wandb.ids import NewId
from wandb_server import Run, serving

DEFINED = [
    {"1": "global_step", "6": [3]},
    {"2": "critic/*", "5": 1, "6": [1, 3]},
    {"1": "actor/lr(1e-4)", "5": 1, "6": [1, 3], "7": [1, 2]},
]
"""Definitions as the server keeps them: fields by number, a step by its place in the list."""

HISTOGRAM = {"_type": "histogram", "values": [7, 8], "bins": [0.0, 0.5, 1.0]}


def _source():
    rows = [
        {
            "_step": 2 * step,
            "_timestamp": 1795255987.25 + step,
            "_runtime": 0.5 * step,
            "global_step": step,
            "actor/pg_loss": math.nan if step == 1 else 0.1 * step,
            "actor/lr(1e-4)": HISTOGRAM if step == 3 else 0.01 * (step + 1),
            "critic/score/mean": math.inf if step == 2 else step / 3,
            "mine": {"text": "é", "number": step},
        }
        for step in range(5)
    ]
    summary = {"actor/pg_loss": 0.75, "actor/lr(1e-4)": {"min": 0.01, "max": 0.06}, "critic/score/mean": 1.5}
    return Run(
        "source01",
        "made",
        "first try",
        {"lr": 1e-6, "_wandb": {"m": DEFINED}},
        {**summary, "mine": {"text": "é", "number": 4}, "_step": 8, "_wandb": {"runtime": 7}},
        rows,
        complete=True,
        tags=["a", "b"],
        group="ablation",
        job_type="train",
        notes="see the paper",
    )


def _translate(server, home, *arguments, source="verl==0.1", **changes):
    command = [
        sys.executable,
        "-m",
        "rlmetrics.cli",
        "translate",
        *arguments,
        "--from",
        source,
        "--to",
        "canonical",
    ]
    environment = {**server.environment(home), **changes}
    environment = {name: value for name, value in environment.items() if value is not None}
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=home, timeout=60, check=False)


@pytest.fixture(scope="module")
def translated(tmp_path_factory):
    """A server with a run and its translation, the report, and the run as it was."""
    home = tmp_path_factory.mktemp("home")
    with serving() as server:
        server.runs["made", "source01"] = _source()
        done = _translate(server, home, "wandb:team/made/source01", "--json")
        assert (done.returncode, done.stderr) == (0, "")
        report = json.loads(done.stdout)
        yield server, report, server.runs["made", report["outputs"][0].rpartition("/")[2]], home


def test_rows_are_logged_with_their_steps_and_times(translated):
    """Every row is there under new names, with its step and timestamp; NaN, infinity and histograms included."""
    _, report, run, _ = translated

    rows = [{name: value for name, value in row.items() if name != "_runtime"} for row in run.history]

    assert report["records"] == 5
    assert [str(float(row["policy/loss"])) for row in rows] == ["0.0", "nan", "0.2", str(0.1 * 3), "0.4"]
    assert [
        {
            "_step": 2 * step,
            "_timestamp": 1795255987.25 + step,
            "global_step": step,
            "optimizer/learning_rate": {**HISTOGRAM, "bins": pytest.approx([0, 5e-5, 1e-4])}
            if step == 3
            else pytest.approx(1e-6 * (step + 1)),
            "reward/score/mean": math.inf if step == 2 else step / 3,
            "mine": {"text": "é", "number": step},
        }
        for step in range(5)
    ] == [{name: value for name, value in row.items() if name != "policy/loss"} for row in rows]
    assert run.complete


def test_the_summary_is_that_of_the_original(translated):
    """The summary is translated from the original's, not made anew from the rows."""
    _, _, run, _ = translated

    assert (run.summary["policy/loss"], run.summary["reward/score/mean"]) == (0.75, 1.5)
    assert run.summary["optimizer/learning_rate"] == {"min": pytest.approx(1e-6), "max": pytest.approx(6e-6)}
    assert run.summary["mine"] == {"text": "é", "number": 4}
    assert not any(name.startswith(("actor/", "critic/")) for name in run.summary)


def test_the_configuration_and_the_definitions_follow(translated):
    """The configuration has a note; group, tags and notes are kept; definitions have new names and their axis."""
    _, _, run, _ = translated

    note = run.config["translated_from"]
    defined = {entry.get("1") or entry.get("2"): entry for entry in run.config["_wandb"]["m"]}
    names = [entry.get("1") or entry.get("2") for entry in run.config["_wandb"]["m"]]
    assert run.config["lr"] == 1e-6
    assert (note["run"], note["from"]) == ("team/made/source01", "verl==0.1")
    assert note["names"]["actor/pg_loss"] == "policy/loss"
    assert (run.display_name, run.tags) == ("first try (canonical==0.1.0)", ["a", "b"])
    assert (run.group, run.job_type, run.notes) == ("ablation", "train", "see the paper")
    assert set(defined) == {"global_step", "critic/*", "optimizer/learning_rate", "reward/score/mean"}
    assert defined["optimizer/learning_rate"]["7"] == [1, 2]
    steps = {name: names[entry["5"] - 1] for name, entry in defined.items() if "5" in entry}
    assert dict.fromkeys(("critic/*", "optimizer/learning_rate", "reward/score/mean"), "global_step") == steps


def test_the_original_is_left_alone(translated):
    """Nothing of the run that was read has changed, and no other run or file was made."""
    server, _, run, _ = translated

    assert str(_source()) == str(server.runs["made", "source01"])
    assert set(server.runs) == {("made", "source01"), ("made", run.name)}
    assert server.unknown == []
    assert {name for _, name, _ in server.files} == {run.name}


def test_an_interrupted_copy_is_continued(translated):
    """If the server has only the first rows of the copy, the rest is added: each row is there once."""
    server, _, run, home = translated
    whole = copy.deepcopy(run)
    run.history, run.summary, run.complete = run.history[:2], {}, False

    done = _translate(server, home, "wandb:team/made/source01", "--json")

    report = json.loads(done.stdout)
    without = [[{k: v for k, v in row.items() if k != "_runtime"} for row in each.history] for each in (whole, run)]
    assert (done.returncode, report["records"]) == (0, 3)
    assert "continued after step 2 of an earlier translation" in report["notes"]
    assert json.dumps(without[0], sort_keys=True) == json.dumps(without[1], sort_keys=True)
    assert (run.summary["policy/loss"], run.complete) == (0.75, True)


def test_what_cannot_be_done_is_told_in_one_line(translated):
    """An address that is none, no such run, none of this source's keys, a strange run in the way, no login."""
    server, _, _, home = translated
    server.runs["made", "other"] = Run("other", "made", summary={"loss": 1})
    server.runs["made", "source02"] = Run("source02", "made", summary={"actor/pg_loss": 1})
    strange = NewId.of("source02", "verl==0.1", "canonical==0.1.0").new
    server.runs["made", strange] = Run(strange, "made", config={"mine": 1})
    before = str(server.runs)

    code = (
        "import sys\nfrom rlmetrics.cli import main\n"
        "print([main(['translate', f'wandb:{at}', '--from', 'verl==0.1', '--to', 'canonical']) for at in sys.argv[1:]])"
    )
    addresses = ["team/made", "team/made/absent", "team/made/other", "team/made/source02"]
    command = [sys.executable, "-c", code, *addresses]
    done = subprocess.run(
        command, capture_output=True, text=True, env=server.environment(home), cwd=home, timeout=60, check=True
    )
    anonymous = _translate(server, home, "wandb:team/made/source01", WANDB_API_KEY=None)

    told = [*done.stderr.splitlines(), *anonymous.stderr.splitlines()]
    assert (done.stdout, anonymous.returncode) == ("[2, 2, 2, 2]\n", 2)
    assert len(told) == 5
    assert "wandb:team/made: no run; write wandb:ENTITY/PROJECT/RUN" in told[0]
    assert "wandb:team/made/absent: Could not find run" in told[1]
    assert "wandb:team/made/other: 0 keys translated from verl==0.1" in told[2]
    assert f"there is a run team/made/{strange} that is no translation of this one" in told[3]
    assert "No API key configured" in told[4]
    assert str(server.runs) == before


@pytest.mark.parametrize(("name", "agree"), [("trl-0.7.10-ppo1_wandb", True), ("trl-0.18.2-grpo", False)])
def test_a_run_of_several_possible_sources_follows_the_rule_for_files(translated, name, agree):
    """Logged with what all of them write alike; the rest is set aside, and the exit code is 1."""
    server, _, _, home = translated
    with (RUNS / f"{name}.jsonl").open(encoding="utf-8") as file:
        rows = [dict.fromkeys(json.loads(line), 0.5) for line in file]
    summary = {key: value for row in rows for key, value in row.items()}
    history = [{"_step": step, **row} for step, row in enumerate(rows)]
    server.runs["made", name] = Run(name, "made", summary={**summary, "_step": len(rows) - 1}, history=history)
    before = set(server.runs)

    done = _translate(server, home, f"wandb:team/made/{name}", "--json", source="auto")

    report = json.loads(done.stdout)
    (new,) = set(server.runs) - before
    assert (done.returncode, *report["outputs"]) == (int(not agree), f"wandb:team/made/{new[1]}")
    assert bool(report["undecided"]) is not agree
    if agree:
        assert "trl[PPOTrainer]==0.5.0..0.11.4" == report["from"] == server.runs[new].config["translated_from"]["from"]
        assert len(rows) == len(server.runs[new].history)
        assert any(note.startswith("taken for PPOTrainer 0.5.0–0.11.4") for note in report["notes"])


def test_a_dry_run_logs_nothing(tmp_path):
    """All rows are read, the report says what would be logged and where, and the server has what it had."""
    with serving() as server:
        server.runs["made", "source01"] = _source()
        dry = _translate(server, tmp_path, "wandb:team/made/source01", "--json", "--dry-run")
        assert ([*server.runs], str(server.runs["made", "source01"])) == ([("made", "source01")], str(_source()))
        real = _translate(server, tmp_path, "wandb:team/made/source01", "--json")

    said, done = json.loads(dry.stdout), json.loads(real.stdout)
    assert (dry.returncode, said["dry_run"], said["records"]) == (0, True, 5)
    for report in (said, done):
        report["unknown"].sort()  # W&B's client hands over the members of a dict in any order
    differing = {name: (value, done[name]) for name, value in said.items() if value != done[name]}
    assert differing.keys() == {"dry_run", "notes"}, differing


PPO = "trl[PPOTrainer]==0.7.10"
RIVALS = "env/reward_mean", "ppo/mean_scores"


@pytest.mark.parametrize("summary", [{}, {RIVALS[0]: 4.0, RIVALS[1]: 5.0}])
def test_a_collision_is_that_of_the_run_each_time(tmp_path, summary):
    """Two names of one, equal at first: set aside in every row, also in a copy that is repeated or continued."""
    rows = [
        {"_step": step, RIVALS[0]: float(step), RIVALS[1]: step + (step == 4), "objective/kl": 0.5} for step in range(6)
    ]
    aside = [f"untranslated/trl-0.7.10/{name}" for name in RIVALS]
    with serving() as server:
        server.runs["made", "source02"] = Run(
            "source02", "made", "x", {}, {"objective/kl": 0.5, **summary}, rows, complete=True
        )
        reports, histories, name = [], [], ""
        for kept in (None, None, 3):
            if kept is not None:
                del server.runs["made", name].history[kept:]
            done = _translate(server, tmp_path, "wandb:team/made/source02", "--json", source=PPO)
            reports.append((done.returncode, json.loads(done.stdout)))
            name = reports[-1][1]["outputs"][0].rpartition("/")[2]
            histories.append(
                [
                    {key: row.get(key) for key in (*aside, "reward/score/mean")}
                    for row in server.runs["made", name].history
                ]
            )

    assert [code for code, _ in reports] == [1, 1, 1]
    assert [{"reward/score/mean": list(RIVALS)}] * 3 == [report["collisions"] for _, report in reports]
    assert [
        {aside[0]: step, aside[1]: step + (step == 4), "reward/score/mean": None} for step in range(6)
    ] == histories[0]
    assert histories[0] == histories[1] == histories[2]
