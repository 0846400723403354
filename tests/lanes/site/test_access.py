"""What everybody needs who does not see as most do, or has no mouse."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

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


# How far small text stands out from the ground it is drawn on, by WCAG's relative luminance.
CONTRASTS = """() => {
  const numbers = (color) => (color.match(/[\\d.]+/g) || []).map(Number);
  const chain = (one) => (one ? [one, ...chain(one.parentElement)] : []);
  const light = (rgb) => rgb.map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const over = (top, share, ground) => top.map((part, at) => part * share + ground[at] * (1 - share));
  return [...document.querySelectorAll(".rlm small")].filter((one) => one.getClientRects().length).map((one) => {
    const around = chain(one);
    const ground = around.map((each) => numbers(getComputedStyle(each).backgroundColor))
      .filter((color) => color[3] !== 0).reverse()
      .reduce((below, [r, g, b, share = 1]) => over([r, g, b], share, below), [255, 255, 255]);
    const [r, g, b, share = 1] = numbers(getComputedStyle(one).color);
    const seen = around.reduce((product, each) => product * Number(getComputedStyle(each).opacity), share);
    const [dim, bright] = [light(over([r, g, b], seen, ground)), light(ground)].sort((a, b) => a - b);
    return (bright + 0.05) / (dim + 0.05);
  });
}"""


@pytest.mark.parametrize("place", PLACES)
def test_what_takes_the_focus_is_seen(opened: Callable[..., Page], served: str, place: str) -> None:
    """The tabulator never leads to nothing."""
    assert opened(f"{served}/{place}").evaluate(UNSEEN) == []


@pytest.mark.parametrize("place", PLACES)
def test_a_link_in_a_sentence_is_underlined(opened: Callable[..., Page], served: str, place: str) -> None:
    """Its colour alone does not tell it from the words around it."""
    assert opened(f"{served}/{place}").evaluate(PLAIN) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_small_keeps_its_contrast(opened: Callable[..., Page], served: str, scheme: str) -> None:
    """Small text stands out from its ground by 4.5 to 1, as WCAG asks, though the theme makes it fainter."""
    page = opened(f"{served}/trainer/trl/GRPOTrainer/")
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 10
    assert min(contrasts) >= 4.5
