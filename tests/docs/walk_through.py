"""What the tests share that follow a page step by step: its blocks, a fresh copy of the tree, commands in that copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from folders import ROOT
from rlmetrics.codegen.cache import FOLDER

GUIDE = "../CONTRIBUTING.md"
"""The contributor's guide, from ``docs``."""

KEPT = ROOT / FOLDER / "answers.pickle"
"""What the last run of the generator in this checkout keeps of the answers that it found."""

_AS = "git -c user.name=a -c user.email=a@example.org"


def blocks(page: str, mark: str) -> Iterator[tuple[str, str]]:
    """Yield the step and the text of each block of a page that stands under ``<!-- mark: step -->``."""
    block = re.compile(rf"<!-- {mark}: (?P<step>\w+) -->\n *```\w+\n(?P<text>.*?)^ *```$", re.S | re.M)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    yield from ((match["step"], textwrap.dedent(match["text"])) for match in block.finditer(text))


def steps(page: str, mark: str) -> dict[str, str]:
    """Return the blocks of a page that stand under ``<!-- mark: step -->``, by step."""
    return dict(blocks(page, mark))


def named(heading: str, label: str) -> list[str]:
    """Return the files that a walk-through of the contributor's guide names, as ``Files`` or as ``Generated``."""
    text = (ROOT / "docs" / GUIDE).read_text(encoding="utf-8")
    section = re.search(rf"^### {heading}\n(.*?)(?=^##|\Z)", text, re.S | re.M)
    assert section is not None, heading
    said = re.search(rf"^\*\*{label}\*\*: (.*?)\n\n", section[1], re.S | re.M)
    assert said is not None, label
    return sorted(re.findall(r"`([\w/.]+)`", said[1]))


def clone_to(target: Path) -> Path:
    """Copy what a clone of the working tree holds, and return where it is."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    # Answers hold as long as what they were made from, and take minutes: a copy need not find them again.
    if KEPT.is_file():
        (target / KEPT.relative_to(ROOT)).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(KEPT, target / KEPT.relative_to(ROOT))
    return target


def commit(clone: Path) -> None:
    """Remember all files of a clone as they are, so that `changed` tells what came after."""
    subprocess.run(f"git init -q . && git add -A && {_AS} commit -qm all", shell=True, cwd=clone, check=True)


def changed(clone: Path) -> list[str]:
    """Return the files that came, went or changed since `commit`."""
    status = run(clone, "git status --porcelain --untracked-files=all --no-renames")
    return sorted(line[3:] for line in status.stdout.splitlines())


def edit(clone: Path, block: str, *, undo: bool = False) -> str:
    """Make the edit of a block: below ``+++ FILE`` lines that stay, go and come, in parts between ``@@``.

    Args:
        clone: Where the file is.
        block: The edit, which must fit exactly one place.
        undo: Make what comes go, and the other way round.

    Returns:
        The name of the file.
    """
    first, *lines = block.splitlines()
    name = first.removeprefix("+++ ")
    path = clone / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for part in "\n".join(lines).split("\n@@\n"):
        before, after = (
            "".join(f"{line[1:]}\n" for line in part.splitlines() if (line or " ")[0] in signs)
            for signs in (" -", " +")
        )
        before, after = (after, before) if undo else (before, after)
        assert text.count(before) == 1 or not text, f"{name} does not say once:\n{before}"
        text = text.replace(before, after) if text else after
    path.write_text(text, encoding="utf-8")
    return name


def run(clone: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the page in the clone, with the clone's own modules."""
    paths = os.pathsep.join(str(clone / root) for root in ("generated", "adapters", "codegen"))
    command = re.sub(r"^rlmetrics ", f"{sys.executable} -m rlmetrics.cli ", command, flags=re.M)
    command = re.sub(r"^python ", f"{sys.executable} ", command, flags=re.M)
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=clone,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )
