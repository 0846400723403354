"""Which lanes of the gate a change runs, by what ``.ci/lanes.toml`` declares."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import cache
from pathlib import Path

import gate
import pytest

ALWAYS, LANES = gate.declared()
NOW = datetime.now(timezone.utc)
PATTERNS = [
    pytest.param(lane, pattern, id=f"{lane.name} {pattern}")
    for lane in LANES.values()
    for pattern in lane.subject
    if not pattern.startswith("!")
]


@cache
def files() -> Mapping[str, str]:
    """Return the content of every file, as git hashes it."""
    return gate.contents()


@cache
def digests() -> Mapping[str, str]:
    """Return the digest of every lane."""
    return {name: gate.digest(lane, files()) for name, lane in LANES.items()}


@pytest.fixture
def passed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All lanes have passed just now, on the files as they are."""
    monkeypatch.setattr(gate, "LOCKS", tmp_path)
    for lane in LANES.values():
        lock = {"digest": digests()[lane.name], "date": NOW.isoformat(), "parent": "1234567"}
        (tmp_path / f"{lane.name}.lock").write_text(json.dumps(lock))


def run_after(*changed: str, later: timedelta = timedelta(0)) -> set[str]:
    """Return the lanes that run after files have changed."""
    after = {**files(), **dict.fromkeys(changed, "changed")}
    return {name for name, lane in LANES.items() if gate.why_stale(lane, after, NOW + later)}


@pytest.mark.usefixtures("passed")
def test_lanes_that_have_passed_on_these_files_do_not_run() -> None:
    """Nothing has changed, so nothing is run."""
    assert run_after() == set()


@pytest.mark.usefixtures("passed")
@pytest.mark.parametrize(("lane", "pattern"), PATTERNS)
def test_a_change_of_its_subject_runs_a_lane(lane: gate.Lane, pattern: str) -> None:
    """Every pattern has a file, and another content of it makes the gate run the lane; so does a file that goes."""
    subject = [path for path in files() if gate.covers([pattern], path) and gate.covers(lane.subject, path)]
    assert subject
    assert gate.why_stale(lane, {**files(), subject[0]: "changed"}, NOW) is not None
    assert gate.why_stale(lane, {path: said for path, said in files().items() if path != subject[-1]}, NOW) is not None


@pytest.mark.usefixtures("passed")
@pytest.mark.parametrize(
    "path",
    [
        "adapters/rlmetrics/wording/terminal.py",
        "adapters/rlmetrics/cli/resolve.py",
        "adapters/rlmetrics/dashboards/board.py",
        "adapters/rlmetrics/names/differences/relations.py",
        "tests/answers/test_help.py",
        "tests/translate/test_translator.py",
        "README.md",
    ],
)
def test_an_ordinary_change_runs_no_lane(path: str) -> None:
    """Most modules and tests are what the default tests are for."""
    assert path in files()
    assert run_after(path) == set()


@pytest.mark.usefixtures("passed")
def test_an_edit_of_a_record_runs_what_is_about_records() -> None:
    """Releases are audited again, and the site is built, whatever generated tables follow."""
    followed = [path for path in files() if re.match(r"generated/rlmetrics/tables/.*json|generated/meanings/", path)]
    assert run_after("spec/frameworks/trl/grpo_trainer.yaml", *followed) == {"audits", "site"}


@pytest.mark.usefixtures("passed")
def test_lanes_that_ask_the_package_index_hold_for_seven_days() -> None:
    """There, something may have changed that is in no file."""
    assert run_after(later=timedelta(days=6, hours=23)) == set()
    assert run_after(later=timedelta(days=7, hours=1)) == {name for name, lane in LANES.items() if lane.asks_index}


@pytest.mark.usefixtures("passed")
def test_another_command_runs_a_lane() -> None:
    """What a lane does is a part of what it has passed by."""
    lane = LANES["every"]
    assert gate.why_stale(replace(lane, run="true"), files(), NOW) is not None


def test_lanes_include_what_runs_each_time() -> None:
    """What a lane says to do too has one of these titles, or the gate would go on doing it."""
    assert {title for lane in LANES.values() for title in lane.includes} <= ALWAYS.keys()
    assert LANES["site"].includes == ("site in English",)


def test_every_folder_of_slow_tests_is_run_by_one_lane() -> None:
    """A test below ``tests/lanes`` is part of the subject of one lane, and of no second."""
    tests = [path for path in files() if path.startswith("tests/lanes/") and "/test_" in path]
    assert len(tests) > 50
    by = {path: [name for name, lane in LANES.items() if gate.covers(lane.subject, path)] for path in tests}
    assert {path: names for path, names in by.items() if len(names) != 1} == {}


@pytest.mark.parametrize(
    ("patterns", "path", "expected"),
    [
        (["a/*.py"], "a/b.py", True),
        (["a/*.py"], "a/b/c.py", False),
        (["a/**"], "a/b/c.py", True),
        (["a/**"], "ab/c.py", False),
        (["a.py"], "a_py", False),
        (["a/**", "!a/b/**"], "a/b/c.py", False),
        (["!a/b/**", "a/**"], "a/b/c.py", False),
        (["!a/**"], "b", False),
        ([], "a", False),
    ],
)
def test_patterns(patterns: list[str], path: str, expected: bool) -> None:
    """One star stays within a folder, two do not, and what is taken out stays out wherever that stands."""
    assert gate.covers(patterns, path) is expected


@pytest.mark.parametrize(
    ("opened", "expected"),
    [
        ("a/b.py", ["a/b.py"]),
        ("a/__pycache__/b.cpython-311.pyc", ["a/b.py"]),
        ("a/__pycache__/b.cpython-311-pytest-9.2.0.pyc", ["a/b.py"]),
        ("c/read.py", []),
        ("c/about.py", []),
        ("c/not_about.py", []),
        (".cache/unknown", []),
    ],
)
def test_what_is_opened_and_not_declared(opened: str, expected: list[str]) -> None:
    """A compiled module counts as its source; what git ignores is no part, what no subject is may be read."""
    lane = gate.Lane("one", "", "", ("c/*about.py", "!c/not_*"), ("c/read.py", "c/not_*"))
    known = ["a/b.py", "c/read.py", "c/about.py", "c/not_about.py"]
    assert gate.undeclared(lane, [opened], known) == expected
