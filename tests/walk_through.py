"""What the tests share that follow a page step by step: its blocks, a fresh copy of the tree, commands in that copy."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def steps(page: str, mark: str) -> dict[str, str]:
    """Return the blocks of a page that stand under ``<!-- mark: step -->``, by step."""
    block = re.compile(rf"<!-- {mark}: (?P<step>\w+) -->\n *```\w+\n(?P<text>.*?)^ *```$", re.S | re.M)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return {match["step"]: textwrap.dedent(match["text"]) for match in block.finditer(text)}


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
    return target


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
