"""Every page of the built site: its weight, its links, and how it stands on a phone."""

from __future__ import annotations

import gzip
import html
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from built_site import address_of, pages_of
from playwright.sync_api import Browser

KILOBYTES = 150
"""What a page may weigh, compressed, with the data that it loads by itself."""
CONTENT = 65
"""What the spec's own part of a page may weigh, uncompressed; that of `loss`, which most trainers log, has most."""
SCREENS = 62
WIDTH, HEIGHT = 390, 844
PARTS = 20
"""In how many tests all pages are opened: these run side by side, and a browser grows with each page that it opens."""
SHIFT = 0.1
"""A cumulative layout shift above this is felt, as browsers' makers count it."""

_LINK = re.compile(r"""<(?:a|link|script|img|source|iframe)\b[^>]*?\s(?:href|src)=(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
_ANCHOR = re.compile(r"""\s(?:id|name)=(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
_PICTURE = re.compile(r"<img\b[^>]*>")
_ATTRIBUTE = re.compile(r'\b(src|width|height)="([^"]*)"')
_BOX = re.compile(r'viewBox="0 0 (\d+) (\d+)"')
_CONTENT = re.compile(r'<div class="rlm">.*', re.DOTALL)

READ = pytest.mark.xdist_group("texts")
"""Tests that read every page, which one process then does."""


@pytest.fixture(scope="module")
def texts(site: Path) -> dict[Path, str]:
    """Every page, read once."""
    return {page: page.read_text(encoding="utf-8") for page in pages_of(site)}


@READ
def test_there_are_pages_of_both_languages(texts: dict[Path, str], site: Path) -> None:
    """What follows looks at the whole site."""
    chinese = [page for page in texts if page.is_relative_to(site / "zh")]
    assert min(len(chinese), len(texts) - len(chinese)) > 1600


@READ
def test_no_page_is_heavy(texts: dict[Path, str], site: Path) -> None:
    """Compressed, each is far from what a slow line feels; only the theme's files come beside it."""
    sizes = {address_of(page, site): len(gzip.compress(text.encode(), 6)) for page, text in texts.items()}
    assert {page: size for page, size in sizes.items() if size > KILOBYTES * 1000} == {}


@READ
def test_the_content_of_generated_pages_is_small(texts: dict[Path, str], site: Path) -> None:
    """Of metrics and keys, without the theme around it."""
    sizes = {}
    for page, text in texts.items():
        address = address_of(page, site)
        if re.match(r"(zh/)?[mk]/\w+/", address):
            found = _CONTENT.search(text)
            assert found is not None, address
            sizes[address] = len(found[0].partition("</article>")[0].encode())
    assert len(sizes) > 3000
    assert {page: size for page, size in sizes.items() if size > CONTENT * 1024} == {}


@READ
def test_no_link_and_no_anchor_is_dead(texts: dict[Path, str], site: Path) -> None:
    """Every address within the site is a file, and every place named on a page is there."""
    places = {page: _places(text) for page, text in texts.items()}
    known = {page.relative_to(site).as_posix() for page in site.rglob("*") if page.is_file()}
    dead: dict[str, str] = {}
    for page, text in texts.items():
        base = page.relative_to(site).parent
        # Scripts hold HTML in strings of JSON, whose quotes have a stroke before them.
        text = text.replace('\\"', '"')
        for address in {html.unescape(next(filter(None, found), "")) for found in _LINK.findall(text)}:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = _file(base, unquote(parts.path), page.name if not parts.path else "")
            if target not in known:
                dead.setdefault(f"{address} of {base}", "no such page")
                continue
            place = unquote(parts.fragment)
            if place and target.endswith(".html") and not _is_state(place) and place not in places[site / target]:
                dead.setdefault(f"{address} of {base}", "no such anchor")
    assert dict(list(dead.items())[:40]) == {}


@READ
def test_every_picture_says_its_size(texts: dict[Path, str], site: Path) -> None:
    """The browser keeps its place before it has come, in the right shape: nothing below it moves."""
    unsaid: dict[str, str] = {}
    pictures = 0
    for page, text in texts.items():
        for tag in _PICTURE.findall(text):
            said = dict(_ATTRIBUTE.findall(tag))
            drawn = _BOX.search((page.parent / said["src"]).read_text(encoding="utf-8"))
            pictures += 1
            if drawn is None or drawn.groups() != (said.get("width"), said.get("height")):
                unsaid[address_of(page, site)] = tag
    assert pictures >= 2
    assert unsaid == {}


def _places(text: str) -> set[str]:
    return {html.unescape(next(filter(None, found), "")) for found in _ANCHOR.findall(text)} | {"__skip", ""}


def _is_state(fragment: str) -> bool:
    """Whether a fragment says what a page is to show, and no place on it."""
    return re.match(r"(at|from|to|keys)=", fragment) is not None


def _file(base: Path, path: str, own: str) -> str:
    """Return the file that an address leads to, relative to the root of the site."""
    if own:
        return (base / own).as_posix()
    parts: list[str] = [] if path.startswith("/") else [*base.parts]
    for part in path.split("/"):
        if part == "..":
            if parts:
                parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    last = path.rpartition("/")[2]
    is_file = "." in last and last not in (".", "..")
    return "/".join(parts if is_file else [*parts, "index.html"])


@pytest.mark.parametrize("part", range(PARTS))
def test_every_page_fits_a_phone(undrawn: Browser, site: Path, served: str, part: int) -> None:
    """No page scrolls sideways, is longer than sixty-two screens, or has an error on the console."""
    context = undrawn.new_context(viewport={"width": WIDTH, "height": HEIGHT})
    page = context.new_page()
    said: list[str] = []
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    faults: dict[str, str] = {}
    for file in pages_of(site)[part::PARTS]:
        address = address_of(file, site)
        said.clear()
        page.goto(f"{served}/{address}", wait_until="load")
        width, height = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        if width > WIDTH:
            said.append(f"{width} pixels wide")
        if height > SCREENS * HEIGHT:
            said.append(f"{height / HEIGHT:.0f} screens long")
        if said:
            faults[address] = "; ".join(said)
    context.close()
    assert dict(list(faults.items())[:40]) == {}


# Layout shift as the browser counts it, from before anything is drawn until after everything has come.
_WATCH = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) if (!one.hadRecentInput) window.shifted += one.value;
  }).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize(("width", "height"), [(WIDTH, HEIGHT), (1280, 900)])
