"""The pages of releases, migrations and trainers, made once, and what tests read off them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path

from rlmetrics.codegen.loader import read
from rlmetrics.codegen.site.derived_page import derived_pages
from rlmetrics.codegen.site.migration import migration_pages
from rlmetrics.codegen.site.page import Page
from rlmetrics.codegen.site.release_pages import release_pages
from rlmetrics.codegen.site.site import Site
from rlmetrics.codegen.site.texts import ENGLISH, Texts
from rlmetrics.codegen.site.trainer import trainer_pages
from rlmetrics.names import load_tables

ROOT = Path(__file__).parent.parent
MAKERS = {
    "release": release_pages,
    "derived": derived_pages,
    "migration": migration_pages,
    "trainer": trainer_pages,
}
VOID = {"br", "hr", "img", "input", "meta", "link", "wbr"}
OPTIONAL = {"tr", "td", "th", "thead", "tbody", "li"}
"""Elements that the next one of their kind, or the end of what holds them, closes."""


class Node:
    """An element of a page."""

    def __init__(self, tag: str, attributes: dict[str, str], parent: Node | None) -> None:
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.children: list[Node | str] = []

    def has(self, name: str) -> bool:
        """Whether it has a class."""
        return name in self.attributes.get("class", "").split()

    def all(self, tag: str, name: str = "") -> list[Node]:
        """Return the elements below it, by tag and class."""
        return [node for node in self.walk() if node.tag == tag and (not name or node.has(name))]

    def walk(self) -> Iterator[Node]:
        """Yield every element below it."""
        for child in self.children:
            if isinstance(child, Node):
                yield child
                yield from child.walk()

    @property
    def text(self) -> str:
        """All that is written in it."""
        return "".join(child if isinstance(child, str) else child.text for child in self.children)


class Reader(HTMLParser):
    """Reads HTML strictly: whatever is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Node("root", {}, None)
        self.at = self.root

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open an element."""
        if tag in ("td", "th"):
            self.leave(("td", "th"), "table")
        elif tag == "tr":
            self.leave(("tr",), "table")
        elif tag in ("tbody", "thead"):
            self.leave(("tbody", "thead"), "table")
        node = Node(tag, {name: value or "" for name, value in attrs}, self.at)
        self.at.children.append(node)
        if tag not in VOID:
            self.at = node

    def leave(self, tags: tuple[str, ...], within: str) -> None:
        """Close what an element of the same kind ends."""
        node: Node | None = self.at
        while node is not None and node.tag != within:
            if node.tag in tags:
                assert self.at.tag in OPTIONAL, f"<{self.at.tag}> is not closed"
                self.at = node.parent or self.root
                return
            node = node.parent

    def handle_endtag(self, tag: str) -> None:
        """Close an element."""
        while self.at.tag != tag and self.at.tag in OPTIONAL:
            self.at = self.at.parent or self.root
        assert self.at.tag == tag, f"</{tag}> ends <{self.at.tag}>"
        self.at = self.at.parent or self.root

    def handle_data(self, data: str) -> None:
        """Take in text."""
        self.at.children.append(data)


def parsed(html: str) -> Node:
    """Return a page's elements; what is not well-formed fails."""
    reader = Reader()
    reader.feed(html)
    reader.close()
    while reader.at.tag in OPTIONAL:
        reader.at = reader.at.parent or reader.root
    assert reader.at is reader.root, f"<{reader.at.tag}> is not closed"
    return reader.root


@lru_cache(maxsize=1)
def site(texts: Texts = ENGLISH) -> Site:
    """Return what pages are made from."""
    spec, _ = read(ROOT / "spec")
    assert spec is not None
    return Site(spec, {}, load_tables(), texts)


@lru_cache(maxsize=4)
def pages(kind: str) -> dict[str, Page]:
    """Return the pages of a kind by their address."""
    return {page.path: page for page in MAKERS[kind](site())}


@lru_cache(maxsize=512)
def tree(kind: str, path: str) -> Node:
    """Return a page's elements."""
    return parsed(pages(kind)[path].body)


def names(node: Node) -> list[str]:
    """Return comma-separated names, those on demand included."""
    text = re.sub(r"^\d+ (trainers|parts)(?=\S)", "", node.text.strip())
    return [name.strip() for name in text.split(",") if name.strip()]


def codes(node: Node) -> list[str]:
    """Return what is shown as code."""
    return [child.text for child in node.all("code")]
