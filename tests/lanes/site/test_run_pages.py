"""The pages of runs in Chromium: 5 and 50 of them, a million points, phone and desktop, light and dark, Chinese."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from comparison.runs_to_compare import NEW, OLD, VERL, simulated
from playwright.sync_api import Browser, Page, expect
from rlmetrics.cli import main

SOURCES = (NEW, OLD, VERL)
SCENARIOS = ("healthy", "entropy_collapse", "nan_gradient")


def _page(folder: Path, count: int, *more: str) -> str:
    page = folder / "page.html"
    paths, sources = [], []
    for at in range(count):
        source = SOURCES[at % 3]
        paths.append(str(simulated(folder / f"run-{at:02}.jsonl", SCENARIOS[at % 3], source, at, 120)))
        sources += ["--at", source]
    assert main(["open", *paths, *sources, "-o", str(page), *more]) == 0
    return page.as_uri()


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of five runs."""
    return _page(tmp_path_factory.mktemp("five"), 5)


@pytest.fixture(scope="module")
def fifty(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of fifty."""
    return _page(tmp_path_factory.mktemp("fifty"), 50)


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of five runs with a million points together, in each of which one value is a spike."""
    folder = tmp_path_factory.mktemp("million")
    keys = [
        "reward",
        "kl",
        "loss",
        "grad_norm",
        "entropy",
        "completions/mean_length",
        "frac_reward_zero_std",
        "clip_ratio/region_mean",
    ]
    for run in range(5):
        numbers = random.Random(run)
        with (folder / f"run-{run}.jsonl").open("w", encoding="utf-8") as stream:
            for step in range(1, 25_001):
                row = {"step": step, **{key: 0.3 + 0.01 * numbers.random() for key in keys}}
                stream.write(json.dumps({**row, "grad_norm": 40.0} if step == 7001 else row) + "\n")
    page = folder / "page.html"
    assert main(["open", *map(str, sorted(folder.glob("*.jsonl"))), "--at", NEW, "-o", str(page)]) == 0
    return page


def _pointed(page: Page, chart: int = 0, share: float = 0.5, height: float = 0.5) -> None:
    plot = page.locator(".ch:visible .pl").nth(chart)
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + share * box["width"], box["y"] + height * box["height"])


def _overflow(page: Page) -> int:
    wide: int = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return wide


@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_phone_and_desktop(five: str, opened: Callable[..., Page], width: int) -> None:
    """Nothing is wider than the window, and texts of axes do not lie on each other."""
    page = opened(five, width)
    assert _overflow(page) <= 0
    boxes = (
        page.locator(".ch")
        .first.locator(".x")
        .evaluate_all("items => items.map(item => item.getBoundingClientRect()).map(box => [box.left, box.right])")
    )
    assert all(one[1] <= other[0] for one, other in pairwise(boxes))


def test_one_cursor_goes_through_all_charts(five: str, opened: Callable[..., Page]) -> None:
    """Pointing at one chart tells the values of every run at that step on each chart in view, and in the strip."""
    page = opened(five)
    _pointed(page)
    expect(page.locator(".at")).to_contain_text("at step 6")
    shown = page.locator(".ch:visible .cur:visible")
    assert shown.count() >= 3
    lefts = {item.evaluate("item => item.style.left") for item in shown.all()}
    assert len(lefts) == 1
    assert page.locator(".strip .cur:visible").count() == 5
    expect(page.locator(".ch").first.locator(".v span")).to_have_count(5)
    page.mouse.move(2, 2)
    expect(page.locator(".ch .cur:visible")).to_have_count(0)


def test_it_tells_the_logged_value(five: str, opened: Callable[..., Page]) -> None:
    """The first run's reward at the last step is the one that its log has there."""
    page = opened(five)
    _pointed(page, 0, 0.999)
    folder = Path(five.removeprefix("file://")).parent
    rows = [json.loads(line) for line in (folder / "run-00.jsonl").read_text().splitlines()]
    value = float(f"{rows[-1]['reward']:.4g}")
    expect(page.locator(".ch").first.locator(".v .r0")).to_have_text(f"a {value:g}")


