"""The site built by Zensical, which reads the same configuration as MkDocs."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from built_site import ROOT

pytest.importorskip("zensical", reason="Zensical needs Python 3.11")

pytestmark = pytest.mark.xdist_group("zensical")

PAGES = (
    "",
    "concepts",
    "sick",
    "translate",
    "verified",
    "m/kl/old/k2",
    "m/value/loss",
    "k/trl/kl",
    "k/verl/actor/ppo_kl",
)
"""Guides and generated pages of several kinds."""


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Build some pages with the project's own settings, but for hooks, plugins and navigation; return the sites."""
    folder = tmp_path_factory.mktemp("both")
    docs = folder / "docs"
    for name in ("assets", "theme", "pictures"):
        shutil.copytree(ROOT / "docs" / name, docs / name)
    for page in PAGES:
        file = docs / f"{page or 'index'}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "docs" / file.relative_to(docs), file)
    settings = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    for name in ("nav", "hooks", "plugins", "not_in_nav"):
        settings.pop(name)
    sites = {}
    for program in ("mkdocs", "zensical"):
        sites[program] = folder / program
        own = {**settings, "plugins": [], "strict": False, "site_dir": str(sites[program])}
        (folder / f"{program}.yml").write_text(yaml.safe_dump(own, allow_unicode=True), encoding="utf-8")
        command = [sys.executable, "-m", program, "build", "-f", f"{program}.yml"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return sites


def content(site: Path, page: str) -> str:
    """Return what a page says."""
    text = (site / page / "index.html").read_text(encoding="utf-8")
    found = re.search(r"<article.*?</article>", text, re.DOTALL)
    assert found is not None
    words = re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style).*?</\1>", "", found[0], flags=re.DOTALL))
    return " ".join(html.unescape(words).split())


@pytest.mark.parametrize("page", PAGES)
def test_both_say_the_same(both: dict[str, Path], page: str) -> None:
    """The text of a page does not depend on what builds it."""
    told = content(both["mkdocs"], page)
    assert len(told) > 200
    assert told == content(both["zensical"], page)


@pytest.mark.parametrize("page", PAGES)
def test_both_have_the_box_of_the_search(both: dict[str, Path], page: str) -> None:
    """The overrides of the theme work in both, with the way to the root of the site, and on the home page twice."""
    for site in both.values():
        text = (site / page / "index.html").read_text(encoding="utf-8")
        assert (1 if page else 2) == text.count('class="rlm-find__input"')
        base = "/".join([".."] * len(page.split("/"))) if page else "."
        assert f'data-base="{base}"' in text


def test_neither_shows_the_theme_as_a_page(both: dict[str, Path]) -> None:
    """Overrides are no part of the documentation."""
    assert [site for site in both.values() if (site / "theme").exists()] == []
