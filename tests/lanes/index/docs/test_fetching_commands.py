"""Every command of the documentation that takes something from the package index runs as printed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from docs.commands import PAGES, blocks, make_checkout, run, set_up_commands


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the working tree, so that commands can write."""
    return make_checkout(tmp_path_factory.mktemp("checkout") / "rlmetrics")


@pytest.mark.parametrize(
    "code", [pytest.param(block.code, id=block.id) for block in blocks("bash", *PAGES) if block.fetches]
)
def test_shell_block_runs(checkout: Path, code: str) -> None:
    """Each shell block ends with exit code 0."""
    done = run(checkout, code)

    assert done.returncode == 0, done.stdout + done.stderr


def test_main_job_on_a_fresh_machine(checkout: Path, tmp_path: Path) -> None:
    """The README's first command, in a fresh copy with a bare interpreter, generates and translates real runs."""
    fresh = tmp_path / "fresh"
    shutil.copytree(checkout, fresh, ignore=shutil.ignore_patterns(".tools"))
    bare = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    base = Path(sys.base_prefix) / "bin"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", set_up_commands()["demo"]],
        cwd=fresh,
        env={**bare, "PATH": os.pathsep.join([str(base), os.environ["PATH"]])},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "ppo/mean_scores -> objective/scores" in done.stdout
    assert "PyTorch is not installed: the merged number is a recorded result." in done.stdout
    assert not list(fresh.glob(".venv/lib/python*/site-packages/torch"))
