"""Pages of releases, migrations and trainers as pages: well-formed, small, linked, and in any language."""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace

import pytest
from moved_pages import MAKERS, Node, pages, parsed, site, tree
from rlmetrics.codegen.site.lists import spelled
from rlmetrics.codegen.site.page_links import key_page, metric_page
from rlmetrics.codegen.site.texts import Texts

pytestmark = pytest.mark.xdist_group("moves")

MOST = 54_000
KINDS = [*MAKERS]
_WORDS = re.compile(r"\b[a-z]{2,}(?: [a-z]{2,}){2,}\b")


class Echo(dict[str, str]):
    """A catalog that has a translation of everything: the text itself in brackets, so that the rest stands out."""

    def get(self, key: str, default: object = None) -> str:  # type: ignore[override]
        """Return the text in brackets."""
        return f"⟦{key}⟧"


@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_small(kind: str) -> None:
    """No page has more than 54 kB."""
    sizes = {path: len(page.body.encode()) for path, page in pages(kind).items()}
    assert max(sizes.values()) <= MOST, max(sizes, key=sizes.__getitem__)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_are_well_formed(kind: str) -> None:
    """Every element is closed, in order; every page has one heading, and ids are unique."""
    for path in pages(kind):
        page = tree(kind, path)
        assert len(page.all("h1")) == 1, path
        ids = [node.attributes["id"] for node in page.walk() if "id" in node.attributes]
        assert len(ids) == len(set(ids)), path


@pytest.mark.parametrize("kind", KINDS)
def test_links_lead_somewhere(kind: str) -> None:
    """A link leads to a page of these kinds, to that of a metric or key, to a line of source, or to a cause."""
    known = {path for each in KINDS for path in pages(each)}
    known |= {"translate"}
    known |= {metric_page(metric) for metric in site().tables.metrics}
    for framework in ("trl", "verl", "openrlhf", "areal", "skyrl"):
        known |= {key_page(framework, key) for key in spelled(site().tables, framework)}
    for path in pages(kind):
        page = tree(kind, path)
        ids = {node.attributes["id"] for node in page.walk() if "id" in node.attributes}
        for link in page.all("a"):
            target = link.attributes["href"]
            if target.startswith("#"):
                assert target[1:] in ids, f"{path}: {target}"
            elif not target.startswith("https://github.com/"):
                place, _, within = target.partition("#")
                to = posixpath.normpath(posixpath.join("/", path, place))[1:]
                assert to in known, f"{path}: {target}"
                assert not within or within in _ids(to), f"{path}: {target}"


def _ids(path: str) -> set[str]:
    """Return the places on one of these pages."""
    kind = next(kind for kind in KINDS if path in pages(kind))
    return {node.attributes["id"] for node in tree(kind, path).walk() if "id" in node.attributes}


@pytest.mark.parametrize("kind", KINDS)
def test_every_sentence_can_be_translated(kind: str) -> None:
    """What is not a name, a key or a value comes through the catalog of the language."""
    texts = Texts("xx", Echo(any="any"))
    made = list(MAKERS[kind](replace(site(), texts=texts)))
    for page in made[:: max(1, len(made) // 12)]:
        for text in _own(parsed(page.body)):
            rest = re.sub(r"⟦[^⟦⟧]*⟧", "", text)
            while "⟦" in rest and rest != (rest := re.sub(r"⟦[^⟦⟧]*⟧", "", rest)):
                pass
            assert not _WORDS.search(rest), f"{page.path}: {rest}"


def _own(page: Node) -> list[str]:
    """Return the text of a page's blocks, without names and values."""
    blocks = ("p", "li", "th", "td", "h1", "h2", "h3", "summary", "b")
    return [_prose(node) for node in page.walk() if node.tag in blocks]


def _prose(node: Node) -> str:
    parts = [
        child if isinstance(child, str) else "" if child.tag in ("code", "pre", "a") else _prose(child)
        for child in node.children
    ]
    return "".join(parts)
