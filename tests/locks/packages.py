"""Small packages for tests: sources by path, packed as a wheel or read at once."""

from __future__ import annotations

import textwrap
import zipfile
from collections.abc import Mapping
from pathlib import Path

from rlmetrics.codegen.locks.packages import Package


def package(release: str, **texts: str) -> Package:
    """A package ``pkg`` with modules by name; two underscores stand for a folder, `init` for `__init__`."""
    return Package("pkg", release, _texts(texts))


def wheel(folder: Path, release: str, requires: tuple[str, ...] = (), **texts: str) -> Path:
    """Write a wheel of ``pkg`` and return its path."""
    path = folder / f"pkg-{release}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in _texts(texts).items():
            archive.writestr(name, text)
        head = f"Metadata-Version: 2.1\nName: pkg\nVersion: {release}\n"
        archive.writestr(f"pkg-{release}.dist-info/METADATA", head + "".join(f"Requires-Dist: {r}\n" for r in requires))
    return path


def _texts(texts: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for name, text in texts.items():
        parts = ["__init__" if part == "init" else part for part in name.split("__")]
        found[f"pkg/{'/'.join(parts)}.py"] = textwrap.dedent(text)
    return {"pkg/__init__.py": "", **found}
