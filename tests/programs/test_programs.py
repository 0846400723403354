"""Every program that is no test can be started: all it imports is there, and it says what it does."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest
from folders import TESTS

PROGRAMS = {
    path.relative_to(TESTS).as_posix(): path
    for folder in ("benchmarks", "programs")
    for path in sorted((TESTS / folder).rglob("*.py"))
    if not path.name.startswith("test_") and '__name__ == "__main__"' in path.read_text(encoding="utf-8")
}
ELSEWHERE = {
    "programs/health/others_runs.py": "rldoctor",
    "programs/health/rlprobe_on.py": "rlprobe",
    "programs/health/trainings/make.py": "trl",
}
"""What runs in an environment of its own, which has a package that is not among those of the tests."""


def test_programs_are_found() -> None:
    """Benchmarks, page writers, the fuzzer: two dozen; and each that is left out is there."""
    assert len(PROGRAMS) > 20
    assert set(ELSEWHERE) <= set(PROGRAMS)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in ELSEWHERE])
def test_a_program_says_what_it_does(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It imports what it needs, and ``--help`` prints how it is used, measures nothing and writes nothing."""
    monkeypatch.setattr(sys, "argv", [str(PROGRAMS[name]), "--help"])
    monkeypatch.setattr(sys, "path", [*sys.path])

    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(PROGRAMS[name]), run_name="__main__")

    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith(f"usage: {Path(name).name} ")


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_program_for_another_environment_is_whole(name: str) -> None:
    """It can be read, and says which package it runs with."""
    text = PROGRAMS[name].read_text(encoding="utf-8")

    compile(text, name, "exec")
    assert ELSEWHERE[name] in text.lower()
