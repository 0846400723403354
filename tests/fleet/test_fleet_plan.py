"""Plans of many runs: found with their sources, corrected, and followed by ``translate`` and ``check``."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from pathlib import Path

import pytest
from command_line import answered
from folders import RUNS
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.fleet.run_plan import CERTAINTIES, COLUMNS, PlannedRun, read_plan, write_plan
from rlmetrics.health import check
from rlmetrics.logs.input_errors import InputError
from rlmetrics.translate import translate_file

GRPO, VERL = "trl[GRPOTrainer]==1.16.0", "verl==0.9.1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with runs of several trainers, one that is torn within its only row, and a picture."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in ("trl-1.16.0-grpo.jsonl", "verl-0.9.1-tracking.jsonl", "verl-0.5.0.console.log"):
        shutil.copy(RUNS / name, runs / name)
    shutil.copytree(RUNS / "trackio", runs / "trackio")
    (runs / "torn.jsonl").write_text('{"reward": 0.', encoding="utf-8")
    (runs / "strange.jsonl").write_text('{"step": 1, "wholly/unheard_of": 2}\n' * 3, encoding="utf-8")
    (runs / "picture.png").write_bytes(b"\x89PNG\r\n")
    return tmp_path


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_scan_has_a_row_for_each_run(folder) -> None:
    """In the columns of the plan: source with its certainty and why, and what ``check`` says of the run."""
    done = answered("fleet", "scan", "runs", folder=folder)

    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == ",".join(COLUMNS)
    rows = {row["run"].removeprefix("runs/"): row for row in _rows(done.out)}
    reports = {
        report.run: report
        for name in rows
        if name not in ("torn.jsonl",)
        for report in check(folder / "runs" / name.partition(":")[0])
    }
    assert {(row["certainty"]) for row in rows.values()} == set(CERTAINTIES)
    assert rows["verl-0.5.0.console.log"]["certainty"] == "certain"
    assert rows["verl-0.5.0.console.log"]["source"] == "verl==0.5.0"
    assert rows["trl-1.16.0-grpo.jsonl"]["certainty"] == "likely"
    assert rows["trl-1.16.0-grpo.jsonl"]["source"] == GRPO
    assert "trl[RLOOTrainer]==0.26.0..1.16.0" in rows["trl-1.16.0-grpo.jsonl"]["evidence"]
    assert {row["kind"] for row in rows.values()} == {"jsonl", "verl-console", "trackio"}
    assert (rows["strange.jsonl"]["source"], rows["strange.jsonl"]["certainty"]) == ("", "unknown")
    assert (rows["torn.jsonl"]["source"], rows["torn.jsonl"]["rows"], rows["torn.jsonl"]["verdict"]) == ("", "", "")
    assert "holds no row" in rows["torn.jsonl"]["evidence"]
    assert len(reports) == len(rows) - 1
    for report in reports.values():
        row = rows[str(Path(report.run).relative_to(folder / "runs"))]
        said = (row["verdict"], int(row["rows"]), float(row["first_step"]), float(row["last_step"]))
        assert said == (report.verdict, report.rows, *report.steps)


def test_a_run_whose_name_is_no_utf_8_is_told_and_has_no_source(tmp_path: Path) -> None:
    """The plan is written whole and can be read; the run stands there escaped, to be renamed, beside the others."""
    runs = tmp_path / "runs"
    runs.mkdir()
    for name in (b"verl.jsonl", b"od\xffd.jsonl"):
        shutil.copy(RUNS / "verl-0.9.1-tracking.jsonl", runs / os.fsdecode(name))

    done = answered("fleet", "scan", "runs", "-o", "plan.csv", folder=tmp_path)

    assert done.code == 0, done.err
    assert "1 unknown" in done.err
    planned = {run.run: run for run in read_plan(tmp_path / "plan.csv")}
    assert set(planned) == {"runs/verl.jsonl", r"runs/od\udcffd.jsonl"}
    odd = planned[r"runs/od\udcffd.jsonl"]
    assert (odd.source, odd.certainty) == ("", "unknown")
    assert "rename it" in odd.evidence
    assert planned["runs/verl.jsonl"].source


def test_processes_change_nothing(folder) -> None:
    """Two processes write the plan that one writes, and the same translations."""
    one, two = (answered("fleet", "scan", "runs", "--jobs", jobs, folder=folder) for jobs in ("1", "2"))
    assert one.out == two.out

    (folder / "plan.csv").write_text(one.out, encoding="utf-8")
    for jobs in ("1", "2"):
        done = answered(
            *("translate", "--plan", "plan.csv", "--to", "canonical", "-o", f"out{jobs}", "--jobs", jobs, "--json"),
            folder=folder,
        )
        assert done.code == 1, done.err  # some have no source
    assert _tree(folder / "out1") == _tree(folder / "out2")
    assert len(_tree(folder / "out1")) == 4


def _tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".db"
    } | {str(path.relative_to(folder)): b"" for path in folder.rglob("*.db")}


def test_a_corrected_source_is_taken_and_a_likely_one_carries_what_is_certain(folder) -> None:
    """What a person writes is what they know; what nobody touched is what ``translate`` makes of it by itself."""
    log = folder / "runs" / "trl-1.16.0-grpo.jsonl"
    plan = folder / "plan.csv"
    written = {}
    for source in (GRPO, "trl[RLOOTrainer]==1.16.0"):
        plan.write_text(f"run,source,certainty\n{log},{source},likely\n", encoding="utf-8")
        done = answered("translate", "--plan", "plan.csv", "--to", "canonical", "-o", "out", "--force", folder=folder)
        assert done.code in (0, 1), done.err
        written[source] = (folder / "out" / log.name).read_bytes()
    translate_file(log, target="canonical", output=folder / "auto.jsonl")
    translate_file(log, source="trl[RLOOTrainer]==1.16.0", target="canonical", output=folder / "rloo.jsonl")

    assert written[GRPO] == (folder / "auto.jsonl").read_bytes()
    assert written["trl[RLOOTrainer]==1.16.0"] == (folder / "rloo.jsonl").read_bytes()
    assert len(set(written.values())) == 2


def test_check_follows_a_plan(folder) -> None:
    """Each run by its source in the plan; what can't be read is left out with its reason."""
    (folder / "plan.csv").write_text(
        f"run,source\nruns/trl-1.16.0-grpo.jsonl,{GRPO}\nruns/gone.jsonl,{VERL}\nruns/verl-0.9.1-tracking.jsonl,{VERL}\n",
        encoding="utf-8",
    )
    done = answered("check", "--plan", "plan.csv", "--json", "--fail-on", "never", folder=folder)

    found = json.loads(done.out)
    assert [(run["run"], run["at"]) for run in found] == [
        ("runs/trl-1.16.0-grpo.jsonl", GRPO),
        ("runs/verl-0.9.1-tracking.jsonl", VERL),
    ]
    assert "left out: runs/gone.jsonl: does not exist" in done.err


