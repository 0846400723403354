"""The command line in the process of the tests: starting one of its own takes longer than most commands."""

from __future__ import annotations

from typing import NamedTuple

import pytest
from rlmetrics.cli import main

__all__ = ["Answer", "answered"]


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


def answered(capsys: pytest.CaptureFixture[str], *words: object) -> Answer:
    """Run a command and return its answer; what was printed before is left out."""
    capsys.readouterr()
    code = main([*map(str, words)])
    return Answer(code, *capsys.readouterr())
