"""The command line in the process of the tests: starting one of its own takes longer than most commands."""

from __future__ import annotations

import io
import signal
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest
from rlmetrics.cli import main

__all__ = ["Answer", "answered", "hears_interrupts"]


class Answer(NamedTuple):
    """What a command ends with.

    Attributes:
        code: Its exit code.
        out: What it printed.
        err: What it said on standard error.
    """

    code: int
    out: str
    err: str


def answered(*words: object, folder: Path | None = None, **environment: str) -> Answer:
    """Run a command.

    Args:
        words: Its arguments.
        folder: Where it runs; by default here.
        environment: Variables that it finds beside those of this process.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name, value in environment.items():
            patch.setenv(name, value)
        if folder is not None:
            patch.chdir(folder)
        code = main([*map(str, words)])
    return Answer(code, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def hears_interrupts() -> None:
    """Have a process end by Ctrl-C: what a shell starts in the background ignores it, as does all that this starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
