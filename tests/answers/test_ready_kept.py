"""Answers that stand ready are kept from run to run as long as what they were made from is the same."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import rlmetrics.tables
from rlmetrics.codegen import cache
from rlmetrics.codegen.cache import code_files
from rlmetrics.codegen.generate import ready_answers
from rlmetrics.codegen.generate.read_facts import Files
from rlmetrics.codegen.generate.ready_answers import MADE_BY, emit
from rlmetrics.codegen.tables.json_tables import text_of

TABLES = Path(rlmetrics.tables.__path__[0])
FEW = 12
NAMES = ("critic/vf_loss", "critic/grad_norm", "critic/lr", "vf_loss", "val_acc")
"""Names of few metrics, one of them an alias in no release."""


@pytest.fixture(scope="module")
def tables() -> dict[str, str]:
    """The files of all tables as they are written."""
    files = sorted(TABLES.rglob("*.json"))
    return {f"{ready_answers.FOLDER}/{path.relative_to(TABLES).as_posix()}": path.read_text() for path in files}


@pytest.fixture(autouse=True, scope="module")
def few_units() -> Iterator[None]:
    """Ask a few names, and a few sources."""
    every = ready_answers._units

    def few(files: Files) -> list[ready_answers._Unit]:
        units = [
            unit._replace(about=unit.about[-FEW:]) for unit in every(files) if unit.book not in ("resolve", "show")
        ]
        named = [unit for unit in every(files) if unit.book in ("resolve", "show") and {*NAMES} & {*unit.about}]
        named = [unit._replace(about=tuple(name for name in unit.about if name in NAMES)) for unit in named]
        return [*named, *(unit for unit in units if ready_answers._course(unit) in ("verl[critic]", "trl[PRMTrainer]"))]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ready_answers, "_units", few)
        patch.setattr("os.cpu_count", lambda: 1)
        yield


@pytest.fixture(scope="module")
def first(
    tables: dict[str, str], few_units: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, str]]:
    """What a first run keeps, and the books that it writes."""
    folder = tmp_path_factory.mktemp("first")
    return folder, written(tables, folder)


@pytest.fixture
def kept(first: tuple[Path, dict[str, str]], tmp_path: Path) -> Path:
    """A folder with what the first run kept."""
    return Path(shutil.copytree(first[0], tmp_path / "kept"))


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


def test_nothing_is_asked_twice(tables, first, kept, monkeypatch):
    """Where no table has changed."""
    again = asked(monkeypatch)

    assert written(tables, kept) == first[1]
    assert again == []


def _note(table: dict[str, Any]) -> None:
    table["notes"][3] += " So it is."


def _brief(table: dict[str, Any]) -> None:
    table["METRICS"]["value/loss"]["brief"] = "What the critic minimises."


def _description(table: dict[str, Any]) -> None:
    table["TEXTS"]["critic/gradient_norm"]["description"] = "Of the critic alone."


def _trait(table: dict[str, Any]) -> None:
    table["TRAITS"]["empty_rows_in_mean"]["what"] += " in the end"


def _default(table: dict[str, Any]) -> None:
    table["config"]["critic.ppo_epochs"]["defaults"][0][1] = 3


def _alias(table: dict[str, Any]) -> None:
    table["ALIASES"]["val_acc"] = ["value/loss"]


def _release(table: dict[str, Any]) -> None:
    table["RELEASES"].append(["99.0", "2099-01-01"])


def _unread(table: dict[str, Any]) -> None:
    table["METRICS"]["value/explained_variance"]["brief"] = "What nobody asks about here."


@pytest.mark.parametrize(
    ("table", "edit", "shows", "most"),
    [
        ("frameworks/verl/critic", _note, True, 6),
        ("metrics/value", _brief, True, 6),
        ("texts/critic", _description, True, 6),
        ("signatures", _trait, True, 6),
        ("frameworks/verl/critic", _default, False, 99),
        ("lookup", _alias, True, 6),
        ("frameworks/verl/framework", _release, True, 99),
        ("metrics/value", _unread, False, 0),
    ],
)
def test_what_changes_is_asked_anew(
    table: str,
    edit: Callable[[dict[str, Any]], None],
    shows: bool,
    most: int,
    tables: dict[str, str],
    first: tuple[Path, dict[str, str]],
    kept: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if nothing had been kept; and of what did not read the changed entry, nothing is asked."""
    path = f"{ready_answers.FOLDER}/{table}.json"
    data = json.loads(tables[path])
    edit(data)
    changed = {**tables, path: text_of(data)}
    again = asked(monkeypatch)
    found = written(changed, kept)
    count = len(again)

    assert written(changed, None) == found
    assert (found != first[1]) >= shows
    assert count <= most
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


def _units_of(tables: Mapping[str, str]) -> int:
    """Return how many questions are answered together."""
    start = len(f"{ready_answers.FOLDER}/")
    return len([*ready_answers._units(Files({path[start:-5]: text for path, text in tables.items()}))])


def test_an_edit_of_answering_code_has_all_asked_anew(
    tables: dict[str, str],
    first: tuple[Path, dict[str, str]],
    kept: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Here of one module of the answers, of which every kept answer may be the work."""
    files = code_files(MADE_BY)
    module = next(path for path, label in files.items() if label.endswith("answers/unlike.py"))
    edited = tmp_path / module.name
    edited.write_text(f"{module.read_text()}\n# edited\n")
    monkeypatch.setattr(
        cache, "code_files", lambda _: {edited if path == module else path: files[path] for path in files}
    )
    cache.code_digest.cache_clear()
    again = asked(monkeypatch)
    try:
        found = written(tables, kept)
    finally:
        cache.code_digest.cache_clear()

    assert found == first[1]
    assert len(again) == _units_of(tables)


SEARCHED = ("group/loss/penalized", "preference/loss/hinge")
"""Names that no release logs, and that are like no key: their answers are what the search finds."""


@pytest.fixture
def searched_units(few_units: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask each searched name by itself."""
    monkeypatch.setattr(
        ready_answers, "_units", lambda _: [ready_answers._Unit("resolve", (name,)) for name in SEARCHED]
    )


def test_each_answer_hangs_on_all_that_its_search_read(
    tables: dict[str, str], searched_units: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search is made once for all answers; what it read of any table, each of them has read."""
    before = written(tables, tmp_path)
    path = f"{ready_answers.FOLDER}/metrics/value.json"
    data = json.loads(tables[path])
    data["METRICS"]["value/loss"]["aliases"] = ["preference/loss/hinges", "group/loss/penalised"]
    changed = {**tables, path: text_of(data)}
    again = asked(monkeypatch)
    found = written(changed, tmp_path)

    assert sorted(name for _, name in again) == [*SEARCHED]
    assert found != before
    assert written(changed, None) == found
    lines = found[f"{ready_answers.FOLDER}/ready/lines.txt"]
    assert "value/loss" in lines
    assert "value/loss" not in before[f"{ready_answers.FOLDER}/ready/lines.txt"]
