"""Translations that are killed or fail at any moment, and what is imported before any is begun."""

import errno
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from logs import LOGS
from rlmetrics.translate import translate_file
from rlmetrics.translate.placing import replacing

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"
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
    shutil.copytree(FIXTURES / "wandb" / "0.16.6-verl", folder / "offline-run-1")
    for name in ("verl-0.9.1.report.json", "verl-0.9.1.grafana.json"):
        shutil.copy(FIXTURES.parent / "dashboards" / name, folder)
    return folder


def _contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.slow
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


@pytest.mark.parametrize("name", LOGS)
def test_a_full_disk_leaves_nothing(name, tmp_path, monkeypatch):
    """If writing fails, the error is raised, there is neither output nor leftover, and the input is as it was."""
    log = LOGS[name]
    path = tmp_path / name
    log.write(path, ROWS)
    before = sorted(os.listdir(tmp_path))
    room = random.Random(name).randrange(20, 400)
    real = Path.open

    def opened(self, mode="r", *args, **kwargs):
        file = real(self, mode, *args, **kwargs)
        return _Full(file, room) if set("wx") & set(mode) else file

    monkeypatch.setattr(Path, "open", opened)
    if path.suffix == ".db":
        # SQLite writes by itself; its last step is ours.
        monkeypatch.setattr(os, "fsync", _fail)
    with pytest.raises(OSError, match="No space left"):
        translate_file(path, source=VERL, target="canonical", output=tmp_path / "out", kind=log.kind)
    monkeypatch.undo()

    assert sorted(os.listdir(tmp_path)) == before
    translate_file(path, source=VERL, target="canonical", output=tmp_path / "out", kind=log.kind)


def _fail(*_):
    raise OSError(errno.ENOSPC, "No space left on device")


class _Full:
    """A file on a disk with room for so many bytes."""

    def __init__(self, file, room):
        self._file, self._room = file, room

    def write(self, data):
        self._room -= len(data)
        if self._room < 0:
            _fail()
        return self._file.write(data)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()

    def __getattr__(self, name):
        return getattr(self._file, name)


def test_leftovers_do_not_stand_in_the_way(tmp_path):
    """What a killed process left behind is removed, whatever its number was; what a living one writes is not."""
    code = f"""
import os, signal
from pathlib import Path
from rlmetrics.translate.placing import replacing
with replacing(Path({str(tmp_path / "out")!r})) as part:
    part.mkdir()
    (part / "half.db-journal").touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=False)
    (left,) = tmp_path.iterdir()

    with replacing(tmp_path / "out") as first:
        first.write_text("first")
        assert not left.exists()
        with replacing(tmp_path / "out") as second:
            second.write_text("second")
            assert first.exists()

    assert os.listdir(tmp_path) == ["out"]
    assert (tmp_path / "out").read_text() == "first"


def test_trackers_are_imported_only_for_their_kind():
    """Translating anything else needs none of the trackers, nor NumPy."""
    code = (
        "import sys, rlmetrics.translate.kinds\n"
        "print(sorted({'tensorboard', 'wandb', 'numpy', 'google', 'mlflow', 'trackio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
