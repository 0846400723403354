"""Dry runs, several processes, and shares of a folder: the same report and the same bytes as one process gives."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from logs import LOGS
from rlmetrics.cli import main
from rlmetrics.translate import InputError, translate_file

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
OPTIONS = ["--from", "verl==0.9.1", "--to", "canonical"]
ROWS = [{"actor/ppo_kl": repr(0.5 + step), "critic/score/mean": "0.25", "mine/own": "1"} for step in range(30)]


@pytest.fixture
def runs(tmp_path):
    """A folder with a log of every kind, dashboards, code, links, a torn file and a damaged one."""
    folder = tmp_path / "runs"
    for number in range(3):
        place = folder / str(number)
        place.mkdir(parents=True)
        (place / "offline-run").mkdir()  # all files beside a run of W&B are part of it
        for log in LOGS.values():
            log.write((place / "offline-run" if log.kind == "wandb" else place) / log.name, ROWS)
        with (place / "hf.log").open("a") as file:
            file.write("{'epoch': 0.5}\n")
    shutil.copytree(FIXTURES / "runs" / "wandb" / "0.16.6-verl", folder / "offline-run-1")
    for path in sorted((FIXTURES / "dashboards").glob("verl-0.9.1.*")):
        shutil.copy(path, folder)
    (folder / "weights.bin").write_bytes(b"\0" * 100)
    (folder / "watch.py").write_text("monitor = 'actor/ppo_kl'\n")
    (folder / "sweep.yaml").write_text("metric: actor/ppo_kl\n")
    (folder / "torn.jsonl").write_text('{"actor/ppo_kl": 1}\n{"actor')
    (folder / "damaged.jsonl").write_text('{"actor/ppo_kl" 1}\n{}\n')
    (folder / "latest").symlink_to("2")
    return folder


def _contents(folder):
    def content(path):
        return os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None

    return {str(path.relative_to(folder)): content(path) for path in sorted(folder.rglob("*"))}


def _run(capsys, runs, out, *options):
    code = main(["translate", str(runs), *OPTIONS, "-o", str(out), "--json", *map(str, options)])
    captured = capsys.readouterr()
    return code, json.loads(captured.out) if captured.out else captured.err


def _without(report, *left_out):
    return {key: value for key, value in report.items() if key not in left_out}


def test_a_dry_run_reports_the_same_and_writes_nothing(runs, capsys):
    """Folders with all kinds: the report is that of the real run, and nothing is made or changed anywhere."""
    out = runs.with_name("out")
    before = _contents(runs.parent)

    dry = _run(capsys, runs, out, "--dry-run")

    assert _contents(runs.parent) == before
    real = _run(capsys, runs, out)
    assert (dry[0], real[0]) == (1, 1)
    assert (dry[1]["dry_run"], real[1]["dry_run"]) == (True, False)
    assert _without(dry[1], "dry_run") == _without(real[1], "dry_run")
    assert main(["translate", str(runs / "0" / "run.jsonl"), *OPTIONS, "--dry-run"]) == 0
    assert f"Would write {runs / '0' / 'run.jsonl.translated'}:" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", LOGS)
def test_every_kind_has_a_dry_run(name, tmp_path, capsys, monkeypatch):
    """A single file of each kind, also one that is large: the same report, nothing written, and errors are found."""
    log = LOGS[name]
    log.write(tmp_path / name, ROWS)
    monkeypatch.setattr("rlmetrics.translate.translation._LARGE", 0)
    given = [tmp_path / name, tmp_path / "out", "--kind", log.kind]

    dry = _run(capsys, *given, "--dry-run")

    assert os.listdir(tmp_path) == [name]
    assert _without(dry[1], "dry_run") == _without(_run(capsys, *given)[1], "dry_run")
    assert Path(os.devnull).is_char_device()
    assert _run(capsys, *given, "--dry-run")[0] == 2
    with pytest.raises(InputError, match="0 keys translated"):
        translate_file(
            tmp_path / name,
            source="trl[DPOTrainer]==1.16.0",
            target="canonical",
            output=tmp_path / "new",
            kind=log.kind,
            dry_run=True,
        )


@pytest.mark.slow
@pytest.mark.parametrize("source", [OPTIONS[1], "auto"])
def test_several_processes_give_the_same(runs, capsys, source):
    """The copy is the same to the byte, and so is the report, whichever process is done first."""
    one = _run(capsys, runs, runs.with_name("out"), "--from", source)
    alone = _contents(runs.with_name("out"))

    several = _run(capsys, runs, runs.with_name("out"), "--from", source, "-j", 3, "--force")

    assert one == several
    assert alone == _contents(runs.with_name("out"))


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2])
def test_shares_give_the_same_as_one_process(runs, capsys, order):
    """In any order, repeated, and with several processes: the copy is there with the last share, and it is the same."""
    whole = _run(capsys, runs, runs.with_name("whole"))
    out, numbers = runs.with_name("out"), [1, 2, 3, 4]
    random.Random(order).shuffle(numbers)
    for number in numbers[:-1]:
        for _ in range(2):
            _run(capsys, runs, out, "--shard", f"{number}/4", *(["-j", 2] if number == 1 else []))
        assert not out.exists()

    last = _run(capsys, runs, out, "--shard", f"{numbers[-1]}/4")

    expected = json.loads(json.dumps(whole[1]).replace(str(runs.with_name("whole")), str(out)))
    last[1]["notes"].remove(f"all 4 shares are there: {out} is complete")
    for report in (expected, last[1]):
        for name in ("copied", "unchanged", "unknown", "outputs", "notes", "skipped"):
            report[name].sort()
    assert last[1] == expected
    assert last[0] == 1
    assert _contents(runs.with_name("whole")) == _contents(out)
    assert set(os.listdir(runs.parent)) == {"runs", "whole", "out"}


def test_a_share_of_changed_files_is_written_again(runs, capsys):
    """What was written before is taken only if its files are as they were."""
    out = runs.with_name("out")
    for number in (1, 2):
        _run(capsys, runs, out, "--shard", f"{number}/3")
    for path in runs.rglob("run.jsonl"):
        path.write_text('{"actor/ppo_kl": 7}\n')
    for number in (1, 2, 3):
        _run(capsys, runs, out, "--shard", f"{number}/3")

    assert {path.read_bytes() for path in out.rglob("run.jsonl")} == {b'{"kl/old/k1": 7}\n'}


@pytest.mark.parametrize("given", ["0/2", "3/2", "x", "1/0", "-1/2", "1/2/3", "1/٣", ""])
def test_what_is_no_share_is_refused(runs, capsys, given):
    """One line, exit code 2, nothing written."""
    before = _contents(runs.parent)

    assert main(["translate", str(runs), *OPTIONS, f"--shard={given}"]) == 2
    assert "is no share; write K/N" in capsys.readouterr().err
    assert _contents(runs.parent) == before
    assert main(["translate", str(runs / "torn.jsonl"), *OPTIONS, "--shard", "1/2"]) == 2
    assert "only folders can be split" in capsys.readouterr().err


@pytest.mark.parametrize("given", ["0", "-1", "x", "", "1025", "٣"])
def test_what_is_no_number_of_processes_is_refused(tmp_path, capsys, given):
    """One line, exit code 2."""
    assert main(["translate", str(tmp_path), *OPTIONS, f"-j{given}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_the_one_that_has_the_output(runs, number):
    """Stopped by a signal it clears away and leaves no process behind; killed, the next run clears away."""
    out = runs.with_name("out")
    command = [sys.executable, "-m", "rlmetrics.cli", "translate", str(runs), *OPTIONS, "-o", str(out), "-j", "2"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        while process.poll() is None and not list(runs.parent.glob(".out.*.part/new/*")):
            time.sleep(0.001)
        process.send_signal(number)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            break
        time.sleep(0.05)
    else:
        pytest.fail("processes are left")

    assert number == signal.SIGKILL or {"runs"} == set(os.listdir(runs.parent))
    subprocess.run(command, check=False, capture_output=True)
    assert set(os.listdir(runs.parent)) == {"runs", "out"}
