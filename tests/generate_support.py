"""Checkouts for tests of the generator: a small spec in a folder of its own, and the command line there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from command_line import answered

FIXTURE = Path(__file__).parent / "fixtures" / "spec_min" / "spec"


def make_checkout(folder: Path) -> Path:
    """Make a checkout that holds the small spec."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").touch()
    shutil.copytree(FIXTURE, folder / "spec")
    return folder


def environment(**values: str) -> dict[str, str]:
    """Return the environment of this process, with its import path for child processes."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **values}


def rlmetrics(root: Path, *arguments: str, **values: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a folder, in this process."""
    answer = answered(*arguments, folder=root, **values)
    return subprocess.CompletedProcess(arguments, answer.code, answer.out, answer.err)


def as_process(root: Path, *arguments: str, **values: str) -> subprocess.CompletedProcess[str]:
    """Do the same in a process of its own."""
    command = [sys.executable, "-m", "rlmetrics.cli", *arguments]
    return subprocess.run(
        command, cwd=root, env=environment(**values), capture_output=True, text=True, check=False, timeout=120
    )


def files_of(root: Path) -> dict[str, bytes]:
    """Return every file of a checkout, local bookkeeping aside, with its content."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".rlmetrics", "__pycache__"} & set(path.parts)
    }
