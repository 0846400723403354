"""The findings of a spec, without loading anything where nothing has changed since they were found."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .cache import FOLDER, Shelf, keeping, spec_digest
from .findings import SpecFinding

__all__ = ["linted"]


def linted(root: Path, overlays: Sequence[Path] = (), *, cached: bool = True) -> list[SpecFinding]:
    """Check the spec of a checkout.

    Args:
        root: The checkout.
        overlays: Folders of the same structure as ``spec`` that extend it, in order.
        cached: Take what the last run found in the same spec, and keep what this one finds.

    Returns:
        All findings in the order of their places, those that follow from others last.
    """
    cache = root / FOLDER if cached else None
    shelf = Shelf(cache, "findings")
    state = ([str(overlay) for overlay in overlays], spec_digest([root / "spec", *overlays]))
    kept = shelf.load()
    if kept is not None and kept[0] == state:
        return list(kept[1])
    from .lint import lint

    with keeping(cache):
        findings = lint(root / "spec", overlays)
    shelf.keep((state, findings))
    return findings
