"""The pages of the site, made once for all tests that look at them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from rlmetrics.codegen.generate.functions import resolve
from rlmetrics.codegen.lint import Context
from rlmetrics.codegen.loader import read
from rlmetrics.codegen.site import key, metric_page
from rlmetrics.codegen.site.page import Page
from rlmetrics.codegen.site.site import Site
from rlmetrics.names import load_tables

PROJECT = Path(__file__).parents[1]

_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"})
_DATA = re.compile(
    r'<div class="rlm-strip" data-framework="(\w+)">\n<script type="application/json">(.*?)</script>', re.S
)


@cache
def the_site() -> Site:
    """Return what the pages are made from."""
    spec, _ = read(PROJECT / "spec")
    assert spec is not None
    functions, _ = resolve(spec, Context(spec).programs)
    return Site(spec, functions, load_tables())


@cache
def pages() -> dict[str, Page]:
    """Return the pages of metrics and keys by address."""
    made = [*metric_page.make(the_site()), *key.make(the_site())]
    return {page.path: page for page in made if isinstance(page, Page)}


def strips(page: Page) -> dict[str, dict[str, Any]]:
    """Return what the script of each strip of a page reads, by framework."""
    return {framework: json.loads(data.replace("<\\/", "</")) for framework, data in _DATA.findall(page.body)}


@dataclass
class Outline:
    """What a page consists of, as far as tests ask.

    Attributes:
        ids: Every id, in order.
        links: Every address that a link, an image or a script names.
        text: The text, without that of scripts.
        wrong: What is not well-formed.
    """

    ids: list[str]
    links: list[str]
    text: str
    wrong: list[str]


def outline(html: str) -> Outline:
    """Read HTML and find what is wrong with its nesting."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.wrong += [f"<{tag}> is never closed" for tag in reader.open]
    return Outline(reader.ids, reader.links, " ".join("".join(reader.texts).split()), reader.wrong)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an element that begins."""
        if tag == "p" and "p" in self.open:
            self.wrong.append("a paragraph within a paragraph")
        if tag in ("ul", "div", "table", "h2", "details") and "p" in self.open:
            self.wrong.append(f"<{tag}> within a paragraph")
        names = [name for name, _ in attrs]
        self.wrong += [f"{name} twice on <{tag}>" for name in set(names) if names.count(name) > 1]
        found = dict(attrs)
        self.ids += [str(found["id"])] if "id" in found else []
        self.links += [str(found[name]) for name in ("href", "src") if name in found]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Compare an element's end with what is open."""
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> closes {self.open[-1:]}")
            if tag in self.open:
                while self.open.pop() != tag:
                    pass
        else:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        """Remember text."""
        if "script" not in self.open:
            self.texts.append(data)
