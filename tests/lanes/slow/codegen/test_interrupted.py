"""A run that is killed at any moment is noticed and finished by the next."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from generate_support import environment, files_of, make_checkout, rlmetrics

# The child kills itself at the n-th call that changes the disk, before or after it; of those, if so told, that come once
# there is a journal: how many files of the cache are written before it depends on how many hold what is kept.
_KILLED_AT_CALL = """
import os, signal, sys
from rlmetrics.cli import main

left = int(sys.argv[1])
counts = sys.argv[2] == "all"

def count():
    global left, counts
    counts = counts or os.path.exists(".rlmetrics/journal.json")
    left -= counts
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def counted(name):
    real = getattr(os, name)
    def call(*args, **kwargs):
        count()
        result = real(*args, **kwargs)
        count()
        return result
    setattr(os, name, call)

for name in ("replace", "fsync", "unlink"):
    counted(name)
sys.exit(main(["generate"]))
"""


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return what undisturbed runs leave: first of the small spec, then of an edited one."""
    root = make_checkout(tmp_path_factory.mktemp("whole") / "checkout")
    rlmetrics(root, "generate")
    edit(root)
    rlmetrics(root, "generate")
    return files_of(root)


def edit(root: Path) -> None:
    """Edit the spec such that files are added, changed and removed."""
    family = root / "spec" / "metrics" / "return.yaml"
    text = family.read_text().replace("family: return", "family: gain").replace("return/", "gain/")
    (root / "spec" / "metrics" / "gain.yaml").write_text(text)
    family.unlink()
    trainer = root / "spec" / "frameworks" / "demo" / "trainer.yaml"
    trainer.write_text(trainer.read_text().replace("return/", "gain/"))


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a checkout with generated files and an edited spec, for tests to copy."""
    root = make_checkout(tmp_path_factory.mktemp("generated") / "checkout")
    assert rlmetrics(root, "generate").returncode == 0
    edit(root)
    return root


@pytest.fixture
def root(tmp_path: Path, generated: Path) -> Path:
    """A copy of that checkout."""
    return Path(shutil.copytree(generated, tmp_path / "checkout"))


def assert_recovers(root: Path, expected: dict[str, bytes], *, interrupted: bool) -> None:
    """Check that ``--check`` notices, and that one more run leaves exactly what an undisturbed one would."""
    check = rlmetrics(root, "generate", "--check")
    assert check.returncode == 1
    assert interrupted == ("interrupted" in check.stdout)
    assert "hand-edited" not in check.stdout
    again = rlmetrics(root, "generate")
    assert (again.returncode, again.stderr) == (0, "")
    assert files_of(root) == expected
    assert rlmetrics(root, "generate", "--check").returncode == 0


@pytest.mark.parametrize("call", [3, 4, 7, 16, 21, 33, 48])
def test_killed_at_a_system_call(root: Path, expected: dict[str, bytes], call: int) -> None:
    """Killed at any step of writing, the run is noticed, and its rerun gives the bytes of an undisturbed run."""
    killed = subprocess.run(
        [sys.executable, "-c", _KILLED_AT_CALL, str(call), "all"], cwd=root, env=environment(), check=False
    )

    assert killed.returncode == -signal.SIGKILL
    # Files of the cache are written before the journal; from the journal on, the run counts as interrupted.
    assert_recovers(root, expected, interrupted=(root / ".rlmetrics" / "journal.json").exists())


def test_killed_twice(root: Path, expected: dict[str, bytes]) -> None:
    """A second run that is killed too, after another edit in between, leaves nothing that counts as an edit by hand."""
    page = root / "spec" / "metrics" / "kl.yaml"
    final = page.read_text()
    page.write_text(final.replace("the plain estimator", "some estimator"))
    for call in (20, 9):
        command = [sys.executable, "-c", _KILLED_AT_CALL, str(call), "in the journal"]
        killed = subprocess.run(command, cwd=root, env=environment(), check=False)
        assert killed.returncode == -signal.SIGKILL
        page.write_text(final)

    assert_recovers(root, expected, interrupted=True)


@pytest.mark.parametrize("seed", range(4))
def test_killed_at_a_random_moment(root: Path, expected: dict[str, bytes], seed: int) -> None:
    """Killed from outside at a random moment, the rerun gives the bytes of an undisturbed run."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rlmetrics.cli", "generate"], cwd=root, env=environment(), stdout=subprocess.DEVNULL
    )
    journal = root / ".rlmetrics" / "journal.json"
    while not journal.exists() and process.poll() is None:
        time.sleep(0.0005)
    time.sleep(random.Random(seed).uniform(0, 0.03))
    process.kill()
    process.wait()

    assert rlmetrics(root, "generate").returncode == 0
    assert files_of(root) == expected
    assert rlmetrics(root, "generate", "--check").returncode == 0
