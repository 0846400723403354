"""Translations that are killed or fail at any moment, and what is imported before any is begun."""

import shutil
import subprocess
import sys

import pytest
from folders import RUNS
from logs import LOGS

VERL = "verl==0.9.1"
ROWS = [{"actor/ppo_kl": repr(0.5 + step), "critic/score/mean": "0.25"} for step in range(40)]

KILLS = """
import os, random, shutil, signal, sys, time
from functools import lru_cache
from pathlib import Path
from rlmetrics.translate import Translator, translate_file, translation

# Nothing has been written while a translator is made: kills fall into the rest of the time.
made = lru_cache(lambda source, target, surface: Translator(source, target, surface=surface))
translation.Translator = lambda source, target, *, surface, **options: made(source, target, surface)
runs, folder, kills = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])

def translate(output):
    translate_file(runs, source="verl==0.9.1", target="canonical", output=output, force=True)

def contents(path):
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}

translate(folder / "whole")
begun = time.monotonic()
translate(folder / "again")
took = time.monotonic() - begun
whole, dice, missing = contents(folder / "whole"), random.Random(0), 0
for number in range(kills):
    output = folder / f"killed{number % 2}"  # every second time there may be an output to replace
    moment = dice.uniform(0, 1.2) * took
    child = os.fork()
    if child == 0:
        signal.setitimer(signal.ITIMER_REAL, moment)  # its signal ends a process at once, as SIGKILL does
        translate(output)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    took *= 1.05 if status else 0.95  # on a busy machine too, some are killed and some are not
    if output.exists():
        assert contents(output) == whole, f"half an output after kill {number}"
    else:
        missing += 1
    if number % 2:
        shutil.rmtree(output, ignore_errors=True)
translate(output)
assert contents(output) == whole
print(missing)
"""


@pytest.fixture
def runs(tmp_path):
    """A folder with a log of every kind, and runs of W&B."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for log in LOGS.values():
        log.write(folder / log.name, ROWS)
    with (folder / "hf.log").open("a") as file:
        file.write("{'epoch': 0.5}\n")
    shutil.copytree(RUNS / "wandb" / "0.16.6-verl", folder / "offline-run-1")
    for name in ("verl-0.9.1.report.json", "verl-0.9.1.grafana.json"):
        shutil.copy(RUNS.parent / "dashboards" / name, folder)
    return folder


def _contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_two_hundred_kills_leave_all_or_nothing(runs, tmp_path):
    """Killed at any moment, there is no output under its final name, or the whole one; the next run succeeds."""
    inputs = _contents(runs)
    command = [sys.executable, "-c", KILLS, str(runs), str(tmp_path), "200"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert 20 < int(done.stdout) < 200
    assert inputs == _contents(runs)


def test_a_real_process_that_is_killed_leaves_nothing_under_the_final_name(runs, tmp_path):
    """The command line, killed by the system while it runs, and run again."""
    command = [sys.executable, "-m", "rlmetrics.cli", "translate", str(runs), "--from", VERL, "--to", "canonical"]
    output = tmp_path / "out"
    with subprocess.Popen([*command, "-o", str(output)], stdout=subprocess.DEVNULL) as process:
        while process.poll() is None and not list(tmp_path.glob(".out.*.part")):
            pass
        process.kill()

    assert not output.exists()
    subprocess.run([*command, "-o", str(output)], check=True, capture_output=True)
    assert _contents(runs).keys() - _contents(output).keys() <= {
        path
        for path in _contents(runs)
        if path.parts[0] == "mlruns"  # there, names are names of files
    }
