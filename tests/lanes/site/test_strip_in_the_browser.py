"""The release strip in a browser: pointer, keyboard and buttons choose a release, and the panel tells of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from rlmetrics.codegen.site.strip import release_data
from site_pages import PROJECT, pages, the_site

pytestmark = pytest.mark.xdist_group("keys")

KEY, METRIC, CROWDED = "k/trl/policy/approxkl_avg", "m/entropy/policy", "k/trl/loss"
_HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width,initial-scale=1">'
    '<link rel="stylesheet" href="{root}assets/rlmetrics.css"></head><body class="md-typeset"><main><div class="rlm">'
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write some pages with what they load."""
    root = tmp_path_factory.mktemp("strips")
    shutil.copytree(PROJECT / "docs" / "assets", root / "assets")
    data = release_data(the_site().tables, the_site().texts)
    (root / data.path).parent.mkdir(exist_ok=True)
    (root / data.path).write_text(data.text, encoding="utf-8")
    for path in (KEY, METRIC, CROWDED):
        place = root / path / "index.html"
        place.parent.mkdir(parents=True)
        head = _HEAD.format(root="../" * (path.count("/") + 1))
        place.write_text(f"{head}{pages()[path].body}</div></main></body></html>", encoding="utf-8")
    return root


@pytest.fixture
def opened(chromium_browser: Browser, folder: Path) -> Iterator[Page]:
    """The page of a key, opened from its folder without any server; an error in its scripts fails the test."""
    with showing(chromium_browser, folder, KEY) as page:
        yield page


@contextmanager
def showing(chromium_browser: Browser, folder: Path, path: str, place: str = "", width: int = 1280) -> Iterator[Page]:
    """Open a page, and see that no script of it fails."""
    errors: list[str] = []
    page = chromium_browser.new_page(viewport={"width": width, "height": 900})
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(f"{(folder / path / 'index.html').as_uri()}{place}")
    yield page
    page.close()
    assert errors == []


def release(page: Page) -> str:
    """Return the release of which the panel tells."""
    return page.locator(".rlm-panel h3").inner_text().split()[1]


def test_strip_opens_at_the_newest_release_that_logs_the_key(opened: Page) -> None:
    """Before anything is chosen, the panel tells of the last release of the foremost trainer, with its line."""
    assert release(opened) == "1.12.0"
    panel = opened.locator(".rlm-panel")
    assert "PPOTrainer logs policy/approxkl_avg" in panel.inner_text()
    address = "https://github.com/huggingface/trl/blob/v1.12.0/trl/experimental/ppo/ppo_trainer.py#L858"
    assert address == panel.locator("a[href*='/blob/']").first.get_attribute("href")


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["ArrowLeft"], "1.11.0"),
        (["ArrowDown", "ArrowUp"], "1.12.0"),
        (["ArrowRight"], "1.13.0"),
        (["Home"], "0.0.1"),
        (["Home", "ArrowLeft"], "0.0.1"),
        (["End"], "1.16.0"),
        (["PageUp"], "1.13.0"),
        (["PageDown"], "0.22.0"),
        (["Home", "PageUp"], "0.9.2"),
        (["Home", "PageUp", "PageUp"], "0.12.0"),
    ],
)
def test_keys_move_the_cursor(opened: Page, keys: list[str], expected: str) -> None:
    """Arrows go a release on, Page Up and Page Down to the next change, Home and End to the ends."""
    opened.locator(".rlm-plot").focus()
    for key in keys:
        opened.keyboard.press(key)

    assert release(opened) == expected
    slider = opened.get_by_role("slider")
    assert str(slider.get_attribute("aria-valuetext")).startswith(f"{expected}:")
    assert opened.locator(".rlm-cursor b").inner_text() == expected
    assert opened.url.endswith(f"#at=trl-{expected}")


def test_pointer_buttons_and_list_choose_a_release(opened: Page) -> None:
    """A click in the plot, the buttons for changes and neighbours and the list lead to the same panel."""
    opened.locator("select").select_option(label="0.12.1")
    assert release(opened) == "0.12.1"
    opened.locator("[data-go='+']").click()
    assert release(opened) == "0.12.2"
    opened.locator("[data-go='c-']").click()
    assert release(opened) == "0.12.0"
    box = opened.locator(".rlm-over").bounding_box()
    assert box is not None
    opened.mouse.click(box["x"] + 1, box["y"] + 5)
    assert release(opened) == "0.0.1"
    assert "Not logged by PPOTrainer." in opened.locator(".rlm-panel").inner_text()


def test_pointing_shows_a_release_without_choosing_it(opened: Page) -> None:
    """While the mouse is over the plot the panel follows it; afterwards it tells of the chosen release again."""
    box = opened.locator(".rlm-over").bounding_box()
    assert box is not None
    opened.mouse.move(box["x"] + box["width"] / 2, box["y"] + 10)
    assert release(opened) != "1.12.0"
    opened.mouse.move(box["x"] + box["width"] / 2, box["y"] + 2000)
    opened.mouse.move(2, 2)
    assert release(opened) == "1.12.0"


def test_address_names_the_release(chromium_browser: Browser, folder: Path) -> None:
    """A page whose address ends in a release opens there."""
    with showing(chromium_browser, folder, KEY, "#at=trl-0.12.0") as page:
        assert release(page) == "0.12.0"


def test_trainers_of_which_the_same_is_told_share_an_entry(chromium_browser: Browser, folder: Path) -> None:
    """The panel tells once what holds of several trainers, with the line of each."""
    with showing(chromium_browser, folder, METRIC) as page:
        entries = page.locator(".rlm-strip").first.locator(".rlm-item")
        told = [entries.nth(at).inner_text() for at in range(entries.count())]

    assert len(told) == len({text.split("\n", 1)[1] for text in told})


@pytest.mark.parametrize("path", [KEY, METRIC, CROWDED])
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_screen(chromium_browser: Browser, folder: Path, path: str, width: int) -> None:
    """No page scrolls sideways, on a phone as little as on a desktop."""
    with showing(chromium_browser, folder, path, width=width) as page:
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

        assert wide == 0
