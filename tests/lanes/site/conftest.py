"""The built site and the translator's page, in the machine's Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from built_site import FLAGS, built, serving
from playwright.sync_api import Browser, Page, Playwright, sync_playwright
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.names.tables.tables import Tables
from translator_site import written


@pytest.fixture(scope="session")
def tables() -> Tables:
    """The spec."""
    return load_tables()


@pytest.fixture(scope="session")
def translator_place(tmp_path_factory: pytest.TempPathFactory, tables: Tables) -> Path:
    """The page with all that it loads, in a folder."""
    return written(tmp_path_factory.mktemp("site"), tables)


@pytest.fixture(scope="session")
def chinese_translator_place(tmp_path_factory: pytest.TempPathFactory, tables: Tables) -> Path:
    """The same in Chinese."""
    return written(tmp_path_factory.mktemp("zh"), tables, "zh")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """What starts browsers."""
    with sync_playwright() as found:
        yield found


@pytest.fixture(scope="session")
def chromium_browser(playwright: Playwright) -> Iterator[Browser]:
    """The Chromium of this machine, started once: two would be in each other's way."""
    yield from _started(playwright)


@pytest.fixture(scope="session")
def undrawn(playwright: Playwright) -> Iterator[Browser]:
    """Another that lays pages out and runs their scripts, but draws none: for very many of them, in half the time."""
    yield from _started(playwright, "--disable-threaded-compositing")


def _started(playwright: Playwright, *flags: str) -> Iterator[Browser]:
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    found = playwright.chromium.launch(executable_path=program, args=[*FLAGS, *flags])
    yield found
    found.close()


@pytest.fixture
def translator(chromium_browser: Browser, translator_place: Path) -> Iterator[Page]:
    """The page, opened from its folder without any server; an error in its scripts fails the test."""
    yield from _opened(chromium_browser, translator_place)


@pytest.fixture
def chinese_translator(chromium_browser: Browser, chinese_translator_place: Path) -> Iterator[Page]:
    """The same in Chinese."""
    yield from _opened(chromium_browser, chinese_translator_place)


def _opened(browser: Browser, place: Path) -> Iterator[Page]:
    errors: list[str] = []
    opened = browser.new_page()
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    opened.goto(place.as_uri())
    opened.evaluate("window.rlmetricsTranslator.started")
    yield opened
    opened.close()
    assert errors == []


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the built site."""
    return built()


@pytest.fixture(scope="session")
def served(site: Path) -> Iterator[str]:
    """The address at which the built site is served."""
    with serving(site) as address:
        yield address


@pytest.fixture
def opened(chromium_browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages, each in a window of its own; an error in a page's scripts fails the test."""
    errors: list[str] = []
    contexts = []

    def open_page(address: str, width: int = 1280, height: int = 900) -> Page:
        context = chromium_browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
