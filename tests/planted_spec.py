"""A copy of the spec in which sentences are changed, for tests that a check notices it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from pathlib import Path

from folders import ROOT

__all__ = ["planted_spec"]


def planted_spec(folder: Path, changes: Iterable[tuple[str, str, str]], *, most: int = 0) -> Path:
    """Return a copy of the spec, with the locks of frameworks as they are and no other lock.

    Args:
        folder: Where the copy is made.
        changes: Of each change the file, such as ``metrics/loss``, the pattern that is replaced,
            and what takes its place.
        most: How often a pattern is replaced at most; 0 for all places.
    """
    root = folder / "spec"
    shutil.copytree(ROOT / "spec", root, ignore=shutil.ignore_patterns("locks", "*.lock"))
    (root / "locks").symlink_to(ROOT / "spec" / "locks")
    for file, found, put in changes:
        path = root / f"{file}.yaml"
        text, count = re.subn(found, put, path.read_text(encoding="utf-8"), count=most)
        assert count > 0, f"{file} does not say {found}"
        path.write_text(text, encoding="utf-8")
    return root
