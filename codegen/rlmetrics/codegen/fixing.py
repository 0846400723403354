"""Repairs of findings that need no decision: misspelt names with one near name, renamed metrics, missing quotes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .excerpts import remedy
from .findings import Location, SpecFinding
from .output.store import replace

__all__ = ["Fixed", "fix"]


@dataclass(frozen=True)
class Fixed:
    """A repair: where, and what was written in place of what."""

    location: Location
    before: str
    after: str


def fix(findings: Iterable[SpecFinding], folder: Path) -> list[Fixed]:
    """Repair in the files what can be repaired mechanically; everything else in them stays as it is.

    Args:
        findings: What was found.
        folder: What the files of their places are relative to.

    Returns:
        The repairs in the order of their places.
    """
    findings = list(findings)
    # What is said in the same words at several places is repaired everywhere, or nowhere if it is not clear.
    clear = {(finding.message, finding.fix) for finding in findings if not finding.follows}
    by_file: dict[str, list[SpecFinding]] = {}
    for finding in findings:
        if (finding.message, finding.fix) in clear:
            by_file.setdefault(finding.location.file, []).append(finding)
    done: list[Fixed] = []
    for file, own in by_file.items():
        path = folder / file
        if not path.is_file():
            continue
        # Bytes decode and encode to themselves, so that neither line ends nor a byte-order mark change.
        lines = path.read_bytes().decode("utf-8", "surrogateescape").split("\n")
        repairs = {
            replacement[0]: Fixed(*replacement)
            for finding in own
            if (replacement := remedy(finding, lines)) is not None
        }
        for repair in sorted(repairs.values(), key=lambda repair: repair.location, reverse=True):
            number, start = repair.location.line - 1, repair.location.column - 1
            line = lines[number]
            lines[number] = line[:start] + repair.after + line[start + len(repair.before) :]
        if repairs:
            replace(path, "\n".join(lines).encode("utf-8", "surrogateescape"))
            done += sorted(repairs.values(), key=lambda repair: repair.location)
    return done
