"""Runs the default tests with the newest release of every package but torch, and says which are not the pins."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / ".cache" / "newest"


def pins() -> dict[str, str]:
    """Return the version that ``constraints.txt`` has for each package, in this Python."""
    lines = [line.partition("#")[0].strip() for line in (ROOT / "constraints.txt").read_text().splitlines()]
    wanted = [Requirement(line) for line in lines if line]
    return {
        canonicalize_name(one.name): next(iter(one.specifier)).version
        for one in wanted
        if one.marker is None or one.marker.evaluate()
    }


def changes(pinned: dict[str, str], installed: dict[str, str]) -> list[str]:
    """Return a line for each package that is installed at another version than its pin, or has none."""
    return [
        f"{name} {pinned.get(name, 'without a pin')} -> {installed[name]}"
        for name in sorted(installed)
        if installed[name].partition("+")[0] != pinned.get(name)
    ]


def main() -> int:
    """Install, test and tell; return the exit code of the tests."""
    venv.create(PLACE, with_pip=True, clear=True)
    python = str(PLACE / "bin" / "python")
    wanted = [f"torch=={pins()['torch']}", "-e", f"{ROOT}[dev]"]
    subprocess.run([python, "-m", "pip", "install", "-q", "--upgrade", *wanted], check=True)
    listed = subprocess.run([python, "-m", "pip", "list", "--format", "json"], check=True, capture_output=True)
    installed = {canonicalize_name(one["name"]): one["version"] for one in json.loads(listed.stdout)}
    own = ("pip", "rlmetrics")
    told = changes(pins(), {name: version for name, version in installed.items() if name not in own})
    print(*(told or ["the newest of everything is what is pinned"]), sep="\n", flush=True)
    path = os.pathsep.join([str(PLACE / "bin"), os.environ.get("PATH", "")])
    tests = subprocess.run([python, "-m", "pytest", "-n", "auto"], cwd=ROOT, env={**os.environ, "PATH": path})
    if tests.returncode:
        print("Tests fail with the newest packages. If they pass with the pins, one of these broke them:")
        print(*(f"  {line}" for line in told), sep="\n")
    return tests.returncode


if __name__ == "__main__":
    sys.exit(main())
