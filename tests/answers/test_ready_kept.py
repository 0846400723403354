"""Answers that stand ready are kept from run to run as long as what they were made from is the same."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

import pytest
import rlmetrics.tables
from rlmetrics.codegen.cache import code_files
from rlmetrics.codegen.generate import ready_answers
from rlmetrics.codegen.generate.ready_answers import MADE_BY, emit

TABLES = Path(rlmetrics.tables.__path__[0])
FEW = 12


@pytest.fixture
def tables() -> dict[str, str]:
    """The files of all tables as they are written."""
    files = sorted(TABLES.rglob("*.json"))
    return {f"{ready_answers.FOLDER}/{path.relative_to(TABLES).as_posix()}": path.read_text() for path in files}


@pytest.fixture(autouse=True)
def few_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask a few names, and a few sources."""
    every = ready_answers._units

    def few(files: ready_answers._Files):
        units = [unit._replace(about=unit.about[-FEW:]) for unit in every(files)]
        named = [unit for unit in units if unit.book in ("resolve", "show")][:5]
        return [*named, *(unit for unit in units if ready_answers._course(unit) in ("verl[critic]", "trl[PRMTrainer]"))]

    monkeypatch.setattr(ready_answers, "_units", few)
    monkeypatch.setattr("os.cpu_count", lambda: 1)


def written(tables: Mapping[str, str], cache: Path | None) -> dict[str, str]:
    """Return the books by path."""
    return {output.path: output.text for output in emit(tables, cache)}


def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Return a list that fills with what is answered anew."""
    questions: list[tuple[str, str]] = []
    answer = ready_answers._answer

    def noted(unit: ready_answers._Unit) -> ready_answers._Answered:
        questions.append((unit.book, unit.about[0]))
        return answer(unit)

    monkeypatch.setattr(ready_answers, "_answer", noted)
    return questions


def test_nothing_is_asked_twice(tables, tmp_path, monkeypatch):
    """Where no table has changed."""
    first = written(tables, tmp_path)
    again = asked(monkeypatch)

    assert written(tables, tmp_path) == first
    assert again == []


@pytest.mark.parametrize(
    ("table", "old", "new"),
    [
        ("texts/critic", '"description": "', '"description": "Now'),
        ("metrics/value_regression", '"brief": "', '"brief": "Now '),
        ("frameworks/verl/critic", '"kind": ', '"kind":  '),
        ("families", "advantage", "advantage"),
        ("languages/zh", "：", ":"),
    ],
)
def test_what_changes_is_asked_anew(table, old, new, tables, tmp_path, monkeypatch):
    """As if nothing had been kept; and of what did not read the changed table, nothing is asked."""
    written(tables, tmp_path)
    path = f"{ready_answers.FOLDER}/{table}.json"
    changed = {**tables, path: tables[path].replace(old, new)}
    again = asked(monkeypatch)
    found = written(changed, tmp_path)
    count = len(again)

    assert written(changed, None) == found
    assert count < len(again) - count


def test_all_code_that_answers_is_named(tables):
    """So that whoever changes any of it has all answers made anew."""
    known = {str(path) for path in code_files(MADE_BY)}
    ran: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            ran.add(frame.f_code.co_filename)

    sys.setprofile(note)
    try:
        written(tables, None)
    finally:
        sys.setprofile(None)
    own = {name for name in ran if "/rlmetrics/" in name and "/codegen/rlmetrics/codegen/" not in name}

    assert own
    assert own <= known
