"""``constraints.txt`` pins all that the test command of the README installs."""

from __future__ import annotations

import re
from collections import deque
from importlib.metadata import requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name as canonical
from packaging.version import Version

ROOT = Path(__file__).resolve().parent.parent
OF_TORCH = re.compile(r"cuda-|nvidia-|triton|pytorch-triton")
"""What a build of torch brings for its accelerator, which differs from build to build."""


def pins() -> list[Requirement]:
    """Return the lines of the file."""
    lines = [line.split("  #")[0].split("#")[0].strip() for line in (ROOT / "constraints.txt").read_text().splitlines()]
    return [Requirement(line) for line in lines if line]


def declared() -> dict[str, list[Requirement]]:
    """Return the extras of the project, as its file says them."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8").split("[project.optional-dependencies]\n")[1]
    table = text.split("\n[")[0]
    found = {}
    for extra, listed in re.findall(r"^([\w-]+) = \[(.*?)\](?=\n|$)", table, re.DOTALL | re.MULTILINE):
        found[extra] = [Requirement(one) for one in re.findall(r'"([^"]+)"', listed)]
    return found


def needed(wanted: list[Requirement]) -> set[str]:
    """Return the names of all packages that requirements lead to in this environment, from what is installed."""
    extras, seen, open_ = declared(), set(), deque((one, frozenset[str]()) for one in wanted)
    while open_:
        requirement, of = open_.popleft()
        name = canonical(requirement.name)
        asked = frozenset(requirement.extras)
        applies = requirement.marker is None or any(requirement.marker.evaluate({"extra": e}) for e in of or ("",))
        if not applies or (name, asked) in seen or OF_TORCH.match(name):
            continue
        seen.add((name, asked))
        if name == "rlmetrics":
            open_.extend((one, frozenset()) for extra in asked for one in extras[extra])
        else:
            open_.extend((Requirement(one), asked | {""}) for one in requires(name) or ())
    return {name for name, _ in seen} - {"rlmetrics"}


def test_all_that_the_development_tools_need_is_pinned() -> None:
    """Of each package that `.[dev]` leads to, here and through all dependencies, one line holds."""
    holding = [canonical(pin.name) for pin in pins() if pin.marker is None or pin.marker.evaluate()]
    assert len(holding) == len(set(holding))
    assert needed([Requirement("rlmetrics[dev]")]) - set(holding) == set()


def test_each_line_is_one_version() -> None:
    """A line says one version for the Pythons that it is for; none names an index or a build of torch."""
    for pin in pins():
        (only,) = pin.specifier
        assert only.operator == "=="
        assert Version(only.version).local is None
        assert not OF_TORCH.match(pin.name)
    assert "://" not in (ROOT / "constraints.txt").read_text()


def test_the_package_itself_takes_wide_ranges() -> None:
    """What users install is not held to one version."""
    listed = [one for extra in declared().values() for one in extra]
    assert len(listed) > 40
    assert [str(one) for one in listed if any(part.operator in ("==", "===", "~=") for part in one.specifier)] == []
