"""An interrupted translation of a plan goes on where it ended: what is done is not done again, nothing is half done."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from command_line import answered, hears_interrupts
from folders import RUNS

GRPO = "trl[GRPOTrainer]==1.16.0"
COMMAND = ("translate", "--plan", "plan.csv", "--to", "canonical", "-o", "out")
COUNT = 24


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan of some runs."""
    (tmp_path / "runs").mkdir()
    rows = (RUNS / "trl-1.16.0-grpo.jsonl").read_text(encoding="utf-8")
    for number in range(COUNT):
        (tmp_path / "runs" / f"run{number}.jsonl").write_text(rows * 30 * (number + 1), encoding="utf-8")
    listed = "".join(f"runs/run{number}.jsonl,{GRPO}\n" for number in range(COUNT))
    (tmp_path / "plan.csv").write_text(f"run,source\n{listed}", encoding="utf-8")
    return tmp_path


def _entries(folder: Path) -> int:
    with suppress(sqlite3.Error), closing(sqlite3.connect(folder / "out.ledger.sqlite")) as database:
        return int(database.execute("SELECT count(*) FROM runs").fetchone()[0])
    return 0


def _times(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in (folder / "out").rglob("*.jsonl")}


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whatever_stops_it_only_runs_in_hand_are_lost(folder, number, jobs) -> None:
    """Repeated, it does the others, and the result is what one that nobody stopped gives."""
    command = [sys.executable, "-m", "rlmetrics.cli", *COMMAND, "--jobs", jobs]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=hears_interrupts,
    )
    while _entries(folder) < 3 and process.poll() is None:
        time.sleep(0.01)
    if number == signal.SIGKILL:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert b"Traceback" not in said
    done, before = _entries(folder), _times(folder)
    assert 3 <= done < COUNT

    again = answered(*COMMAND, "--json", folder=folder)

    told = json.loads(again.out)
    assert again.code == 0, again.err
    assert told["done_before"] == done
    assert len(told["runs"]) == COUNT
    kept = [name for name, when in before.items() if _times(folder)[name] == when]
    assert len(kept) >= done
    answered("translate", "--plan", "plan.csv", "--to", "canonical", "-o", "whole", folder=folder)
    names = sorted(path.name for path in (folder / "whole").iterdir())
    assert names == sorted(path.name for path in (folder / "out").iterdir())
    assert len(names) == COUNT
    for name in names:
        assert (folder / "out" / name).read_bytes() == (folder / "whole" / name).read_bytes()


def test_what_changed_is_done_again_and_nothing_else(folder) -> None:
    """A run that has grown, a copy that is gone or was edited, and a source that was corrected."""
    assert answered(*COMMAND, folder=folder).code == 0
    before = _times(folder)
    with (folder / "runs" / "run0.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"reward": 0.5}\n')
    (folder / "out" / "run1.jsonl").unlink()
    (folder / "out" / "run2.jsonl").write_text("{}\n", encoding="utf-8")
    plan = (folder / "plan.csv").read_text(encoding="utf-8")
    plan = plan.replace(f"runs/run3.jsonl,{GRPO}", "runs/run3.jsonl,trl[GRPOTrainer]==1.15.0")
    (folder / "plan.csv").write_text(plan, encoding="utf-8")

    again = answered(*COMMAND, "--json", folder=folder)

    told = json.loads(again.out)
    now = _times(folder)
    assert told["done_before"] == COUNT - 4
    assert {name for name in now if now[name] != before.get(name)} == {f"run{number}.jsonl" for number in range(4)}
    assert (
        '"reward/total/mean": 0.5' in (folder / "out" / "run0.jsonl").read_text()
        or "0.5" in (folder / "out" / "run0.jsonl").read_text()
    )


def test_a_run_that_is_refused_is_tried_again(folder) -> None:
    """Its reason is in the report; when it is mended, it is done, and all others are as they were."""
    good = (folder / "runs" / "run5.jsonl").read_bytes()
    (folder / "runs" / "run5.jsonl").write_bytes(b'{"reward": 1}\n{"reward"\n{}\n')
    first = answered(*COMMAND, "--json", folder=folder)
    assert first.code == 1
    assert [run["run"] for run in json.loads(first.out)["runs"] if run["failed"]] == ["runs/run5.jsonl"]
    assert not (folder / "out" / "run5.jsonl").exists()

    (folder / "runs" / "run5.jsonl").write_bytes(good)
    second = answered(*COMMAND, "--json", folder=folder)

    assert second.code == 0
    assert json.loads(second.out)["done_before"] == COUNT - 1
    assert (folder / "out" / "run5.jsonl").is_file()


def test_a_dry_run_writes_nothing(folder) -> None:
    """Neither the copies nor a ledger; the account is the same."""
    before = sorted(folder.rglob("*"))

    done = answered(*COMMAND, "--dry-run", "--json", folder=folder)

    assert done.code == 0, done.err
    assert {run["renamed"] for run in json.loads(done.out)["runs"]} != {0}
    assert sorted(folder.rglob("*")) == before


def test_another_database_at_the_place_of_the_ledger_is_refused(folder) -> None:
    """In one line; it is not touched."""
    (folder / "out").mkdir()
    shutil.copy(RUNS / "trl-1.16.0-grpo.jsonl", folder / "out.ledger.sqlite")

    done = answered(*COMMAND, folder=folder)

    assert (done.code, len(done.err.splitlines())) == (2, 1)
    assert "is no ledger of a fleet" in done.err
