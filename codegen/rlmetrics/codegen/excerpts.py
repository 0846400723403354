"""Findings for people: what is wrong, shown in the text in which it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .findings import FindingLevel, Location, SpecFinding

__all__ = ["remedy", "render", "summary"]

_COLOURS: dict[str, str] = {"error": "1;31", "warning": "1;33", "info": "1;36", "frame": "1;34", "bold": "1"}
_WIDTH = 140
"""Characters of a source line that are shown at most."""

_NAME = re.compile(r"[\w@/.{}-]+")
_QUOTED_NAMES = re.compile(r"`([^`]+)`")
_QUOTE = re.compile(r"quote it:? \(?'([^']+)'")
_MEANT = re.compile(r"did you mean [`']([^`']+)[`']\?")

Paint = Callable[[str, str], str]
Lines = Callable[[str], Sequence[str]]


@dataclass(frozen=True)
class _Mark:
    """A part of a line that is underlined."""

    line: int
    column: int
    length: int
    sign: str
    label: str


def render(findings: Iterable[SpecFinding], folder: Path, *, colour: bool = False) -> str:
    """Return each finding with the source that it is about.

    Args:
        findings: What to show.
        folder: What the files of their places are relative to.
        colour: Use the colours of terminals.

    Returns:
        For each finding its level, check and message, the place, the lines with carets under what is meant, and help;
        a blank line after each.
    """

    def paint(kind: str, text: str) -> str:
        return f"\033[{_COLOURS[kind]}m{text}\033[0m" if colour and text else text

    @lru_cache(maxsize=64)
    def lines(file: str) -> Sequence[str]:
        try:
            return (folder / file).read_text(encoding="utf-8-sig").splitlines()
        except (OSError, ValueError):
            return ()

    return "".join(f"{_one(finding, lines, paint)}\n" for finding in findings)


def summary(findings: Sequence[SpecFinding], *, hidden: bool = True) -> str:
    """Return one line that counts findings; with ``hidden`` those that follow from others are not shown."""
    shown = [finding for finding in findings if not (hidden and finding.follows)]
    counts = [_count(shown, level) for level in ("error", "warning", "info")]
    text = ", ".join(count for count in counts if count) or "nothing to report"
    left = len(findings) - len(shown)
    if left == 1:
        text += "; 1 finding that follows from them is hidden (--all shows it)"
    elif left:
        text += f"; {left} findings that follow from them are hidden (--all shows them)"
    return text


def _count(findings: Sequence[SpecFinding], level: FindingLevel) -> str:
    number = sum(finding.level == level for finding in findings)
    word = {"error": "error", "warning": "warning", "info": "remark"}[level]
    return f"{number} {word}{'' if number == 1 else 's'}" if number else ""


def remedy(finding: SpecFinding, lines: Sequence[str]) -> tuple[Location, str, str] | None:
    """Return the mechanical remedy of a finding.

    Args:
        finding: The finding.
        lines: The file in which it is.

    Returns:
        Where to write, what stands there, and what to put in its place: the only name that can be meant, or the value
        in quotes. None if there is no such remedy.
    """
    quoted = _QUOTE.match(finding.fix)
    if quoted is not None and finding.location.line <= len(lines):
        rest = lines[finding.location.line - 1][finding.location.column - 1 :]
        return (finding.location, quoted[1], f"'{quoted[1]}'") if rest.startswith(quoted[1]) else None
    meant = _MEANT.fullmatch(finding.fix.strip())
    for name in reversed(_QUOTED_NAMES.findall(finding.message)) if meant else ():
        place = _find(name, finding.location, lines)
        if place is not None and meant and name != meant[1]:
            return place, name, meant[1]
    return None


def _find(name: str, start: Location, lines: Sequence[str]) -> Location | None:
    """Return where a name stands as a whole word, from a place on to the end of the value there."""
    pattern = re.compile(rf"(?<![\w/.@-]){re.escape(name)}(?![\w/@-])")
    for number in range(start.line, min(start.line + 6, len(lines) + 1)):
        line = lines[number - 1]
        indent = len(line) - len(line.lstrip())
        first = lines[start.line - 1]
        # A value goes on where lines are indented deeper than that on which it begins.
        if number > start.line and line.strip() and indent <= len(first) - len(first.lstrip()):
            return None
        match = pattern.search(line, start.column - 1 if number == start.line else 0)
        if match is not None:
            return Location(start.file, number, match.start() + 1)
    return None


def _one(finding: SpecFinding, lines: Lines, paint: Paint) -> str:
    source = lines(finding.location.file)
    fault = remedy(finding, source)
    place, length = (fault[0], len(fault[1])) if fault else (finding.location, 0)
    head = f"{paint(finding.level, f'{finding.level}[{finding.id}]')}{paint('bold', f': {finding.message}')}"
    marks = [_mark(place, length, source, "^", "")]
    near = [one for one in finding.related if one.location.file == place.file]
    marks += [_mark(one.location, 0, source, "-", one.label) for one in near]
    marks = [mark for mark in marks if mark.line <= len(source)]
    far = [one for one in finding.related if one not in near]
    width = len(str(max([mark.line for mark in marks] + [one.location.line for one in far], default=place.line)))
    out = [head, f"{' ' * width}{paint('frame', '-->')} {place}"]
    out += _excerpt(marks, source, width, paint)
    for one in far:
        out.append(f"{' ' * width}{paint('frame', ':::')} {one.location}: {one.label}")
        text = lines(one.location.file)
        if one.location.line <= len(text):
            out += _excerpt([_mark(one.location, 0, text, "-", "")], text, width, paint)
    for note in finding.notes:
        first, *rest = note.split("\n")
        out.append(f"{' ' * width} {paint('frame', '=')} {first}")
        out += [f"{' ' * width}   {line}".rstrip() for line in rest]
    fix = finding.fix + (" (--fix does it)" if fault else "")
    out.append(f"{' ' * width} {paint('frame', '=')} {paint('bold', 'help')}: {fix}")
    return "\n".join(out) + "\n"


def _mark(place: Location, length: int, lines: Sequence[str], sign: str, label: str) -> _Mark:
    if not length and place.line <= len(lines):
        line, start = lines[place.line - 1], place.column - 1
        if line[start : start + 1] in ("'", '"'):
            end = line.find(line[start], start + 1)
            length = end + 1 - start if end > 0 else 1
        else:
            match = _NAME.match(line, start)
            length = match.end() - start if match else 1
    return _Mark(place.line, place.column, max(length, 1), sign, label)


def _excerpt(marks: Sequence[_Mark], lines: Sequence[str], width: int, paint: Paint) -> list[str]:
    bar = paint("frame", "|")
    out = [f"{' ' * width} {bar}"]
    before = 0
    for number in sorted({mark.line for mark in marks}):
        if before and number > before + 1:
            out.append(paint("frame", "..."))
        text = lines[number - 1]
        start = max(0, min(mark.column for mark in marks if mark.line == number) - _WIDTH + 40)
        shown = ("…" if start else "") + text[start : start + _WIDTH] + ("…" if len(text) > start + _WIDTH else "")
        out.append(f"{paint('frame', str(number).rjust(width))} {bar} {shown}")
        shift = start - (1 if start else 0)
        for mark in sorted((mark for mark in marks if mark.line == number), key=lambda mark: -mark.column):
            sign = paint("error" if mark.sign == "^" else "frame", mark.sign * min(mark.length, _WIDTH))
            label = f" {mark.label}" if mark.label else ""
            out.append(f"{' ' * width} {bar} {' ' * (mark.column - 1 - shift)}{sign}{label}")
        before = number
    return out
