"""Every command and every Python snippet of the README runs as printed; what pages show of answers is said today."""

from __future__ import annotations

import warnings
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from docs.commands import FENCE, PAGES, README, answers, blocks, make_checkout, run_here, set_up_commands
from folders import ROOT


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the working tree, so that commands can write."""
    return make_checkout(tmp_path_factory.mktemp("checkout") / "rlmetrics")


@pytest.mark.parametrize(
    "code", [pytest.param(block.code, id=block.id) for block in blocks("bash", README) if not block.generates]
)
def test_shell_block_runs(checkout: Path, code: str) -> None:
    """Each command of a shell block ends with exit code 0."""
    answers = run_here(checkout, code)

    assert [answer.err for answer in answers if answer.code] == []


@pytest.mark.parametrize("code", [pytest.param(block.code, id=block.id) for block in blocks("python", README)])
def test_python_block_runs(code: str) -> None:
    """Each Python block runs on its own, without a warning."""
    with warnings.catch_warnings(), redirect_stdout(StringIO()) as printed:
        warnings.simplefilter("error")
        exec(compile(code, "<block>", "exec"), {"__name__": "__main__"})

    assert printed.getvalue()


@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(command, output, id=place) for place, command, output in answers(*PAGES)],
)
def test_printed_answers_are_what_the_command_says(checkout: Path, command: str, output: str) -> None:
    """What is shown of an answer is how the command begins today, at 80 columns."""
    (answer,) = run_here(checkout, command, COLUMNS="80")

    assert answer.code == 0, answer.err
    assert answer.out.startswith(output)


def test_the_readme_shows_an_answer() -> None:
    """There is one to compare."""
    assert [*answers(README)]


def test_the_readme_has_exactly_two_set_up_commands() -> None:
    """One runs the main job, one passes the tests; CI takes the second from the README."""
    assert sorted(set_up_commands()) == ["demo", "test"]
    assert "command: test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_continuous_integration_builds_the_site_as_documented() -> None:
    """What the page says of building and testing the site is what the lane ``site`` does, but for where it is built."""
    steps = (ROOT / ".ci" / "lanes.toml").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "maintenance.md").read_text(encoding="utf-8")
    (block,) = [match["code"] for match in FENCE.finditer(page) if match["role"] == "site"]
    commands = [line.partition("#")[0].strip() for line in block.splitlines()]
    assert "pytest tests/lanes/site" in commands
    for command in commands[1:]:
        words = command.replace(" -f ", " --config-file ").split()
        assert any(set(words) <= set(line.split()) for line in steps.splitlines()), command