def test_the_keyboard_moves_the_cursor(five: str, opened: Callable[..., Page]) -> None:
    """A chart that has the focus takes arrow keys, and Escape hides the cursor."""
    page = opened(five)
    page.locator(".ch .pl").first.focus()
    page.keyboard.press("Home")
    expect(page.locator(".at")).to_have_text("at step 1")
    page.keyboard.press("PageUp")
    expect(page.locator(".at")).to_have_text("at step 13")
    page.keyboard.press("Escape")
    expect(page.locator(".at")).to_have_text("")


def test_search_finds_by_key_and_by_metric(five: str, opened: Callable[..., Page]) -> None:
    """The slash leads there; a key of another framework finds the chart that it is drawn on."""
    page = opened(five)
    page.keyboard.press("/")
    page.keyboard.type("actor/kl_loss")
    expect(page.locator(".ch:visible")).to_have_count(1)
    expect(page.locator(".ch:visible figcaption code")).to_have_text("kl/reference/k3")
    expect(page.locator(".found")).to_contain_text("1 /")
    page.get_by_role("searchbox").fill("")
    assert page.locator(".ch:visible").count() > 5


def test_runs_are_switched_off_and_on(five: str, opened: Callable[..., Page]) -> None:
    """A run without its mark is on no chart; the buttons take all of them."""
    page = opened(five)
    line = page.locator(".ch").first.locator(".c.r1").last
    expect(line).to_be_visible()
    page.get_by_role("checkbox").nth(1).uncheck()
    expect(line).to_be_hidden()
    page.get_by_role("button", name="no run").click()
    expect(page.locator(".c:visible")).to_have_count(0)
    page.get_by_role("button", name="all runs").click()
    expect(line).to_be_visible()


def test_health_stands_in_the_strip(five: str, opened: Callable[..., Page]) -> None:
    """A run that broke is well up to its onset and sick from there; what ails it is said beside."""
    page = opened(five)
    row = page.locator(".runs li").nth(2)
    expect(row).to_contain_text("The numbers broke, since step 80")
    well, sick = row.locator(".s-ok").bounding_box(), row.locator(".s-error").bounding_box()
    assert well is not None
    assert sick is not None
    assert well["x"] + well["width"] <= sick["x"] + 1


def test_of_many_runs_the_nearest_speaks(fifty: str, opened: Callable[..., Page]) -> None:
    """With fifty runs the line under the pointer is lit on all charts, and named."""
    page = opened(fifty)
    _pointed(page, 0, 0.6, 0.4)
    expect(page.locator(".at")).to_have_text(f"at step 72 · {page.locator('.runs li.lit').get_attribute('data-n')}")
    expect(page.locator(".ch").first.locator(".v span")).to_have_count(1)
    assert _overflow(page) <= 0


@pytest.mark.parametrize(("which", "seconds"), [("fifty", 3.0), ("million", 3.0)])
def test_large_pages_open_and_answer_at_once(
    which: str, seconds: float, request: pytest.FixtureRequest, opened: Callable[..., Page]
) -> None:
    """A page of fifty runs, or of a million points, is small, drawn soon, and follows the pointer."""
    place = request.getfixturevalue(which)
    path = Path(place.removeprefix("file://")) if isinstance(place, str) else place
    assert path.stat().st_size < 5_000_000
    page = opened(path.as_uri())
    spent = page.evaluate("performance.getEntriesByType('navigation')[0].duration")
    assert spent < 1000 * seconds
    _pointed(page)
    moved = page.evaluate(
        """() => { const plot = document.querySelector('.ch .pl'), box = plot.getBoundingClientRect();
        const begin = performance.now();
        for (let at = 0; at < 50; at += 1) plot.dispatchEvent(new PointerEvent('pointermove',
          {clientX: box.left + at * box.width / 50, clientY: box.top + box.height / 2, bubbles: true}));
        return (performance.now() - begin) / 50; }"""
    )
    assert moved < 40


