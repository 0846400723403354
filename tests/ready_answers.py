"""Ready answers beside those that are made when they are asked for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from command_line import Answer, answered
from rlmetrics.tables import __path__ as folders
from rlmetrics.wording import terminal

__all__ = ["BOOKS", "MAIN", "assert_same", "ready_names"]

BOOKS = ("resolve", "show", "at", "map", "diff")
"""To a name by each command, to a key of a release, to what becomes of it elsewhere, and to what changed since."""

MAIN = sys.modules["rlmetrics.cli.main"]
"""The module; the package has a function of this name."""


def ready_names(book: str) -> list[str]:
    """Return what answers of a book stand ready to; of releases that are answered alike, about the last."""
    text = Path(folders[0], "ready", f"{book}.txt").read_bytes()
    _, size, rest = text.split(b"\n", 2)
    rows = dict(line.split("\t") for line in rest[: int(size)].decode().splitlines())
    stretches = {name[1:]: row.split(" ") for name, row in rows.items() if name.startswith("=")}
    names: list[str] = []
    for name, row in rows.items():
        component = next((name.split(mark)[1].split(" --to ")[0] for mark in (" --at ", "--from ") if mark in name), "")
        if not component:
            names += [] if name.startswith("=") else [name]
            continue
        for stretch, answer in zip(stretches[component], row.split(" "), strict=True):
            source = f"{component}=={stretch.split(',')[-1]}"
            names += [] if answer == "-" else [name.replace(f" {component}", f" {source}", 1)]
    return names


def assert_same(book: str, name: str, columns: int, *, colour: bool) -> None:
    """Compare a ready answer with the one that is made, byte for byte."""
    words = _words(book, name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(terminal, "has_colour", lambda stream: colour)
        ready = _ready(words, columns)
        patch.setattr(MAIN, "answer_at_hand", lambda arguments: None)
        made = answered(*words, COLUMNS=str(columns))
    assert ready == made


def _words(book: str, name: str) -> list[str]:
    """Return the command line whose answer is kept under a name."""
    if book in ("map", "diff"):
        key, _, pair = name.rpartition("--from ")
        source, _, target = pair.partition(" --to ")
        return [book, *([key.strip()] if key else []), "--from", source, "--to", target]
    words = [book if book == "show" else "resolve", *name.split(" --at ")]
    return [*words[:2], "--at", words[2]] if book == "at" else words


def _ready(words: list[str], columns: int) -> Answer:
    """Return the ready answer; nothing but that may give it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MAIN, "_run", None)
        return answered(*words, COLUMNS=str(columns))
