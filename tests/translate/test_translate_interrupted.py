"""Translations that are killed, and what is imported before any is begun."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "runs"


def _contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("run", ["tensorboard/verl-0.9.1", "wandb/0.16.6-verl"])
def test_a_killed_translation_leaves_all_or_nothing(run, tmp_path):
    """Killed at any moment, there is no output under its final name, or the whole one; the next run succeeds."""
    for number in range(10):
        shutil.copytree(FIXTURES / run, tmp_path / "runs" / f"offline-run-{number}")
    inputs = _contents(tmp_path / "runs")
    command = [sys.executable, "-m", "rlmetrics.cli", "translate", str(tmp_path / "runs")]
    command += ["--from", "verl==0.9.1", "--to", "canonical"]
    begun = time.monotonic()
    subprocess.run([*command, "-o", str(tmp_path / "whole")], check=True, capture_output=True)
    took = time.monotonic() - begun
    whole = _contents(tmp_path / "whole")

    for part in range(4):
        output = tmp_path / f"killed{part}"
        with subprocess.Popen([*command, "-o", str(output)], stdout=subprocess.DEVNULL) as process:
            time.sleep(took * (0.5 + part / 7))
            process.kill()
        assert not output.exists() or whole == _contents(output)
        subprocess.run([*command, "-o", str(output), "--force"], check=True, capture_output=True)
        assert whole == _contents(output)
    assert inputs == _contents(tmp_path / "runs")


def test_trackers_are_imported_only_for_their_kind():
    """Translating anything else needs neither TensorBoard nor wandb nor NumPy."""
    code = (
        "import sys, rlmetrics.translate.kinds\n"
        "print(sorted({'tensorboard', 'wandb', 'numpy', 'google'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "[]" == done.stdout.strip()
