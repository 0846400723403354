"""Checkouts for tests of the generator: a small spec in a folder of its own, and the real command line."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

from rlmetrics.cli import main

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
    """Run the command line in a folder."""
    command = [sys.executable, "-m", "rlmetrics.cli", *arguments]
    return subprocess.run(
        command, cwd=root, env=environment(**values), capture_output=True, text=True, check=False, timeout=120
    )


def in_process(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Do the same without a process: starting one takes most of its time."""
    before = Path.cwd()
    os.chdir(root)
    try:
        with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
            code = main(list(arguments))
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def files_of(root: Path) -> dict[str, bytes]:
    """Return every file of a checkout, local bookkeeping aside, with its content."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".rlmetrics", "__pycache__"} & set(path.parts)
    }