def test_a_spike_among_a_million_points_is_seen(million: Path, opened: Callable[..., Page]) -> None:
    """The drawing reaches up to it, medians are marked as such, and the page says that it is thinned."""
    page = opened(million.as_uri())
    expect(page.locator("main")).to_contain_text("The longest has 25,000 points.")
    page.get_by_role("searchbox").fill("grad_norm")
    expect(page.locator(".ch:visible .y").last).to_contain_text("40")
    _pointed(page)
    expect(page.locator(".ch:visible .v .r0")).to_contain_text("a ~0.30")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_light_and_dark(five: str, chromium_browser: Browser, scheme: str) -> None:
    """Texts stand out from the ground in both, and lines of runs have colours of the scheme."""
    context = chromium_browser.new_context(color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(five)
    ground, text = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    line = page.locator(".ch .c.r0").first.evaluate("item => getComputedStyle(item).stroke")
    context.close()
    bright = [sum(map(int, colour[4:-1].split(","))) / 3 for colour in (ground, text, line)]
    assert abs(bright[0] - bright[1]) > 150
    assert abs(bright[0] - bright[2]) > 60


def test_it_is_chinese(tmp_path: Path, opened: Callable[..., Page]) -> None:
    """All that the page says by itself is Chinese, on a phone, too."""
    page = opened(_page(tmp_path, 2, "--lang", "zh"), 390)
    expect(page.locator("html")).to_have_attribute("lang", "zh")
    expect(page.get_by_role("searchbox")).to_have_attribute("aria-label", "搜索指标")
    expect(page.locator("h2").first).to_have_text("先看这些")
    assert _overflow(page) <= 0


def test_compare_and_check_have_the_same_charts(tmp_path: Path, opened: Callable[..., Page]) -> None:
    """Their cursor tells the value, with the keyboard as with the pointer."""
    a, b = simulated(tmp_path / "a.jsonl"), simulated(tmp_path / "b.jsonl", "entropy_collapse", OLD, 1)
    both, one = tmp_path / "both.html", tmp_path / "one.html"
    main(["compare", str(a), str(b), "--at", NEW, "--at", OLD, "--html", str(both)])
    main(["check", str(b), "--at", OLD, "--html", str(one)])
    page = opened(both.as_uri())
    expect(page.locator(".pl .on").first).to_contain_text("b parts")
    _pointed(page)
    expect(page.locator(".ch").first.locator(".v span")).to_have_count(2)
    page = opened(one.as_uri(), 390)
    assert _overflow(page) <= 0
    page.locator(".ch .pl").first.focus()
    page.keyboard.press("Home")
    expect(page.locator(".ch").first.locator(".v")).to_contain_text("@ ")


def test_the_index_of_many_runs_is_sorted_by_its_heads(tmp_path: Path, chromium_browser: Browser) -> None:
    """By names, by numbers as such, and back to the sickest first; said in aria-sort, and reached by the keyboard."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for at, (name, rows) in enumerate((("run-10", 30), ("run-9", 120), ("run-8", 200))):
        simulated(folder / f"{name}.jsonl", SCENARIOS[at % 2], NEW, at, rows)
    made = tmp_path / "page.html"
    assert main(["check", str(folder), "--at", NEW, "--html", str(made)]) in (0, 1)
    page = chromium_browser.new_page()
    page.goto(made.as_uri())
    names = page.locator("table.index td:nth-child(2)")
    heads = page.locator("table.index th")
    first = names.all_inner_texts()

    def sort(column: int) -> list[str]:
        heads.nth(column).get_by_role("button").focus()
        page.keyboard.press("Enter")
        assert [head.get_attribute("aria-sort") is not None for head in heads.all()].index(True) == column
        return names.all_inner_texts()

    assert first[0] == "run-9.jsonl"
    assert heads.nth(0).get_attribute("aria-sort") == "ascending"
    assert sort(1) == ["run-8.jsonl", "run-9.jsonl", "run-10.jsonl"]
    assert sort(1) == ["run-10.jsonl", "run-9.jsonl", "run-8.jsonl"]
    assert heads.nth(1).get_attribute("aria-sort") == "descending"
    assert sort(3) == ["run-10.jsonl", "run-9.jsonl", "run-8.jsonl"]
    assert sort(0) == first
    assert sort(0) == first[::-1]
    page.close()
