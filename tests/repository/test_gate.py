"""The gate itself, in a small repository with lanes of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from folders import ROOT

LANES = """\
[always]
first = "echo first >> .cache/ran"
second = "echo second >> .cache/ran; exit $CODE"

[one]
proves = "one"
run = "python run.py about/subject.txt about/child.txt; echo one >> .cache/ran"
subject = ["about/**", "run.py"]

[two]
proves = "two"
run = "python run.py beside/read.txt; echo two >> .cache/ran"
subject = ["run.py"]
reads = ["beside/**"]
asks_index = true
"""
RUN = """\
import subprocess, sys
open(sys.argv[1]).read()
without_room = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)); open(sys.argv[1]).read()"
if sys.argv[2:]:
    subprocess.run([sys.executable, "-c", without_room, sys.argv[2]], check=True)
"""
README = """\
<!-- command: test -->
```bash
true && echo tests >> .cache/ran && exit $README
```
"""


class Answer(NamedTuple):
    """What the gate ends with: its exit code and what was printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Answer]


def loaded(name: str, path: Path) -> Any:
    """Load a module from a file, under a name that no other has."""
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with the gate of this one, two lanes and two steps."""
    root = tmp_path / "repository"
    shutil.copytree(ROOT / ".ci", root / ".ci", ignore=shutil.ignore_patterns("lanes", "__pycache__"))
    (root / ".ci" / "lanes.toml").write_text(LANES)
    for path, text in {
        "run.py": RUN,
        "README.md": README,
        "about/subject.txt": "a",
        "about/child.txt": "b",
        "beside/read.txt": "c",
        ".gitignore": ".cache\n.venv\n__pycache__\n",
    }.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    programs = root / ".venv" / "bin"
    programs.mkdir(parents=True)
    (root / ".cache").mkdir()
    for program in ("python", "pytest"):
        (programs / program).write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (programs / program).chmod(0o755)
    git = ("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C", str(root))
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-qm", "Begin"], check=True)
    return root


@pytest.fixture
def ci(repository: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Do there what ``.ci/run`` does after the README's tests, in this process: a start takes longer."""
    module = loaded("gate_there", repository / ".ci" / "gate.py")

    def run(*arguments: str, **variables: str) -> Answer:
        (repository / ".cache" / "ran").write_text("")
        for name, value in {"CODE": "0", **variables}.items():
            monkeypatch.setenv(name, value)
        module.TIMES.clear()
        capfd.readouterr()
        code = module.main([*arguments])
        printed = capfd.readouterr()
        return Answer(code, printed.out, printed.err)

    return run


def ran(repository: Path) -> list[str]:
    """Return what has run, in order."""
    return (repository / ".cache" / "ran").read_text().split()


def test_lanes_that_are_asked_for_run_and_are_locked(repository: Path, ci: Run) -> None:
    """Only these run; a lock has digest, date and parent commit, and then the gate leaves its lane alone."""
    assert ci("one").code == 0
    assert ran(repository) == ["one"]
    lock = json.loads((repository / ".ci/lanes/one.lock").read_text())
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=repository, check=True, capture_output=True, text=True)
    assert sorted(lock) == ["date", "digest", "parent"]
    assert lock["parent"] == head.stdout.strip()
    assert ci("--stale").out == "two: it has no lock\n"

    assert ci().code == 0
    assert ran(repository) == ["first", "second", "two"]
    assert [path.name for path in (repository / ".ci" / "lanes").iterdir()] == ["one.lock"]


def test_all_lanes_run_where_that_is_asked_for(repository: Path, ci: Run) -> None:
    """Stale or not, with all that runs each time."""
    ci("one", "two")
    assert ci("--all").code == 0
    assert ran(repository) == ["first", "second", "one", "two"]


def test_what_a_lane_does_too_is_left_out_where_it_runs(repository: Path, ci: Run) -> None:
    """The gate does it where the lane has passed, and not twice where the lane runs."""
    (repository / ".ci/lanes.toml").write_text(f'{LANES}includes = ["second"]\n')
    assert ci(CODE="5").code == 0
    assert ran(repository) == ["first", "one", "two"]
    ci("one", "two")
    assert ci(CODE="5").code == 1
    assert ran(repository) == ["first", "second"]


