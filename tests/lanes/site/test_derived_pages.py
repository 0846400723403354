"""Pages of frameworks on top of another one say what differs, as ``map`` does, and lead to the base for the rest."""

from __future__ import annotations

import re
from posixpath import normpath

import pytest
from moved_pages import codes, pages, tree
from rlmetrics.names import load_tables, map_names

pytestmark = pytest.mark.xdist_group("moves")


def _starred(key: str) -> str:
    """Return a key as lists have it, with a star for each placeholder."""
    return re.sub(r"\{\w+\}", "*", key)


def _each(text: str) -> list[str]:
    """Return the keys that are told together: `a/{b,c}` are two."""
    found = re.search(r"\{([^{}]*,[^{}]*)\}", text)
    if found is None:
        return [_starred(text)]
    return [key for part in found[1].split(",") for key in _each(text[: found.start()] + part + text[found.end() :])]


def test_each_of_them_has_a_page() -> None:
    """And none has pages of keys or releases, which would say again what the base's say."""
    derived = load_tables().derived
    assert set(pages("derived")) == set(derived)
    others = {path for kind in ("release", "trainer") for path in pages(kind)}
    assert not [path for path in others if set(path.split("/")) & set(derived)]


@pytest.mark.parametrize("framework", sorted(load_tables().derived))
def test_a_page_tells_what_differs_for_each_trainer(framework: str) -> None:
    """Keys are those of ``map`` to the base's trainer in the release under the newest one; links lead somewhere."""
    tables = load_tables()
    page = tree("derived", framework)
    base = tables.framework(str(tables.derived[framework]["base"]))
    table = tables.framework(framework)
    headings = [node.text for node in page.all("h2")]
    assert set(headings) == {name for name, *_ in table.components}
    told = {key for node in page.all("p", "rlm-kept") for text in codes(node) for key in _each(text)}
    for task, name in table.tasks.items():
        other = base.tasks[task]
        assert table.base is not None
        newest = table.releases.names[-1]
        to = f"{base.name}[{other}]=={table.base[1][newest]}"
        rows = map_names(f"{framework}[{name}]=={newest}", to).rows
        apart = {row.from_ for row in rows if row.mode == "train" and row.severity not in ("same", "close")}
        assert {_starred(key) for key in apart} <= told
        path = f"migrate/{framework}-{name}/{base.name}-{other}"
        assert f"--to '{to}'" in tree("migration", path).all("pre")[-1].text
        for start in (path, framework):
            links = [
                node.attributes["href"]
                for node in tree("derived" if start == framework else "migration", start).all("a")
            ]
            made = {target for kind in ("release", "derived", "migration", "trainer") for target in pages(kind)}
            led = {normpath(f"{start}/{link.partition('#')[0]}") for link in links}
            assert {one for one in led if one.split("/")[0] in ("trainer", "migrate", *tables.named)} <= made
