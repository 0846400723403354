"""``rlmetrics generate`` on a small spec, from the shell to the files."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from generate_support import as_process, environment, files_of, make_checkout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make a checkout with the small spec."""
    return make_checkout(tmp_path / "checkout")


def test_output_is_the_same_everywhere(tmp_path: Path) -> None:
    """Hash seed, folder and locale of the machine do not show in the output."""
    outputs = []
    for seed in ("0", "1", "12345"):
        root = make_checkout(tmp_path / f"seed-{seed}" / "deeper")
        as_process(root, "generate", PYTHONHASHSEED=seed, LC_ALL="C", TZ=f"UTC+{seed[0]}")
        outputs.append(files_of(root))

    assert outputs[0] == outputs[1] == outputs[2]


def test_watch_generates_on_save(root: Path) -> None:
    """``--watch`` generates at once and after every save, and ends cleanly when interrupted."""
    # A job in a shell's background ignores Ctrl-C, and so would the process.
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    process = subprocess.Popen(
        [sys.executable, "-m", "rlmetrics.cli", "generate", "--watch"],
        cwd=root,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
    )
    signal.signal(signal.SIGINT, before)
    page = root / "generated/rlmetrics/functional/kl.py"
    family = root / "spec" / "metrics" / "kl.yaml"
    try:
        _wait_until(page.exists)
        assert process.stdout is not None
        while not process.stdout.readline().startswith("watching"):
            pass
        family.write_text(family.read_text().replace("the plain estimator", "the simple estimator"))
        _wait_until(lambda: "the simple estimator" in page.read_text())
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)

    assert process.returncode == 0


def _wait_until(condition: object, seconds: float = 30) -> None:
    """Wait for a condition."""
    assert callable(condition)
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)
