"""Guides that a language lacks: in English, with a word about that, so that no link of the language leads nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup, escape

from ..output.store import MARKER
from .guides import GuidePage, guides_in
from .page_links import link
from .texts import Texts

__all__ = ["LEFT_OUT", "fallbacks"]

_REFERENCE = "reference"
LEFT_OUT = ("api", "results", _REFERENCE)
"""Folders of pages that stand in English alone; another language has a page that leads to each, and to its sections."""

_ANCHOR = Markup('<a href="{}"{} lang="en">{}</a>')
_HEAD = "---\n# {made} Edit that, not this.\ntitle: {title}\nhide: [toc]\n---\n\n"


def fallbacks(docs: Path, without: tuple[str, ...], texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield the pages that a language needs beside its own guides: file below its folder, and content.

    Args:
        docs: The English documentation.
        without: Its folders that hold something else than guides.
        texts: The language.
    """
    own = {guide.path for guide in guides_in(docs / texts.language)}
    for guide in guides_in(docs, without):
        if guide.path in own:
            continue
        file = _file_of(docs, guide.path)
        if guide.path.partition("/")[0] in LEFT_OUT:
            yield file, _signpost(guide, guide.path, file, texts)
        else:
            yield file, _copy(guide, file, (docs / file).read_text(encoding="utf-8"), texts)
    for guide in guides_in(docs / _REFERENCE, generated=True):
        path = f"{_REFERENCE}/{guide.path}".rstrip("/")
        file = _file_of(docs, path)
        yield file, _signpost(guide, path, file, texts)


def _file_of(docs: Path, path: str) -> str:
    plain = f"{path}.md" if path else "index.md"
    return plain if (docs / plain).is_file() else f"{path}/index.md"


def _head(guide: GuidePage, file: str) -> str:
    return _HEAD.format(made=f"{MARKER}docs/{file}.", title=json.dumps(guide.title, ensure_ascii=False))


def _signpost(guide: GuidePage, path: str, file: str, texts: Texts) -> str:
    """Return a page that leads to an English one, with the anchors that the English one has."""
    english = link(f"{texts.language}/{path}", path)
    said = texts.t("This page is in English only: {link}", link=_ANCHOR.format(english, "", guide.title))
    sections = [
        _ANCHOR.format(f"{english}#{at}", Markup(' id="{}"').format(at), text) for text, at in guide.headings if at
    ]
    listed = Markup("").join(Markup("<li>{}</li>\n").format(section) for section in sections)
    return f"{_head(guide, file)}<h1>{escape(guide.title)}</h1>\n\n<p>{said}</p>\n\n<ul>\n{listed}</ul>\n"


def _copy(guide: GuidePage, file: str, text: str, texts: Texts) -> str:
    """Return the English page below a word about its language."""
    note = texts.t("This page has not been translated yet; here it stands in English.")
    return f'{_head(guide, file)}<p class="rlm-note">{note}</p>\n\n{_without_head(text)}'


def _without_head(text: str) -> str:
    """Return a page without its front matter."""
    return text.split("\n---\n", 1)[1].lstrip() if text.startswith("---\n") else text
