"""What everybody needs who does not see as most do, or has no mouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser

PLACES = ("", "m/kl/old/k2/", "k/trl/objective/entropy/", "trl/0.12.0/", "sick/", "translate/", "zh/concepts/")

# Fields that take the focus though nothing of them is seen; the theme's drawers are opened by their labels.
UNSEEN = """() => [...document.querySelectorAll("input, select, textarea, button")].filter((one) =>
  one.getClientRects().length && !one.offsetWidth && !one.matches(".md-toggle")).map((one) => one.outerHTML)"""

# Links between words of a paragraph that only their colour tells from these words.
PLAIN = """() => [...document.querySelectorAll("article p > a:not([class])")].filter((link) => {
  const beside = [link.previousSibling, link.nextSibling].some((one) => one && /\\w{3}/.test(one.nodeValue || ""));
  const shown = link.getClientRects().length && !link.closest(".rlm-around");
  return beside && shown && getComputedStyle(link).textDecorationLine === "none";
}).map((link) => link.outerHTML)"""


@pytest.mark.parametrize("place", PLACES)
def test_what_takes_the_focus_is_seen(opened: Callable[..., Page], served: str, place: str) -> None:
    """The tabulator never leads to nothing."""
    assert [] == opened(f"{served}/{place}").evaluate(UNSEEN)


@pytest.mark.parametrize("place", PLACES)
def test_a_link_in_a_sentence_is_underlined(opened: Callable[..., Page], served: str, place: str) -> None:
    """Its colour alone does not tell it from the words around it."""
    assert [] == opened(f"{served}/{place}").evaluate(PLAIN)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_small_keeps_its_contrast(opened: Callable[..., Page], served: str, scheme: str) -> None:
    """The theme makes small text fainter, which is not read by everybody."""
    page = opened(f"{served}/trainer/trl/GRPOTrainer/")
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    faint = "[...document.querySelectorAll('.rlm small')].filter((one) => getComputedStyle(one).opacity !== '1').length"
    assert 0 == page.evaluate(faint)
