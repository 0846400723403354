"""Guides in other languages, and whether the English ones have changed since they were translated.

A translated guide names, in its front matter, a digest of each section of the English one it was made from. A section
is a heading with the text up to the next heading of level 2, so that a change shows where it was made. Tables that a
script makes of figures are the same in every language and do not count.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..output.input_digest import guide_files
from ..output.store import MARKER

__all__ = ["TranslatedGuide", "english_guides", "guides", "sections"]

_FRONT = re.compile(r"\A---\n(.*?)^---\n", re.DOTALL | re.MULTILINE)
_MADE_FROM = re.compile(r"^made_from: \[([^\]]*)\]$", re.MULTILINE)
_HEAD = 400
"""A page that was generated, such as an English one in place of a translation, says so within its first characters."""
_FIGURES = re.compile(r"^<!-- figures: \w+ -->\n.*?^<!-- end -->$", re.DOTALL | re.MULTILINE)
_NAMED = 2
"""The line of a translation that names what it was made from."""
_LEFT_OUT = "\0"
"""Stands for a line that does not count."""
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")


@dataclass(frozen=True)
class TranslatedGuide:
    """A guide in another language.

    Attributes:
        name: Its file in ``docs``, with its folder and without the ending.
        path: The file, relative to the checkout.
        english: Title and digest of each section of the English guide, in order.
        made_from: The digests that the translation names; None where there is no translation.
        headings: The lines on which sections of the translation begin.
    """

    name: str
    path: str
    english: tuple[tuple[str, str], ...]
    made_from: tuple[str, ...] | None
    headings: tuple[int, ...] = ()

    @property
    def changed(self) -> tuple[str, ...]:
        """The sections of the English guide that the translation was not made from."""
        return tuple(title for title, digest in self.english if digest not in (self.made_from or ()))

    @property
    def line(self) -> int:
        """The line of the translation to edit: the heading of the first section that changed, if it has as many."""
        places = [place for place, (title, _) in enumerate(self.english) if title in self.changed]
        alike = len(self.headings) == len(self.english) == len(self.made_from or ())
        return self.headings[places[0]] if places and alike else _NAMED

    @property
    def is_current(self) -> bool:
        """Whether the translation was made from the English guide as it is."""
        return self.made_from == tuple(digest for _, digest in self.english)


def guides(root: Path, language: str) -> Iterator[TranslatedGuide]:
    """Yield each English guide of a checkout with what is known of its translation."""
    for path in english_guides(root / "docs"):
        name = path.relative_to(root / "docs").with_suffix("").as_posix()
        translated = root / "docs" / language / f"{name}.md"
        text = translated.read_text(encoding="utf-8") if translated.is_file() else ""
        made_from = _made_from(text) if text and not _is_generated(text) else None
        english = tuple(sections(path.read_text(encoding="utf-8")))
        headings = tuple(line for line, _, _ in _sections(text))
        yield TranslatedGuide(name, f"docs/{language}/{name}.md", english, made_from, headings)


def english_guides(docs: Path) -> Iterator[Path]:
    """Yield the guides that people wrote."""
    for path in guide_files(docs):
        if not _is_generated(path.read_text(encoding="utf-8")):
            yield path


def _is_generated(text: str) -> bool:
    return MARKER in text[:_HEAD]


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield the title and a digest of each section of a guide."""
    for _, title, lines in _sections(text):
        yield title, _digest(lines)


def _sections(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield the first line, the title and the lines of each section of a guide."""
    title, fence, first = "front", "", 1
    lines: list[str] = []
    # Lines that do not count stay, so that the others keep their numbers.
    counted = _FIGURES.sub(_blank, _FRONT.sub(_blank, text))
    for number, line in enumerate(counted.splitlines(), 1):
        opened = _FENCE.match(line)
        if opened is not None:
            fence = "" if fence and opened.group(1).startswith(fence) else fence or opened.group(1)
        if not fence and re.match(r"##? ", line):
            if any(lines):
                yield first, title, lines
            title, lines, first = line.lstrip("# "), [], number
        if line != _LEFT_OUT:
            lines.append(line.rstrip())
    yield first, title, lines


def _blank(found: re.Match[str]) -> str:
    return f"{_LEFT_OUT}\n" * found.group().count("\n")


def _digest(lines: list[str]) -> str:
    return hashlib.blake2b("\n".join(lines).strip().encode(), digest_size=4).hexdigest()


def _made_from(text: str) -> tuple[str, ...]:
    front = _FRONT.match(text)
    named = _MADE_FROM.search(front.group(1)) if front is not None else None
    return tuple(part.strip() for part in named.group(1).split(",")) if named is not None else ()
