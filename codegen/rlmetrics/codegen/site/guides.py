"""The guides that people write: what the search has to know about them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..output.store import MARKER

__all__ = ["GuidePage", "guides_in", "slug"]

_HEADING = re.compile(r"(#{1,3})\s+(.*?)\s*$")
_ANCHOR = re.compile(r"\s*\{[^{}]*#([\w-]+)[^{}]*\}$")
_FENCE = re.compile(r"\s*(```|~~~)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_FRONT = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)
_HEAD = 400
"""A generated page says so within its first characters."""


@dataclass(frozen=True)
class GuidePage:
    """A page written by hand.

    Attributes:
        path: Its address below the root of its language; empty for the home page.
        title: Its first heading.
        headings: The other headings up to the third level, each with its anchor.
    """

    path: str
    title: str
    headings: tuple[tuple[str, str], ...]


def guides_in(folder: Path, without: tuple[str, ...] = (), *, generated: bool = False) -> tuple[GuidePage, ...]:
    """Return the hand-written pages below a folder, in the order of their addresses.

    Args:
        folder: The documentation of one language.
        without: Folders in it that hold something else, such as another language.
        generated: Return pages in Markdown that were generated instead.
    """
    found: list[GuidePage] = []
    for file in sorted(folder.rglob("*.md")):
        place = file.relative_to(folder)
        if place.parts[0] in without:
            continue
        text = file.read_text(encoding="utf-8")
        if (MARKER in text[:_HEAD]) is generated:
            found.append(_guide(place, text))
    return tuple(found)


def _guide(place: Path, text: str) -> GuidePage:
    path = place.with_suffix("").as_posix()
    path = path.removesuffix("index").rstrip("/") if place.stem == "index" else path
    (_, title, _), *others = [*_headings(text)] or [(1, place.stem, "")]
    return GuidePage(path, title, tuple((heading, anchor) for _, heading, anchor in others))


def _headings(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield level, text and anchor of the headings; what stands in a block of code is none."""
    seen: dict[str, int] = {}
    fenced = False
    for line in _FRONT.sub("", text).splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        found = None if fenced else _HEADING.match(line)
        if found is None:
            continue
        heading = found[2]
        named = _ANCHOR.search(heading)
        heading = _LINK.sub(r"\1", _ANCHOR.sub("", heading)).replace("`", "")
        anchor = named[1] if named else slug(heading)
        number = seen.get(anchor, 0)
        seen[anchor] = number + 1
        yield len(found[1]), heading, f"{anchor}_{number}" if number and not named else anchor


def slug(heading: str) -> str:
    """Return the anchor that Python-Markdown gives a heading; empty where it only counts them."""
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())