def test_causes_stand_first_with_how_many_runs_they_are_about(folder) -> None:
    """What is true of all runs is one line; what is left out comes before what differs."""
    log = folder / "runs" / "trl-1.16.0-grpo.jsonl"
    (folder / "many").mkdir()
    for number in range(5):
        shutil.copy(log, folder / "many" / f"run{number}.jsonl")
    rows = "".join(f"many/run{number}.jsonl,{GRPO}\n" for number in range(5))
    (folder / "plan.csv").write_text(f"run,source\n{rows}many/run5.jsonl,\n", encoding="utf-8")

    done = answered("translate", "--plan", "plan.csv", "--to", VERL, folder=folder, COLUMNS="80")

    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[0].startswith("5 of 6 runs translated to verl==0.9.1 in ")
    first = next(place for place, line in enumerate(lines) if line.startswith("runs  cause"))
    assert lines[first + 1].startswith("   1  left out: ")
    assert any(line.startswith("   5  step_time -> timing_s/step: biased") for line in lines[first + 2 :])
    assert all(len(line) <= 80 for line in lines)
    assert (folder / "plan.translated" / "run4.jsonl").is_file()


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp")), max_size=12).map(str.strip)
NUMBER = st.none() | st.integers(0, 10**6)


@given(
    st.lists(
        st.builds(
            PlannedRun,
            run=TEXT.filter(bool),
            kind=TEXT,
            source=TEXT,
            certainty=st.sampled_from(CERTAINTIES),
            evidence=TEXT,
            verdict=st.sampled_from(["", "error", "warning"]),
        ),
        min_size=1,
        unique_by=lambda run: run.run,
    )
)
def test_what_is_written_is_read(tmp_path_factory, runs) -> None:
    """Commas, quotes and any letters come back."""
    path = tmp_path_factory.mktemp("plan") / "plan.csv"
    write_plan(runs, path)

    found = read_plan(path)

    fields = ("run", "kind", "source", "certainty", "evidence", "verdict")
    assert [[getattr(run, name) for name in fields] for run in found] == [
        [getattr(run, name) for name in fields] for run in runs
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r":1: a plan has the columns"),
        ("run,kind\na,jsonl\n", r":1: .*this one has no source"),
        ("run,source\n", "holds no run"),
        ("run,source\na,b\n,verl==0.9.1\n", ":3: names no run"),
        ("run,source\na,b\na,c\n", ":3: a stands in line 2 already"),
        ("run,source,certainty\na,b,maybe\n", ":2: 'maybe' is no certainty"),
        ('run,source\n"a,b\n', "is no CSV"),
    ],
)
def test_a_broken_plan_is_refused_with_its_line(tmp_path, text, said) -> None:
    """In one line, before anything is written."""
    path = tmp_path / "plan.csv"
    path.write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=said):
        read_plan(path)
    done = answered("translate", "--plan", "plan.csv", "--to", "canonical", folder=tmp_path)
    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["translate", "--to", "canonical"], "one of IN and --plan"),
        (["translate", "runs", "--plan", "plan.csv", "--to", "canonical"], "one of IN and --plan"),
        (["translate", "--plan", "plan.csv", "--to", "canonical", "--from", "verl"], "--from does not go with --plan"),
        (["translate", "--plan", "plan.csv", "--to", "canonical", "-o", "runs"], "may not hold what is translated"),
        (
            ["translate", "--plan", "plan.csv", "--to", "canonical", "-o", "other"],
            "no ledger says that it is of a plan",
        ),
        (["check"], "either RUN or --plan"),
        (["check", "--plan", "plan.csv", "--at", "verl"], "--at does not go with --plan"),
        (["fleet", "scan", "nowhere"], "does not exist"),
        (["fleet", "scan", "mlflow:ftp://localhost:5000"], "is no store that can be read"),
        (["fleet", "scan", "mlflow:http://me:secret@localhost"], "leave user and password out of the address"),
        (["fleet", "scan", "mlflow:http://localhost:5000", "--tag", "a"], "choose among the runs of W&B projects"),
        (["fleet", "scan", "runs", "--since", "2026-01-01"], "choose among the runs of W&B projects"),
        (["fleet", "scan", "runs", "-o", "plan.csv"], "exists already"),
    ],
)
def test_bad_usage_is_one_line(folder, words, said) -> None:
    """And nothing is written."""
    (folder / "plan.csv").write_text(f"run,source\nruns/verl-0.9.1-tracking.jsonl,{VERL}\n", encoding="utf-8")
    (folder / "other").mkdir()
    before = sorted(folder.rglob("*"))

    done = answered(*words, folder=folder)

    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)
    assert said in done.err
    assert sorted(folder.rglob("*")) == before


