"""One kind of message for everything that is wrong with a spec, and the forms in which machines read it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = [
    "FindingLevel",
    "Location",
    "Related",
    "SpecFinding",
    "has_errors",
    "render_github",
    "render_json",
    "render_text",
    "sort",
]

FindingLevel = Literal["error", "warning", "info"]

_GITHUB_COMMAND: dict[FindingLevel, str] = {"error": "error", "warning": "warning", "info": "notice"}


@dataclass(frozen=True, order=True)
class Location:
    """A place in a file of the spec.

    Attributes:
        file: Path with forward slashes, relative to the checkout where the file lies in it.
        line: Counted from 1.
        column: Counted from 1, in characters.
    """

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Related:
    """Another place that a finding is about, and what is there in a few words."""

    location: Location
    label: str


@dataclass(frozen=True)
class SpecFinding:
    """Something that is wrong, where it is wrong, and what to do about it.

    Attributes:
        id: The check.
        level: How much it weighs.
        location: Where.
        message: What is wrong, on one line.
        fix: What to do. ``did you mean `name`?`` with one name lets ``--fix`` write it.
        related: Other places that it is about.
        notes: What else helps to understand it, a line each. A note may have several lines if it is to be pasted.
        follows: It goes away with the repair of another finding, so that it is shown on request only.
    """

    id: str
    level: FindingLevel
    location: Location
    message: str
    fix: str
    related: tuple[Related, ...] = ()
    notes: tuple[str, ...] = ()
    follows: bool = False


def sort(findings: Iterable[SpecFinding]) -> list[SpecFinding]:
    """Return findings in the order of their places, each one once; those that follow from others last."""
    return sorted(set(findings), key=lambda f: (f.follows, f.location, f.id, f.message, f.fix))


def has_errors(findings: Iterable[SpecFinding]) -> bool:
    """Tell whether any finding is an error, so that nothing may be generated."""
    return any(finding.level == "error" for finding in findings)


def render_text(findings: Sequence[SpecFinding]) -> str:
    """Return one line for each finding: ``file:line:column: level[id]: message; fix``."""
    return "".join(f"{f.location}: {f.level}[{f.id}]: {f.message}; {f.fix}\n" for f in findings)


def render_json(findings: Sequence[SpecFinding]) -> str:
    """Return a JSON list with one object for each finding."""
    rows = [
        {
            "id": f.id,
            "level": f.level,
            "file": f.location.file,
            "line": f.location.line,
            "column": f.location.column,
            "message": f.message,
            "fix": f.fix,
            "related": [
                {"file": r.location.file, "line": r.location.line, "column": r.location.column, "label": r.label}
                for r in f.related
            ],
            "notes": list(f.notes),
            "follows": f.follows,
        }
        for f in findings
    ]
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def render_github(findings: Sequence[SpecFinding]) -> str:
    """Return workflow commands that GitHub shows as annotations on the lines of a pull request."""
    lines = []
    for f in findings:
        place = f"file={_property(f.location.file)},line={f.location.line},col={f.location.column}"
        text = _data(f"{f.message}; {f.fix}")
        lines.append(f"::{_GITHUB_COMMAND[f.level]} {place},title={_property(f.id)}::{text}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
