"""The built site in the machine's Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from built_site import built, serving
from playwright.sync_api import Browser, Page


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
