"""What a translation may write over, what it says when it can't, and what it leaves: all through the command line."""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from logs import LOGS
from rlmetrics.translate import translate_file
from translate.without_room import WITHOUT_ROOM

VERL = "verl==0.9.1"
TO_CANONICAL = ["--from", VERL, "--to", "canonical"]


def test_a_full_disk_is_told_alike_by_several_processes(tmp_path):
    """Lack of room in one of several processes is no lack of memory."""
    (tmp_path / "runs").mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        rows = [{"actor/ppo_kl": repr(0.5 + step), "critic/score/mean": "0.25"} for step in range(3000)]
        LOGS["run.jsonl"].write(tmp_path / "runs" / name, rows)
    given = ["translate", str(tmp_path / "runs"), *TO_CANONICAL, "-o", str(tmp_path / "out")]

    said = {
        jobs: subprocess.run(
            [sys.executable, "-c", WITHOUT_ROOM, *given, "-j", jobs], capture_output=True, text=True, check=False
        )
        for jobs in ("1", "2")
    }

    assert [done.returncode for done in said.values()] == [2, 2]
    for done in said.values():
        assert "too large" in done.stderr or "No space" in done.stderr
        assert done.stderr.count("\n") == 1
    assert set(os.listdir(tmp_path)) == {"runs"}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("name", ["run.jsonl", "project.db", "mlruns.db"])
def test_a_signal_leaves_nothing_behind(tmp_path, number, name):
    """Stopped while it writes, a translation clears away its part and ends with 128 and the number of the signal."""
    log = LOGS[name]
    rows = [{"actor/lr(1e-4)": "1e-3", "actor/ppo_kl": repr(0.5 + step)} for step in range(60_000)]
    log.write(tmp_path / name, rows)
    command = [sys.executable, "-m", "rlmetrics.cli", "translate", str(tmp_path / name), "--kind", log.kind]
    with subprocess.Popen(
        [*command, "--from", "verl==0.1", "--to", "verl==0.9.1", "-o", str(tmp_path / "out")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs the tests in the background ignores some signals, and children inherit that.
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    ) as process:
        while process.poll() is None and not list(tmp_path.glob(".out.*.part/new")):
            pass
        process.send_signal(number)
        _, error = process.communicate(timeout=120)

    assert error == ""
    assert 128 + number == process.returncode
    left = set(os.listdir(tmp_path))
    if "out" in left:  # it was stopped after the last step
        translate_file(
            tmp_path / name, kind=log.kind, source="verl==0.1", target="verl==0.9.1", output=tmp_path / "again"
        )
        assert (tmp_path / "again").read_bytes() == (tmp_path / "out").read_bytes()
    assert left - {"out"} == {name}
    shutil.rmtree(tmp_path)
