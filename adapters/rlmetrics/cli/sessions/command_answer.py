"""Runs a command line in a process of its own, so that no answer, fault or kill reaches the session that asks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

__all__ = ["REFUSED", "CommandAnswer", "answer"]

REFUSED = 2
"""The exit code from which on nothing was answered."""


class CommandAnswer(NamedTuple):
    """What a command printed.

    Attributes:
        code: Its exit code: 0 done, 1 done with findings, from `REFUSED` on not done.
        text: What it answered.
        said: What it warned of, or why it gave no answer.
    """

    code: int
    text: str
    said: str

    @property
    def is_refused(self) -> bool:
        """Whether there is no answer."""
        return self.code >= REFUSED


def answer(
    arguments: Sequence[str], *, folder: Path | None = None, columns: int = 100, timeout: float | None = None
) -> CommandAnswer:
    """Run ``rlmetrics`` with some arguments and nothing on its standard input.

    Args:
        arguments: What follows the name of the program.
        folder: Where it runs; by default where the session does.
        columns: How wide its answers are.
        timeout: Seconds after which it is killed; None lets it take its time.
    """
    environment = {**os.environ, "COLUMNS": str(columns), "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "rlmetrics.cli", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout,
        )
    except subprocess.TimeoutExpired:
        return CommandAnswer(REFUSED, "", f"no answer within {timeout:g} seconds; ask for less")
    except ValueError as error:
        # An argument with a null character cannot be given to a process.
        return CommandAnswer(REFUSED, "", f"rlmetrics: {error}")
    return CommandAnswer(done.returncode, done.stdout, done.stderr.strip())
