"""The page that translates names, and the data that its scripts load."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from .html import render
from .page import Asset, Page
from .site import Site
from .translating.writing import FOLDER, Data, made, script, version_of

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

    from .texts import Texts

__all__ = ["PAGE", "SENTENCES", "translator_page"]

PAGE = "translate"
_ASSETS = "assets/translator"
_MODULES = (
    *("data", "names", "views", "ranking", "lookalikes", "mapping", "programs", "detection", "decimals", "run"),
    *("json", "boards", "formats", "words", "choosing", "showing", "page"),
)
"""The scripts, each after those that it calls."""

SENTENCES = (
    "canonical names",
    "any trainer",
    "the source",
    "the target",
    "{side} only: {what}",
    "{left} in {source}, {right} in {target}",
    "{size} higher on reference batches",
    "{size} lower on reference batches",
    "{size} on reference batches",
    "no difference on reference batches",
    "same if {condition}",
    "the same number",
    "close: may share a plot",
    "unreviewed: compare the code before use",
    "biased: its own plot",
    "another metric: do not rename",
    "no counterpart",
    "not a key of the source",
    "{count} the same",
    "{count} close",
    "{count} unreviewed",
    "{count} biased",
    "{count} only with look-alikes",
    "{count} without counterpart",
    "{count} not of the source",
    "cause {number}",
    "{oldest} to {newest}",
    "{name} ({count} keys)",
    "1 key",
    "{count} keys",
    "New name",
    "Why",
    "shares a name with another key",
    "values × {scale}",
    "same name",
    "stays",
    "1 minor difference",
    "{count} minor differences",
    "Set aside, because they would share one name with different values:",
    "Left out, because another key with equal values gets the name:",
    "The last row was cut off and is left out.",
    "Set aside, because the name means something else in the target:",
    "Not replaced here, because values convert; the command line writes the conversion:",
    "These become one name; a log keeps one where their values are equal, else all are set aside:",
    "This text cannot be translated: {error}",
    "line {line} has {count} cells, but the header has {wanted}",
    "{name} is no text. The command line reads it: {command}",
    "No described release logs any of these keys. Choose where they come from.",
    "{count} more fit.",
    "Ambiguous: of {count} keys these explain the most. Choose one.",
    "Taken to be {name}: it logs {explained} of {count} keys.",
    "Releases from {oldest} on explain them alike.",
    "The target is its {program}: a run has one trainer.",
    "Copied.",
    "Saved.",
)
"""The sentences of the scripts."""


def translator_page(site: Site) -> Iterator[Page | Asset]:
    """Yield the page and its data; each language has them for itself, since it is a site that stands alone."""
    data, texts = _data(site.tables), site.texts
    files = {**data.files, **dict(_words(data, texts))}
    words = {english: found for english in SENTENCES if (found := texts.plain(english)) != english}
    body = render(
        "translator.html.j2",
        PAGE,
        texts,
        language=texts.language,
        folder=FOLDER,
        version=version_of(files),
        assets=_ASSETS,
        modules=_MODULES,
        examples=_examples(site),
        texts_json=_script_json(words),
    )
    title = texts.plain("Translate names")
    description = texts.plain("What the keys of a log are called in another release or framework, in the browser.")
    yield Page(PAGE, title, description, body)
    yield from (Asset(f"{FOLDER}/{name}", text) for name, text in files.items())


def _examples(site: Site) -> list[tuple[str, str, str, str]]:
    """Return what to try: what the button says, source, target and text."""
    named = (site.spec.frameworks[name].framework for name in site.tables.named)
    return [(item.title, item.from_, item.to, item.text) for framework in named for item in framework.examples]


@lru_cache(maxsize=1)
def _data(tables: Tables) -> Data:
    """Return the data, made once for all languages."""
    return made(tables)


def _words(data: Data, texts: Texts) -> Iterator[tuple[str, str]]:
    """Yield beside each file with sentences one with those of another language, since a visitor needs few of them."""
    if texts.language != "en":
        for name, sentences in data.sentences.items():
            said = {english: found for english in sorted(sentences) if (found := texts.known(english)) is not None}
            yield f"{name}.words.js", script(f"{name}.words", said)


def _script_json(data: object) -> Markup:
    """Return JSON that may stand in a script element."""
    return Markup(json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"))
