"""``check`` of folders: which logs are runs, a table of them, and what is said of those that can't be read."""

import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from health_simulator import simulate, spelled
from kept_runs import wandb_run
from rlmetrics.cli import main
from rlmetrics.logs.kinds import kind_of
from tracker_messages import Event

GRPO = "trl[GRPOTrainer]==1.16.0"


def rows_of(scenario="healthy", seed=0):
    """Return a run as TRL logs it."""
    return spelled(simulate("grpo", scenario, seed).rows, GRPO)


def lines(path, rows):
    """Write rows as JSON lines and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def state(folder, rows):
    """Write the state of a trainer and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trainer_state.json").write_text(json.dumps({"log_history": rows}))
    return folder / "trainer_state.json"


def check(capsys, *arguments):
    """Run ``check``; return exit code, output and errors."""
    code = main(["check", *map(str, arguments), "--at", GRPO])
    told = capsys.readouterr()
    return code, told.out, told.err


def judged(capsys, path):
    """Return the runs that ``check`` judges below a path."""
    found = json.loads(check(capsys, path, "--json", "--fail-on", "never")[1])
    return found if isinstance(found, list) else [found]


def test_a_folder_ends_with_a_table_and_a_count(tmp_path, capsys):
    """Each run has a line with verdict, name, source and rows, the sickest first; the cause stands below it."""
    lines(tmp_path / "a" / "fine.jsonl", rows_of())
    lines(tmp_path / "b" / "sick.jsonl", rows_of("nan_loss"))
    (tmp_path / "torn.jsonl").write_bytes(b'{"loss": 1.0, "rew')

    code, out, err = check(capsys, tmp_path)

    assert code == 1
    assert [line.split()[:2] for line in out.splitlines()[:2]] == [["verdict", "run,"], ["error", "b/sick.jsonl"]]
    assert re.search(r"^ +\S.*, since step 8\d$", out.splitlines()[2])
    assert out.splitlines()[3].split() == ["no", "finding", "a/fine.jsonl", "GRPO", "1.16.0", "240"]
    assert "2 runs: 1 with an error, 1 without a finding; 1 file left out" in out
    assert max(map(len, out.splitlines()[:-1])) <= 80
    assert err.splitlines() == [
        f"rlmetrics check: left out: {tmp_path / 'torn.jsonl'}: holds no whole row; 18 bytes at its end were cut off"
    ]


def test_the_table_tells_what_a_log_leaves_open(tmp_path, capsys):
    """Beside each run stand all releases that may have logged it, and whether another trainer may have."""
    plain = [{"loss": 2.0 - step / 100, "grad_norm": 1.0, "learning_rate": 1e-5} for step in range(20)]
    lines(tmp_path / "plain" / "log.jsonl", plain)
    lines(tmp_path / "kto" / "log.jsonl", [{**row, "rewards/margins": 0.1, "kl": 0.2} for row in plain])

    main(["check", str(tmp_path), "--fail-on", "never"])
    table = {line.split("  ")[1].strip(): line for line in capsys.readouterr().out.splitlines() if "log.jsonl" in line}
    main(["check", str(tmp_path / "kto"), "--json", "--fail-on", "never"])
    first, *others = json.loads(capsys.readouterr().out)["source"]["candidates"]

    component, _, releases = first["source"].removeprefix("trl[").partition("Trainer]==")
    said = f"{component} {releases.replace('..', '–')}{' or other' if others else ''}"
    assert ".." in releases
    assert said in table["kto/log.jsonl"]
    assert re.search(r"SFT [\d.]+–[\d.]+ or other", table["plain/log.jsonl"])


@pytest.mark.parametrize(
    ("text", "is_run"),
    [
        ('{"_version":2,"hardware":{"cpu":{"physical_count":2}},"runtime":{"os":"Linux"},"git":null}', False),
        ('{"train/reward":0.5,"note":"end"}\n', True),
        ('{"train/reward":"NaN"}', True),
        ('{"name":"a"}\n{"name":"b"}\n', True),
        ('{"data":{"train/reward":1},"name":"a"}\n', True),
    ],
)
def test_a_lone_object_without_a_number_is_no_run(text, is_run, tmp_path):
    """What a tracker notes of the machine on one line is no log; lines of objects, and a row of numbers, are."""
    path = tmp_path / "metadata.json"
    path.write_text(text)

    assert (kind_of(path) is not None) is is_run