def test_only_content_counts(repository: Path, ci: Run) -> None:
    """The time of a file says nothing; its content does, in the working tree, and a new file; not of what is read."""
    ci("one", "two")
    for path in repository.rglob("*.txt"):
        os.utime(path, (1, 1))
    (repository / "beside/read.txt").write_text("other")
    assert ci("--stale").out == "\n"
    (repository / "about/new.txt").write_text("")
    assert ci("--stale").out.startswith("one: its subject has changed since ")
    (repository / "about/new.txt").unlink()
    assert ci("--stale").out == "\n"
    (repository / "run.py").write_text(f"{RUN}#")
    assert [line.partition(":")[0] for line in ci("--stale").out.splitlines()] == ["one", "two"]


def test_a_lane_that_asks_the_index_is_stale_after_seven_days(repository: Path, ci: Run) -> None:
    """The other is not."""
    ci("one", "two")
    for name in ("one", "two"):
        path = repository / f".ci/lanes/{name}.lock"
        lock = json.loads(path.read_text())
        lock["date"] = (datetime.now(timezone.utc) - timedelta(days=8)).isoformat()
        path.write_text(json.dumps(lock))
    assert ci("--stale").out.startswith("two: the package index may have changed since ")


@pytest.mark.parametrize("taken", ["about/subject.txt", "about/child.txt"])
def test_a_lane_that_opens_what_it_does_not_declare_fails(repository: Path, ci: Run, taken: str) -> None:
    """Also if a process opens it that a process of the lane has started, and that may write to no file."""
    lanes = LANES.replace('subject = ["about/**", "run.py"]', f'subject = ["about/**", "run.py", "!{taken}"]')
    (repository / ".ci/lanes.toml").write_text(lanes)
    answer = ci("one")
    assert answer.code == 1
    assert f"one opens what .ci/lanes.toml does not declare:\n  {taken}\n" in answer.out
    assert "FAILED lane one: opens what it does not declare" in answer.out
    assert not (repository / ".ci/lanes/one.lock").exists()


def test_all_failures_are_told_at_the_end(repository: Path) -> None:
    """What comes after a failure runs, the README's tests first; the exit code is 1, and no lock is written."""
    (repository / "run.py").write_text("raise SystemExit(3)")
    environment = {**os.environ, "CODE": "5", "README": "4"}
    answer = subprocess.run(["bash", ".ci/run"], cwd=repository, env=environment, capture_output=True, text=True)
    assert answer.returncode == 1
    assert ran(repository) == ["tests", "first", "second"]
    assert answer.stdout.splitlines()[-4:] == [
        "FAILED README: tests: exit code 4",
        "FAILED second: exit code 5",
        "FAILED lane one: exit code 3",
        "FAILED lane two: exit code 3",
    ]
    assert not (repository / ".ci" / "lanes").exists()


def test_a_lane_that_there_is_not_is_refused(repository: Path, ci: Run) -> None:
    """Nothing runs, and the lanes are named."""
    answer = ci("on")
    assert (answer.code, ran(repository)) == (2, [])
    assert answer.err == ".ci/run: no lane on; there are one, two\n"


@pytest.mark.parametrize(("count", "least", "most"), [(400, 5, 40), (1, 0, 1)])
def test_tests_are_drawn_by_a_seed(tmp_path: Path, count: int, least: int, most: int) -> None:
    """About one in twenty runs, and a draw of none passes."""
    (tmp_path / "test_many.py").write_text(
        f"import pytest\n@pytest.mark.parametrize('n', range({count}))\ndef test_one(n): pass\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "drawn", "--draw", "a seed"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".ci" / "hooks"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    answer = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
    run = re.search(r"(\d+) passed", answer.stdout)
    left = re.search(r"(\d+) deselected", answer.stdout)
    assert left is not None
    passed = int(run[1]) if run else 0
    assert least <= passed <= most
    assert passed + int(left[1]) == count


def test_every_test_is_drawn_in_time() -> None:
    """Each seed draws others, and after some hundred of them none is left."""
    drawn = loaded("drawn_here", ROOT / ".ci" / "hooks" / "drawn.py")
    left = {f"tests/test_{number}.py::test" for number in range(500)}
    for seed in range(300):
        left -= {test for test in left if drawn.is_drawn(str(seed), test)}
    assert left == set()