def test_nothing_jumps_while_a_page_comes(
    chromium_browser: Browser, site: Path, served: str, width: int, height: int
) -> None:
    """Of every kind of page the longest and some others in both languages: no shift of the first view."""
    shifts: dict[str, Any] = {}
    context = chromium_browser.new_context(viewport={"width": width, "height": height})
    context.add_init_script(_WATCH)
    page = context.new_page()
    for address in _of_every_kind(site):
        page.goto(f"{served}/{address}", wait_until="load")
        page.wait_for_timeout(150)
        shifts[address] = page.evaluate("window.shifted")
    context.close()
    assert len(shifts) > 40
    assert {address: shift for address, shift in shifts.items() if shift > SHIFT} == {}


def _of_every_kind(site: Path) -> list[str]:
    """Return the addresses of some pages of each kind, the longest among them."""
    kinds: dict[str, list[Path]] = {}
    for page in pages_of(site):
        parts = address_of(page, site).split("/")
        kinds.setdefault("/".join(parts[: 2 if parts[0] in ("zh", "k") else 1]), []).append(page)
    found: list[str] = []
    for pages in kinds.values():
        longest = max(pages, key=lambda page: page.stat().st_size)
        every = max(1, len(pages) // 3)
        found += dict.fromkeys(address_of(page, site) for page in (longest, *pages[::every][:3]))
    return found
