"""Blocks of commands and of Python in the README and the hand-written pages, and a checkout in which they run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from command_line import Answer, answered
from folders import ROOT

README = ROOT / "README.md"
GUIDES = [page for folder in ("", "api", "translating") for page in sorted((ROOT / "docs" / folder).glob("*.md"))]
PAGES = [README, *GUIDES]
FENCE = re.compile(r"(?:<!-- command: (?P<role>[\w-]+) -->\n)?^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.S | re.M)
_ANSWER = re.compile(
    r"^```bash\n(?P<command>[^\n]+)\n```\n+<!-- output: first lines -->\n```text\n(?P<output>.*?)^```$", re.S | re.M
)
FETCHES = "fetch"
"""The role of what takes a release from the package index."""
ELSEWHERE = {"demo", "test", "trainer", "verl", "verl-fit", "verl-batch", "site", "engines", "servers"}
"""What runs elsewhere: blocks for a trainer with real releases in ``tests/lanes/trainers``, others in their lanes."""


class Block(NamedTuple):
    """A block of code on a page.

    Attributes:
        id: The page and the number of the block there.
        code: What stands in it.
        fetches: Whether it takes a release from the package index.
    """

    id: str
    code: str
    fetches: bool

    @property
    def generates(self) -> bool:
        """Whether it generates everything from the spec, which takes many seconds."""
        return "rlmetrics generate" in self.code


def blocks(language: str, *pages: Path) -> Iterator[Block]:
    """Yield the blocks of a language on pages, but for those that run elsewhere."""
    for page in pages:
        for number, match in enumerate(FENCE.finditer(page.read_text(encoding="utf-8"))):
            if match["language"] == language and match["role"] not in ELSEWHERE:
                yield Block(f"{page.relative_to(ROOT).as_posix()}-{number}", match["code"], match["role"] == FETCHES)


def answers(*pages: Path) -> Iterator[tuple[str, str, str]]:
    """Yield for each answer that pages show an id, the command, and how it begins."""
    for page in pages:
        for number, match in enumerate(_ANSWER.finditer(page.read_text(encoding="utf-8"))):
            yield f"{page.relative_to(ROOT).as_posix()}-{number}", match["command"], match["output"]


def set_up_commands() -> dict[str, str]:
    """Return the README's commands that have a role, by role."""
    return {
        match["role"]: match["code"] for match in FENCE.finditer(README.read_text(encoding="utf-8")) if match["role"]
    }


def make_checkout(target: Path) -> Path:
    """Copy the working tree, so that commands can write."""
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


def environment(checkout: Path) -> dict[str, str]:
    """Return an environment in which ``rlmetrics`` is the copy's and runs under this interpreter."""
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


def run_here(checkout: Path, code: str, **values: str) -> list[Answer]:
    """Run a block that has nothing but commands of ``rlmetrics`` in a checkout, by this process."""
    found = []
    for line in code.splitlines():
        program, *words = shlex.split(line)
        assert program == "rlmetrics"
        assert not {"|", ">", "&&", ";"} & {*words}
        found.append(answered(*words, folder=checkout, **values))
    return found


def run(checkout: Path, code: str, **values: str) -> subprocess.CompletedProcess[str]:
    """Run a block of commands in a checkout."""
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=checkout,
        env={**environment(checkout), **values},
        capture_output=True,
        text=True,
        check=False,
    )


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


def run_python(checkout: Path, codes: list[str], folder: Path) -> list[tuple[int, str]]:
    """Run each block of Python on its own in a checkout; return exit codes and outputs, which go through a folder."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _EACH_BLOCK, str(folder)],
        cwd=checkout,
        env=environment(checkout),
        input=json.dumps(codes),
        capture_output=True,
        text=True,
        check=False,
    )
    found = [int(line) for line in done.stdout.split()]
    assert len(found) == len(codes), done.stderr
    return [(code, (folder / str(number)).read_text()) for number, code in enumerate(found)]
