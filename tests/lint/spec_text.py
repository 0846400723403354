"""A copy of a small valid spec that a test can damage in one place."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from rlmetrics.codegen.findings import Location, SpecFinding
from rlmetrics.codegen.lint import lint

MARK = "¦"
"""Stands in an edit where the finding must point; it is removed before the file is written."""

BASE = Path(__file__).parent.parent / "fixtures" / "spec_base"


class SpecText:
    """A copy of the base spec that can be edited and checked."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.marks: list[Location] = []
        shutil.copytree(BASE, root)

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace the only occurrence of ``old``; with an empty ``old``, append to the file or create it."""
        path = self.root / f"{file}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if old:
            assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
            text = text.replace(old, new)
        else:
            text += new
        while MARK in text:
            before, _, after = text.partition(MARK)
            line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
            self.marks.append(Location(f"{self.root.name}/{file}.yaml", line, column))
            text = before + after
        path.write_text(text, encoding="utf-8")

    def edits(self, edits: Sequence[tuple[str, str, str]]) -> None:
        """Apply several edits."""
        for file, old, new in edits:
            self.edit(file, old, new)

    def findings(self, check: str | None = None, overlays: Sequence[Path] = ()) -> list[SpecFinding]:
        """What lint finds, optionally of one check only."""
        return [finding for finding in lint(self.root, overlays) if check in {None, finding.id}]
