"""Every command and every Python snippet of the README runs as printed; what pages show of answers is said today."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.commands import FENCE, PAGES, README, answers, blocks, make_checkout, run, run_python, set_up_commands
from folders import ROOT


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the working tree, so that commands can write."""
    return make_checkout(tmp_path_factory.mktemp("checkout") / "rlmetrics")


@pytest.mark.parametrize("code", [pytest.param(block.code, id=block.id) for block in blocks("bash", README)])
def test_shell_block_runs(checkout: Path, code: str) -> None:
    """Each shell block ends with exit code 0."""
    done = run(checkout, code)

    assert done.returncode == 0, done.stdout + done.stderr


def test_python_blocks_run(checkout: Path, tmp_path: Path) -> None:
    """Each Python block runs on its own."""
    codes = [block.code for block in blocks("python", README)]

    outcomes = run_python(checkout, codes, tmp_path)

    assert len(outcomes) == 2
    assert [output for returned, output in outcomes if returned] == []


@pytest.mark.parametrize(
    ("command", "output"),
    [pytest.param(command, output, id=place) for place, command, output in answers(*PAGES)],
)
def test_printed_answers_are_what_the_command_says(checkout: Path, command: str, output: str) -> None:
    """What is shown of an answer is how the command begins today, at 80 columns."""
    done = run(checkout, command, COLUMNS="80")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(output)


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
