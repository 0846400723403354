"""Dry runs, several processes, and shares of a folder: the same report and the same bytes as one process gives."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest
from translate.mixed_runs import OPTIONS, contents, make_runs, run


@pytest.fixture
def runs(tmp_path):
    """A folder with a log of every kind, dashboards, code, links, a torn file and a damaged one."""
    return make_runs(tmp_path)


@pytest.mark.parametrize("source", [OPTIONS[1], "auto"])
def test_several_processes_give_the_same(runs, capsys, source):
    """The copy is the same to the byte, and so is the report, whichever process is done first."""
    one = run(capsys, runs, runs.with_name("out"), "--from", source)
    alone = contents(runs.with_name("out"))

    several = run(capsys, runs, runs.with_name("out"), "--from", source, "-j", 3, "--force")

    assert one == several
    assert alone == contents(runs.with_name("out"))


@pytest.mark.parametrize("order", [1, 2])
def test_shares_give_the_same_as_one_process(runs, capsys, order):
    """In any order, repeated, and with several processes: the copy is there with the last share, and it is the same."""
    whole = run(capsys, runs, runs.with_name("whole"))
    out, numbers = runs.with_name("out"), [1, 2, 3, 4]
    random.Random(order).shuffle(numbers)
    for number in numbers[:-1]:
        for _ in range(2):
            run(capsys, runs, out, "--shard", f"{number}/4", *(["-j", 2] if number == 1 else []))
        assert not out.exists()

    last = run(capsys, runs, out, "--shard", f"{numbers[-1]}/4")

    expected = json.loads(json.dumps(whole[1]).replace(str(runs.with_name("whole")), str(out)))
    last[1]["notes"].remove(f"all 4 shares are there: {out} is complete")
    for report in (expected, last[1]):
        for name in ("copied", "unchanged", "unknown", "outputs", "notes", "skipped"):
            report[name].sort()
    assert last[1] == expected
    assert last[0] == 1
    assert contents(runs.with_name("whole")) == contents(out)
    assert set(os.listdir(runs.parent)) == {"runs", "whole", "out"}


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
