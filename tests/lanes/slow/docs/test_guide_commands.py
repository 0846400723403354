"""Every command and every Python snippet of the guides runs as printed, and what generates everything."""

from __future__ import annotations

from operator import attrgetter
from pathlib import Path

import pytest
from docs.commands import GUIDES, README, blocks, make_checkout, run, run_python


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the working tree, so that commands can write."""
    return make_checkout(tmp_path_factory.mktemp("checkout") / "rlmetrics")


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(block.code, id=block.id)
        for block in (*blocks("bash", *GUIDES), *filter(attrgetter("generates"), blocks("bash", README)))
        if not block.fetches
    ],
)
def test_shell_block_runs(checkout: Path, code: str) -> None:
    """Each shell block ends with exit code 0."""
    done = run(checkout, code)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def outcomes(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """The exit code and the output of each Python block."""
    codes = [block.code for block in blocks("python", *GUIDES)]
    return dict(zip(codes, run_python(checkout, codes, tmp_path_factory.mktemp("blocks")), strict=True))


@pytest.mark.parametrize("code", [pytest.param(block.code, id=block.id) for block in blocks("python", *GUIDES)])
def test_python_block_runs(outcomes: dict[str, tuple[int, str]], code: str) -> None:
    """Each Python block runs on its own."""
    returned, output = outcomes[code]

    assert returned == 0, output