def test_the_page_of_several_runs_begins_with_an_index(tmp_path, capsys):
    """A row for each run, which leads to its report."""
    lines(tmp_path / "fine.jsonl", rows_of())
    lines(tmp_path / "sick.jsonl", rows_of("nan_loss"))

    check(capsys, tmp_path, "--html", tmp_path.parent / f"{tmp_path.name}.html")

    page = (tmp_path.parent / f"{tmp_path.name}.html").read_text()
    assert re.findall(r'href="#(run-\d+)">([^<]+)<', page) == [("run-1", "sick.jsonl"), ("run-2", "fine.jsonl")]
    assert re.findall(r'<article id="(run-\d+)"', page) == ["run-1", "run-2"]
    assert page.index("1 with an error, 1 without a finding") < page.index('<article id="run-1"')


def test_checkpoints_of_a_run_are_one_run(tmp_path, capsys):
    """The state that holds all rows is judged; one of another run in the same folder stays."""
    rows = rows_of()
    for step in (60, 120, 240):
        state(tmp_path / f"checkpoint-{step}", rows[:step])
    state(tmp_path / "checkpoint-30", rows_of(seed=1)[:30])

    found = {run["run"].rpartition("checkpoint-")[2].partition("/")[0]: run for run in judged(capsys, tmp_path)}

    assert {number: run["rows"] for number, run in found.items()} == {"240": 240, "30": 30}
    assert any("2 earlier checkpoints of this run" in note for note in found["240"]["notes"])


def test_the_state_of_the_whole_run_continues_its_checkpoints(tmp_path, capsys):
    """What is saved beside the checkpoints at the end is the run; NaN in its rows is no difference."""
    rows = rows_of("nan_loss")
    state(tmp_path / "checkpoint-120", rows[:120])
    state(tmp_path, rows)

    assert [run["run"] for run in judged(capsys, tmp_path)] == [str(tmp_path / "trainer_state.json")]


def test_a_file_of_wandb_hides_no_log_beside_it(tmp_path, capsys):
    """Logs in the folder of a ``.wandb`` file are runs of their own; W&B's debug logs are none."""
    folder = wandb_run(rows_of()[:20], tmp_path)
    lines(folder / "own.jsonl", rows_of())
    debug = {"time": "2026-01-01T00:00:00Z", "level": "INFO", "msg": "stream: started", "pid": 7}
    lines(folder / "logs" / "debug-internal.log", [debug] * 20)
    lines(tmp_path / "copied" / "debug-core.log", [debug] * 20)

    assert sorted(run["rows"] for run in judged(capsys, tmp_path)) == [20, 240]


def test_the_summary_that_wandb_keeps_is_no_run(tmp_path, capsys):
    """What is left of a run of W&B's server is its console and its last values; the second alone is judged."""
    files = tmp_path / "run-1-a" / "files"
    lines(files / "wandb-summary.json", [{"train/loss": 1.0, "train/kl": 0.5, "_step": 25}])
    alone = [run["run"] for run in judged(capsys, tmp_path)]
    (files / "output.log").write_text("".join(f"{{'loss': {n}.5, 'epoch': {n}.0}}\n" for n in range(9)))

    assert alone == [str(files / "wandb-summary.json")]
    assert [run["run"] for run in judged(capsys, tmp_path)] == [str(files / "output.log")]


def test_what_is_beside_a_file_of_wandb_is_translated(tmp_path, capsys):
    """The names in a log beside a ``.wandb`` file change as in any other folder."""
    folder = wandb_run(rows_of()[:20], tmp_path)
    lines(folder / "own.jsonl", [{"kl": 0.5, "entropy": 1.0}])

    code = main(["translate", str(folder), "--from", GRPO, "--to", "canonical", "-o", str(tmp_path / "new")])

    assert code == 0
    assert json.loads((tmp_path / "new" / "own.jsonl").read_text()).keys() == {"kl/reference/k3", "entropy/policy"}


def without_packages(*arguments):
    """Run a command in a process in which W&B and TensorBoard are not installed."""
    code = (
        "import sys; sys.modules['wandb'] = sys.modules['tensorboard'] = None;"
        "from rlmetrics.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_packages_that_are_missing_are_told_once(tmp_path):
    """One sentence says how many files need which package and what installs them; the rest is judged."""
    lines(tmp_path / "fine.jsonl", rows_of())
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "events.out.tfevents.1.host").write_bytes(Event(wall_time=1).SerializeToString())
        (tmp_path / name / f"run-{name}.wandb").write_bytes(b":W&B\xe1\xbe\x00")

    done = without_packages("check", tmp_path, "--at", GRPO)

    said = "rlmetrics check: left out: 2 files need tensorboard, 2 files need wandb; "
    assert done.stderr == f'{said}pip install "rlmetrics[tensorboard,wandb]"\n'
    assert (done.returncode, "fine.jsonl" in done.stdout) == (0, True)


