"""Questions asked on the home page: typed and answered on the first screen, within ten seconds."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from folders import FIXTURES
from playwright.sync_api import Page

QUESTIONS: list[dict[str, Any]] = yaml.safe_load((FIXTURES / "site_questions.yaml").read_text(encoding="utf-8"))
SECONDS = 10
READING = 5.0
"""What of these is left for reading a screen; typing is a third of the rest."""
LETTER = 0.08
"""Seconds that a letter takes who types 150 letters a minute less than a typist."""
TRIES = 3
"""A busy machine takes long now and then, a slow page each time."""
WAYS = [(language, way) for language in ("en", "zh") for way in ("keyboard", "mouse")]

# What is seen without scrolling: every text whose place is within the window, and that nothing hides.
_SCREEN = """() => {
  const texts = [], walker = document.createTreeWalker(document.querySelector("article"), NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect(), holder = node.parentElement;
    if (!box.width || box.top >= innerHeight || box.bottom <= 0 || holder.closest("script, style")) continue;
    if (getComputedStyle(holder).visibility !== "hidden") texts.push(node.textContent);
  }
  return texts.join(" ").replace(/\\s+/g, " ");
}"""


def test_there_are_forty_questions() -> None:
    """Each with what is typed in both languages, the page that answers and what must stand there."""
    assert len(QUESTIONS) >= 40
    assert all(question["ask"].keys() == {"en", "zh"} for question in QUESTIONS)
    assert len({question["ask"]["en"] for question in QUESTIONS}) == len(QUESTIONS)


@pytest.mark.parametrize(("language", "way"), WAYS, ids=[f"{language}-{way}" for language, way in WAYS])
def test_the_first_screen_answers(opened: Callable[..., Page], served: str, language: str, way: str) -> None:
    """From the home page with one line and one key, or two clicks; the page that opens says it without scrolling."""
    faults: dict[str, str] = {}
    page = opened(f"{served}/{'' if language == 'en' else 'zh/'}", 1280, 900)
    home = page.url
    for question in QUESTIONS:
        asked = question["ask"][language]
        fault, spent = None, 0.0
        for _ in range(TRIES):
            page.goto(home)
            began = time.monotonic()
            fault = _ask(page, asked, way) or _answered(page, question, language)
            spent = time.monotonic() - began
            if spent <= SECONDS - READING - LETTER * len(asked):
                break
        else:
            fault = fault or f"it took {spent:.1f} seconds"
        if fault is not None:
            faults[asked] = fault
    assert faults == {}


def _ask(page: Page, asked: str, way: str) -> str | None:
    """Ask by the keyboard alone, or with the mouse; return what went wrong."""
    home = page.url
    if way == "keyboard":
        page.keyboard.press("/")
        page.keyboard.insert_text(asked)
        page.wait_for_function("document.querySelector('[role=listbox]:not([hidden])')")
        if not page.get_by_role("option").count():
            return "nothing was found"
        page.keyboard.press("Enter")
    else:
        page.locator(".rlm-ask input").click()
        page.keyboard.insert_text(asked)
        page.wait_for_function("document.querySelector('[role=listbox]:not([hidden])')")
        if not page.get_by_role("option").count():
            return "nothing was found"
        page.get_by_role("option").first.click()
    page.wait_for_url(lambda address: address != home, wait_until="load")
    return None


def _answered(page: Page, question: dict[str, Any], language: str) -> str | None:
    """Return what is wrong with the page that opened."""
    address = re.sub(r"^https?://[^/]+/(zh/)?", "", page.url).partition("#")[0]
    if re.match(question["page"], address) is None:
        return f"it led to {address}"
    screen = page.evaluate(_SCREEN)
    facts = question.get("zh", question["shows"]) if language == "zh" else question["shows"]
    lacking = [fact for fact in facts if not any(re.search(one, screen, re.IGNORECASE) for one in fact)]
    return f"{address} lacks {lacking} in: {screen[:300]}" if lacking else None