def test_a_store_of_mlflow_is_scanned_by_its_uri() -> None:
    """As its folder is."""
    by_uri = answered("fleet", "scan", f"mlflow:{RUNS / 'mlruns'}", folder=RUNS)
    by_path = answered("fleet", "scan", str(RUNS / "mlruns"), folder=RUNS)

    assert by_uri.out == by_path.out
    assert len(_rows(by_uri.out)) > 0


@pytest.mark.parametrize("variable", ["TRACKIO_DIR", "HF_HOME"])
def test_a_project_of_trackio_is_found_by_its_name(tmp_path: Path, variable: str) -> None:
    """Where Trackio keeps it, which drops a dot in a name; the rows are those of the file."""
    home = RUNS if variable == "HF_HOME" else RUNS / "trackio"
    named = answered("fleet", "scan", "trackio:rl.hf", folder=tmp_path, **{variable: str(home)})
    by_path = answered("fleet", "scan", str(RUNS / "trackio" / "rlhf.db"), folder=tmp_path)
    none = answered("fleet", "scan", "trackio:other", folder=tmp_path, **{variable: str(home)})

    assert named.code == by_path.code == 0, named.err
    assert named.out == by_path.out
    assert "rlhf.db" in named.out
    assert (none.code, none.err.count("\n")) == (2, 1)
    assert "TRACKIO_DIR" in none.err


def test_runs_are_told_the_same_alone_and_after_others(tmp_path) -> None:
    """What is remembered of one run is used for another only where the same is known of it: settings, values, keys."""
    rows = [json.loads(line) for line in (RUNS / "trl-1.16.0-grpo.jsonl").read_text(encoding="utf-8").splitlines()]
    kinds = {
        "plain": (rows, None),
        "other_values": ([{**row, "total_flos": 1.0, "reward": 0.0} for row in rows], None),
        "fewer_keys": ([{key: row[key] for key in [*row][:12]} for row in rows], None),
        "of_dpo": ((RUNS / "trl-1.16.0-dpo.jsonl").read_text(encoding="utf-8"), None),
        "with_settings": (rows, {"beta": 0.04, "learning_rate": 1e-6, "loss_type": "bnpo"}),
        "other_settings": (rows, {"beta": 0.0, "learning_rate": 1e-3, "scale_rewards": "none"}),
    }
    alone = {}
    for name, (content, settings) in kinds.items():
        for place in (tmp_path / "alone" / name, tmp_path / "together" / name, tmp_path / "together" / f"{name}2"):
            place.mkdir(parents=True)
            text = content if isinstance(content, str) else "".join(f"{json.dumps(row)}\n" for row in content)
            (place / "run.jsonl").write_text(text, encoding="utf-8")
            if settings is not None:
                (place / "training_args.json").write_text(json.dumps(settings), encoding="utf-8")
        told = _rows(answered("fleet", "scan", f"alone/{name}", folder=tmp_path).out)[0]
        alone[name] = {column: value for column, value in told.items() if column != "run"}
    assert len({json.dumps(row) for row in alone.values()}) > 2

    together = _rows(answered("fleet", "scan", "together", folder=tmp_path).out)
    together = [row for row in together if row["run"].endswith("run.jsonl")]

    assert len(together) == 2 * len(kinds)
    for row in together:
        name = Path(row.pop("run")).parent.name.removesuffix("2")
        assert row == alone[name], name
