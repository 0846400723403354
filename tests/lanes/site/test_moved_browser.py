"""Pages of releases, migrations and trainers in a real browser: on a phone, and with their filters."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from moved_pages import MAKERS, ROOT, pages
from playwright.sync_api import Browser, Page, ViewportSize

pytestmark = pytest.mark.xdist_group("moves")

_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    "<title>{title}</title>{styles}</head>"
    '<body class="md-typeset" data-md-color-scheme="default"><main>'
)
_STYLES = ("rlmetrics.css", "pages.css")
_PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every page and what it loads."""
    found = tmp_path_factory.mktemp("moved")
    shutil.copytree(ROOT / "docs" / "assets", found / "assets")
    styles = "".join(f'<link rel="stylesheet" href="{(found / "assets" / name).as_uri()}">' for name in _STYLES)
    script = f'<script src="{(found / "assets" / "filter.js").as_uri()}"></script>'
    for kind in MAKERS:
        for page in pages(kind).values():
            place = found / page.path / "index.html"
            place.parent.mkdir(parents=True, exist_ok=True)
            _, _, body = page.markdown("spec").split("---\n", 2)
            head = _HEAD.format(title=page.title, styles=styles)
            place.write_text(f"{head}{body}</main>{script}</body></html>", encoding="utf-8")
    return found


def opened(chromium_browser: Browser, folder: Path, path: str) -> Page:
    """Open a page on a phone."""
    page = chromium_browser.new_page(viewport=_PHONE)
    page.goto((folder / path / "index.html").as_uri())
    return page


def biggest(kind: str, count: int) -> list[str]:
    """Return the addresses of the longest pages of a kind."""
    found = pages(kind)
    return sorted(found, key=lambda path: -len(found[path].body))[:count]


@pytest.mark.parametrize("kind", [*MAKERS])
def test_nothing_scrolls_sideways_on_a_phone(kind: str, chromium_browser: Browser, folder: Path) -> None:
    """The longest pages fit 390 pixels and 50 screens, with everything unfolded, and log no errors."""
    for path in biggest(kind, 14):
        page = chromium_browser.new_page(viewport=_PHONE)
        errors: list[str] = []
        page.on("pageerror", lambda error, found=errors: found.append(str(error)))
        page.on("console", lambda line, found=errors: found.append(line.text) if line.type == "error" else None)
        page.goto((folder / path / "index.html").as_uri())
        assert page.evaluate("document.documentElement.scrollHeight") < 50 * _PHONE["height"], path
        page.evaluate("document.querySelectorAll('details').forEach((item) => { item.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= _PHONE["width"], path
        assert errors == []
        page.close()


def test_a_matrix_is_filtered_by_text_and_by_what_changed(chromium_browser: Browser, folder: Path) -> None:
    """Words leave the keys that hold them; "changed only" leaves those whose meaning or presence changed."""
    page = opened(chromium_browser, folder, "trainer/trl/PPOTrainer")
    rows = page.locator(".rlm-matrix tbody tr:visible th:first-child")
    everything = rows.count()
    page.get_by_role("searchbox").fill("ENTROPY")
    assert all("entropy" in text for text in rows.all_inner_texts())
    assert 0 < rows.count() < everything
    page.get_by_role("searchbox").fill("no such key")
    assert rows.count() == 0
    assert page.get_by_text("No key matches.").is_visible()
    page.get_by_role("searchbox").fill("")
    page.get_by_label("changed only").check()
    changed = rows.count()
    page.get_by_label("changed only").uncheck()
    assert 0 < changed <= everything == rows.count()


def test_a_migration_is_filtered_by_severity_and_text(chromium_browser: Browser, folder: Path) -> None:
    """A button leaves one severity and unfolds it; words search all of them, folded ones too."""
    page = opened(chromium_browser, folder, "migrate/trl/PPOTrainer/0.11.4-0.12.0")
    page.locator("button[data-show=none]").click()
    assert page.locator(".rlm-group:visible").count() == 1
    assert page.get_by_text("objective/ref_logprobs", exact=True).is_visible()
    page.locator("button[data-show=none]").click()
    assert page.locator(".rlm-group:visible").count() == 5
    page.get_by_role("searchbox").fill("approxkl")
    assert page.locator(".rlm-migrate tbody tr:visible td:first-child").all_inner_texts() == [
        "ppo/policy/policykl",
        "ppo/policy/approxkl",
    ]


def test_a_page_reads_without_scripts(chromium_browser: Browser, folder: Path) -> None:
    """Without JavaScript every row stands there, and no dead filter is shown."""
    context = chromium_browser.new_context(java_script_enabled=False, viewport=_PHONE)
    page = context.new_page()
    page.goto((folder / "trainer/trl/PPOTrainer/index.html").as_uri())
    assert not page.locator(".rlm-filter").is_visible()
    assert page.locator(".rlm-matrix tbody tr").first.is_visible()
    context.close()
