"""Every command and every Python snippet of the README and the hand-written pages runs as printed."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    *(page for folder in ("", "api", "translating") for page in sorted((ROOT / "docs" / folder).glob("*.md"))),
]
FENCE = re.compile(r"(?:<!-- command: (?P<role>[\w-]+) -->\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.S | re.M)
FETCHES = "fetch"
"""What takes a release from the package index."""
ELSEWHERE = {"demo", "test", "trainer", "verl", "verl-fit", "verl-batch", "site"}
"""What runs elsewhere: blocks for a trainer with real releases in ``tests/lanes/trainers``, the site in ``.ci/run``."""


def _blocks(*languages: str) -> list:
    found = []
    for page in PAGES:
        for number, match in enumerate(FENCE.finditer(page.read_text(encoding="utf-8"))):
            if match["language"] in languages and match["role"] not in ELSEWHERE:
                marks = [pytest.mark.network] if match["role"] == FETCHES else []
                marks += [pytest.mark.slow] if page.parent != ROOT else []
                found.append(
                    pytest.param(match["code"], id=f"{page.relative_to(ROOT).as_posix()}-{number}", marks=marks)
                )
    return found


def _set_up_commands() -> dict[str, str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return {match["role"]: match["code"] for match in FENCE.finditer(text) if match["role"]}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of the working tree, so that commands can write."""
    target = tmp_path_factory.mktemp("checkout") / "rlmetrics"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def _environment(checkout: Path) -> dict[str, str]:
    """An environment in which ``rlmetrics`` is the copy's and runs under this interpreter."""
    tools = checkout / ".tools"
    tools.mkdir(exist_ok=True)
    script = tools / "rlmetrics"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m rlmetrics.cli "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    roots = os.pathsep.join(
        str(checkout / root) for root in ("generated", "adapters", "codegen", Path("tests", "stand_ins"))
    )
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": roots}


@pytest.mark.parametrize("code", _blocks("bash"))
def test_shell_block_runs(checkout, code):
    """Each shell block of the documentation ends with exit code 0."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=checkout,
        env=_environment(checkout),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


# Each block runs in a process of its own, which begins with torch loaded: loading it takes longer than most blocks.
_EACH_BLOCK = """
import json, os, sys, traceback
import torch

codes = json.load(sys.stdin)
for number, code in enumerate(codes):
    if os.fork() == 0:
        errors = os.open(f"{sys.argv[1]}/{number}", os.O_WRONLY | os.O_CREAT)
        os.dup2(errors, 1)
        os.dup2(errors, 2)
        try:
            exec(compile(code, "<block>", "exec"), {"__name__": "__main__"})
            sys.stdout.flush()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
    print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
"""


@pytest.fixture(scope="module")
def outcomes(checkout, tmp_path_factory):
    """The exit code and the output of each Python block."""
    codes = [block.values[0] for block in _blocks("python")]
    folder = tmp_path_factory.mktemp("blocks")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _EACH_BLOCK, str(folder)],
        cwd=checkout,
        env=_environment(checkout),
        input=json.dumps(codes),
        capture_output=True,
        text=True,
        check=False,
    )
    found = [int(line) for line in done.stdout.split()]
    assert len(codes) == len(found), done.stderr
    return {
        code: (number, (folder / str(place)).read_text())
        for place, (code, number) in enumerate(zip(codes, found, strict=True))
    }


@pytest.mark.parametrize("code", _blocks("python"))
def test_python_block_runs(outcomes, code):
    """Each Python block of the documentation runs on its own."""
    returned, output = outcomes[code]

    assert returned == 0, output


def test_the_readme_has_exactly_two_set_up_commands():
    """One runs the main job, one passes the tests; CI takes the second from the README."""
    assert sorted(_set_up_commands()) == ["demo", "test"]
    assert "command: test" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.slow
def test_main_job_on_a_fresh_machine(checkout, tmp_path):
    """The README's first command, in a fresh copy with a bare interpreter, generates and translates real runs."""
    fresh = tmp_path / "fresh"
    shutil.copytree(checkout, fresh, ignore=shutil.ignore_patterns(".tools"))
    bare = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}}
    base = Path(sys.base_prefix) / "bin"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", _set_up_commands()["demo"]],
        cwd=fresh,
        env={**bare, "PATH": os.pathsep.join([str(base), os.environ["PATH"]])},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "ppo/mean_scores -> objective/scores" in done.stdout
    assert "PyTorch is not installed: the merged number is a recorded result." in done.stdout
    assert not list(fresh.glob(".venv/lib/python*/site-packages/torch"))


_ANSWERS = re.compile(
    r"^```bash\n(?P<command>[^\n]+)\n```\n+<!-- output: first lines -->\n```text\n(?P<output>.*?)^```$", re.S | re.M
)


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param(match["command"], match["output"], id=f"{page.relative_to(ROOT).as_posix()}-{number}")
        for page in PAGES
        for number, match in enumerate(_ANSWERS.finditer(page.read_text(encoding="utf-8")))
    ],
)
def test_printed_answers_are_what_the_command_says(checkout, command, output):
    """What the README shows of an answer is how the command begins today, at 80 columns."""
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=checkout,
        env={**_environment(checkout), "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.startswith(output)


def test_the_readme_shows_an_answer():
    """There is one to compare."""
    assert _ANSWERS.search((ROOT / "README.md").read_text(encoding="utf-8"))


def test_continuous_integration_builds_the_site_as_documented():
    """What the page says of building and testing the site is what ``.ci/run`` does, but for where it is built."""
    steps = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "maintenance.md").read_text(encoding="utf-8")
    (block,) = [match["code"] for match in FENCE.finditer(page) if match["role"] == "site"]
    commands = [line.partition("#")[0].strip() for line in block.splitlines()]
    assert "pytest tests/lanes/site" in commands
    for command in commands[1:]:
        words = command.replace(" -f ", " --config-file ").split()
        assert any(set(words) <= set(line.split()) for line in steps.splitlines()), command
