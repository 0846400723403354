"""Translations that are killed or fail at any moment, and what is imported before any is begun."""

import errno
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from logs import LOGS
from rlmetrics.translate import translate_file
from rlmetrics.translate.placing import replacing

VERL = "verl==0.9.1"
ROWS = [{"actor/ppo_kl": repr(0.5 + step), "critic/score/mean": "0.25"} for step in range(40)]


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
        "import sys, rlmetrics.logs.kinds\n"
        "print(sorted({'tensorboard', 'wandb', 'numpy', 'google', 'mlflow', 'trackio'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"
