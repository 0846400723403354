"""Guides that a language lacks: in English, with a word about that, so that no link of the language leads nowhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from ..generate.store import MARKER
from .addresses import link
from .guides import Guide, guides_in
from .texts import Texts

__all__ = ["LEFT_OUT", "fallbacks"]

LEFT_OUT = ("api", "results")
"""Folders of pages that stand in English alone; another language has a page that leads there."""

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
        if guide.path not in own:
            file = _file_of(docs, guide)
            text = (docs / file).read_text(encoding="utf-8")
            yield file, _page(guide, file, text, texts)


def _file_of(docs: Path, guide: Guide) -> str:
    plain = f"{guide.path}.md" if guide.path else "index.md"
    return plain if (docs / plain).is_file() else f"{guide.path}/index.md"


def _page(guide: Guide, file: str, text: str, texts: Texts) -> str:
    head = _HEAD.format(made=f"{MARKER}docs/{file}.", title=json.dumps(guide.title, ensure_ascii=False))
    if guide.path.partition("/")[0] in LEFT_OUT:
        english = link(f"{texts.language}/{guide.path}", guide.path)
        said = texts.t("This page is in English only: {link}", link=_anchor(english, guide.title))
        return f"{head}<h1>{guide.title}</h1>\n\n<p>{said}</p>\n"
    note = texts.t("This page has not been translated yet; here it stands in English.")
    return f'{head}<p class="rlm-note">{note}</p>\n\n{_without_head(text)}'


def _anchor(address: str, title: str) -> Markup:
    return Markup('<a href="{}" lang="en">{}</a>').format(address, title)


def _without_head(text: str) -> str:
    """Return a page without its front matter."""
    return text.split("\n---\n", 1)[1].lstrip() if text.startswith("---\n") else text