def test_packages_that_a_whole_folder_needs_are_told_once(tmp_path):
    """Where nothing can be translated without them, that is the error."""
    for name in ("a", "b"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / f"run-{name}.wandb").write_bytes(b":W&B\xe1\xbe\x00")

    done = without_packages("translate", tmp_path / "in", "--from", GRPO, "--to", "canonical")

    said = 'rlmetrics translate: 2 files need wandb; pip install "rlmetrics[wandb]"\n'
    assert (done.returncode, done.stderr) == (2, said)


def test_a_locked_database_is_told_as_such(tmp_path, capsys, monkeypatch):
    """A project that another program keeps locked is not called unknown."""
    path = tmp_path / "project.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE metrics (id INTEGER PRIMARY KEY, run_name TEXT, step INTEGER, metrics TEXT)")
        database.commit()
        database.execute("BEGIN EXCLUSIVE")
        connect = sqlite3.connect
        monkeypatch.setattr(sqlite3, "connect", lambda *args, **more: connect(*args, **{"timeout": 0.1, **more}))

        told = [check(capsys, path), check(capsys, tmp_path)]

    assert [code for code, _, _ in told] == [2, 2]
    assert all("project.db: is locked by a program that writes to it; end that, or copy" in said for *_, said in told)


def _database() -> bytes:
    """A database of another program, of two pages."""
    with tempfile.TemporaryDirectory() as folder:
        with closing(sqlite3.connect(f"{folder}/a.db")) as database, database:
            database.execute("CREATE TABLE notes (text)")
        return Path(folder, "a.db").read_bytes()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("run.jsonl", b"", "is empty"),
        ("run.json", b"", "is empty"),
        ("run.wandb", b"", "is empty"),
        ("run.wandb", b"garbage\n" * 9, "does not begin as W&B's files do"),
        ("run.jsonl", b'{"loss": 1.0, "kl', "holds no whole row; 17 bytes at its end were cut off"),
        ("run.jsonl", '{"née": 1.0}\n'.encode("latin-1"), "line 1: byte 4 (0xe9) is no UTF-8; if the file is Latin-1"),
        ("run.log", "{'loss': 1.0, 'epoch': 0.1}\n".encode("utf-16")[:-1], "is UTF-16 text, and not all of it"),
        ("run.json", b"[[1, 0.5], [2, 0.25]]", "is lists of numbers without the names of columns"),
        ("run.bin", b"\x80\x04\x95abc", "is pickled"),
        ("run.db", _database()[:3000], "is an SQLite database that was cut off, 3,000 bytes of 8,192"),
        ("run.db", _database()[:50], "is an SQLite database that was cut off, 50 bytes of 8,192"),
        ("run.db", _database(), "is an SQLite database, but none that Trackio or MLflow writes: it holds notes"),
        ("run.txt", b"nothing of interest\n", "is no log of a known kind"),
    ],
)
def test_why_a_file_is_no_log_is_said(tmp_path, capsys, name, content, said):
    """An empty, torn or foreign file gets one line that says which, and how to mend it."""
    (tmp_path / name).write_bytes(content)

    code, out, err = check(capsys, tmp_path / name)

    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert said in err


def test_a_pipe_is_refused_and_not_waited_for(tmp_path, capsys):
    """A pipe can be read only once, so it is no log."""
    os.mkfifo(tmp_path / "run.jsonl")

    code, _, err = check(capsys, tmp_path / "run.jsonl")

    assert (code, "is a pipe or a device" in err) == (2, True)


def test_causes_that_many_runs_share_come_before_the_table(tmp_path, capsys):
    """Above the table stands how many runs have which first cause; of a few runs there is only the table."""
    for number in range(12):
        rows = rows_of("entropy_collapse" if number < 9 else "healthy", number)
        lines(tmp_path / "runs" / f"run{number:02}.jsonl", rows)
    found = judged(capsys, tmp_path / "runs")
    titles = [run["diagnoses"][0]["title"] for run in found if run["verdict"] in ("error", "warning")]
    most = max(set(titles), key=titles.count)

    told = check(capsys, tmp_path / "runs")[1].splitlines()

    assert titles.count(most) > 1
    assert told[0] == "runs  first cause"
    assert told[1].startswith(f"{titles.count(most):4}  {most[:40]}")
    assert told[told.index("") + 1].startswith("verdict")
    few = check(capsys, *sorted((tmp_path / "runs").iterdir())[:5])[1].splitlines()
    assert few[0].startswith("verdict")
