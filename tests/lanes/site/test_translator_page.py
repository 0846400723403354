"""The translator in the page is used by anybody: by keyboard, with a screen reader, on a phone, from a folder."""

from __future__ import annotations

from pathlib import Path

from folders import RUNS
from playwright.sync_api import Browser, Page, expect


def test_the_page_is_used_by_keyboard_alone(translator: Page) -> None:
    """Opened from a folder, keys are typed, both sides chosen, and the result copied without a mouse."""
    translator.keyboard.press("Tab")
    translator.keyboard.type("ppo/policy/approxkl\nobjective/kl\nno/such")
    for _ in range(5):
        translator.keyboard.press("Tab")
    for choice in ("TRL", "PPOTrainer", "0.7.10", "TRL", "PPOTrainer", "0.18.2"):
        translator.keyboard.type(choice)
        translator.keyboard.press("Tab")
    status = translator.get_by_role("status").first
    expect(status).to_have_text("TRL PPOTrainer 0.7.10 → TRL PPOTrainer 0.18.2. 3 keys: 2 biased, 1 not of the source.")
    expect(translator.locator("[data-rlm-translator]")).to_have_attribute("aria-busy", "false")
    for _ in range(40):
        if translator.evaluate("document.activeElement.dataset.rlm") == "copy":
            break
        translator.keyboard.press("Tab")
    translator.keyboard.press("Enter")
    expect(translator.get_by_text("Copied.")).to_be_visible()
    expect(translator.get_by_label("Translated text")).to_have_value("policy/approxkl_avg\nobjective/kl\nno/such")


def test_what_rlmetrics_measured_is_no_name_of_a_user(translator: Page) -> None:
    """As on the command line, ``exact/…`` keeps its name if a name of the spec follows."""
    translator.get_by_role("button", name="TRL GRPO → verl").click()
    translator.get_by_role("textbox", name="Keys, one a line").fill("kl\nexact/kl/reference/k3")
    row = translator.get_by_role("row", name="exact/kl/reference/k3")
    expect(row.get_by_role("cell").first).to_contain_text("not a key of the source")
    expect(translator.get_by_label("Translated text")).to_have_value("actor/kl_loss\nexact/kl/reference/k3")


def test_roles_and_names_tell_what_everything_is(translator: Page) -> None:
    """Every field has a name, both sides are named groups, and the table says what its cells are."""
    translator.get_by_role("button", name="TRL PPO 0.7.10 → 0.18.2").click()
    expect(translator.get_by_role("table", name="Keys with their new names, the worst first")).to_be_visible()
    for side, release in (("From", "0.7.10"), ("To", "0.18.2")):
        group = translator.get_by_role("group", name=side, exact=True)
        for name, value in (("Framework", "trl"), ("Trainer", "component PPOTrainer"), ("Release", release)):
            expect(group.get_by_role("combobox", name=name)).to_have_value(value)
    assert [cell.inner_text() for cell in translator.get_by_role("columnheader").all()] == [
        "Severity", "Old name", "New name", "Why"
    ]  # fmt: skip
    row = translator.get_by_role("row", name="ppo/policy/approxkl")
    expect(row.get_by_role("rowheader")).to_have_text("ppo/policy/approxkl")
    expect(row.get_by_role("cell").first).to_contain_text("biased: its own plot")
    links = [link.get_attribute("href") for link in row.get_by_role("link").all()]
    assert links[:2] == ["../k/trl/ppo/policy/approxkl/index.html", "../k/trl/policy/approxkl_avg/index.html"]
    assert translator.locator("[aria-live=polite]").count() >= 2
    unnamed = "[...document.querySelectorAll('textarea, select, input')].filter((field) => !field.labels.length).length"
    assert translator.evaluate(unnamed) == 0


def test_a_file_is_read_and_saved_under_its_name(translator: Page) -> None:
    """A chosen log is told where it comes from, and its translation is offered under its name."""
    log = RUNS / "verl-0.9.1-sft.jsonl"
    translator.get_by_label("or a file:").set_input_files(log)
    expect(translator.get_by_text("Taken to be verl sft 0.9.1: it logs")).to_be_visible()
    with translator.expect_download() as download:
        translator.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "verl-0.9.1-sft.translated.jsonl"
    assert len(download.value.path().read_text().splitlines()) == len(log.read_text().splitlines())


def test_a_file_keeps_its_line_ends(translator: Page, tmp_path: Path) -> None:
    """A table with those of Windows and a mark at its beginning is saved with the same, though its field shows none."""
    log = tmp_path / "export.csv"
    log.write_bytes(b'\xef\xbb\xbf"Step","ppo/policy/approxkl"\r\n"1","0.5"\r\n')
    translator.get_by_role("button", name="TRL PPO 0.7.10 → 0.18.2").click()
    translator.get_by_label("or a file:").set_input_files(log)
    expect(translator.get_by_label("Translated text")).to_have_value('\ufeff"Step","policy/approxkl_avg"\n"1","0.5"\n')
    with translator.expect_download() as download:
        translator.get_by_role("button", name="Download").click()
    assert download.value.path().read_bytes() == b'\xef\xbb\xbf"Step","policy/approxkl_avg"\r\n"1","0.5"\r\n'


def test_what_is_no_text_is_told_apart(translator: Page, tmp_path: Path) -> None:
    """An event file is not taken for keys that nobody logs: the command line reads it."""
    log = tmp_path / "events.out.tfevents.1"
    log.write_bytes(b"\x18\x00\x00\x00brain.Event:2")
    translator.get_by_label("or a file:").set_input_files(log)
    said = "events.out.tfevents.1 is no text. The command line reads it: rlmetrics translate events.out.tfevents.1"
    expect(translator.get_by_text(said)).to_be_visible()


def test_sources_that_fit_equally_well_are_offered_and_none_is_chosen(translator: Page) -> None:
    """Keys of several releases with different meanings are told as ambiguous; a click on one answers."""
    translator.get_by_role("textbox", name="Keys, one a line").fill("ppo/policy/approxkl\nppo/loss/total")
    offered = translator.get_by_role("list", name="Sources that fit").get_by_role("button")
    expect(offered.first).to_have_text("TRL PPOTrainer 0.7.11 to 0.11.4 (2 keys)")
    expect(translator.get_by_role("table")).to_be_hidden()
    offered.first.click()
    expect(translator.get_by_role("status").first).to_contain_text("TRL PPOTrainer 0.11.4 → TRL PPOTrainer")


def test_a_phone_shows_everything_without_sideways_scroll(chromium_browser: Browser, translator_place: Path) -> None:
    """At 390 pixels nothing sticks out, whatever is shown."""
    with chromium_browser.new_context(viewport={"width": 390, "height": 800}) as context:
        opened = context.new_page()
        opened.goto(translator_place.as_uri())
        for name in ("TRL PPO 0.7.10 → 0.18.2", "TRL GRPO → verl", "verl 0.3.0 → 0.9.1"):
            opened.get_by_role("button", name=name).click()
            expect(opened.get_by_role("status").first).to_contain_text("keys:")
            assert opened.evaluate("document.documentElement.scrollWidth") == 390
