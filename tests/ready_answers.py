"""Ready answers beside those that are made when they are asked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import Answer, answered
from rlmetrics.tables import __path__ as folders
from rlmetrics.wording import terminal

__all__ = ["COMMANDS", "MAIN", "assert_same", "ready_names"]

COMMANDS = ("resolve", "show")
MAIN = sys.modules["rlmetrics.cli.main"]
"""The module; the package has a function of this name."""


def ready_names(command: str) -> list[str]:
    """Return the names to which answers of a command stand ready."""
    text = Path(folders[0], "ready", f"{command}.txt").read_bytes()
    _, size, rest = text.split(b"\n", 2)
    return [line.split("\t")[0] for line in rest[: int(size) - 1].decode().splitlines()]


def assert_same(command: str, name: str, columns: int, *, colour: bool) -> None:
    """Compare both answers, byte for byte."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal, "_has_colour", lambda stream: colour)
        ready = _ready(command, name, columns)
        patch.setattr(MAIN, "answer_at_hand", lambda arguments: None)
        made = answered(command, name, COLUMNS=str(columns))
    assert ready == made


def _ready(command: str, name: str, columns: int) -> Answer:
    """Return the ready answer; nothing but that may give it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MAIN, "_run", None)
        return answered(command, name, COLUMNS=str(columns))
