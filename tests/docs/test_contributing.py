"""The walk-throughs of the contributor's guide, followed in fresh copies: they work, and name every file they touch."""

from __future__ import annotations

import re

from folders import ROOT


def test_every_folder_is_listed() -> None:
    """The table of folders names every package of the three roots, every folder of codegen, and nothing else."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w/]+)/`", page[page.index("## Where things are") :], re.M)
    packages = [
        path.relative_to(ROOT).as_posix()
        for pattern in ("adapters/rlmetrics/*", "generated/rlmetrics/*", "codegen/rlmetrics/codegen/*")
        for path in ROOT.glob(pattern)
        if path.is_dir() and path.name != "__pycache__"
    ]
    roots = ["spec", "codegen/rlmetrics/codegen", "generated/meanings", "docs", "tests"]
    roots += [f"tests/{name}" for name in ("benchmarks", "fixtures", "lanes", "programs")]
    assert sorted([*packages, *roots]) == sorted(listed)
