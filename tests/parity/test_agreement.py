"""Reference steps through each framework's own code, beside what the definitions make of them."""

from __future__ import annotations

import pytest
from programs.agreement import agreement_page as page
from programs.agreement.compared_definitions import CLOSE, DEFINITIONS, Recording, recordings
from programs.agreement.compared_steps import QUANTITIES, STEPS, step
from rlmetrics.names import load_tables

RECORDED = {one.framework: one for one in recordings()}


@pytest.mark.parametrize("recording", recordings(), ids=lambda one: one.framework)
def test_what_is_called_exact_is_what_their_own_code_gives(recording: Recording) -> None:
    """In every step; what is not exact agrees, too, or says what it leaves out."""
    definition = DEFINITIONS[recording.framework]
    assert recording.release == definition.source.partition("==")[2]
    for each in STEPS:
        ours, said = definition.numbers(step(each)), recording.numbers[each]
        assert ours.keys() == said.keys()
        for quantity, number in ours.items():
            logged = definition.logged(quantity)
            agrees = said[quantity] == pytest.approx(number, abs=CLOSE)
            assert agrees or not logged.exact, (each, quantity, said[quantity], number)


def test_only_what_weighs_tokens_twice_differs_from_its_definition() -> None:
    """And that definition says so."""
    found = {
        (name, quantity)
        for name, definition in DEFINITIONS.items()
        for each in STEPS
        for quantity, number in definition.numbers(step(each)).items()
        if abs(number - RECORDED[name].numbers[each][quantity]) > CLOSE
    }
    assert {name for name, _ in found} == {"openrlhf"}
    for name, quantity in found:
        left_out = " ".join(str(item) for item in DEFINITIONS[name].logged(quantity).left_out)
        assert "once more" in left_out


@pytest.mark.parametrize("language", page.PAGES)
def test_the_page_shows_these_numbers(language: str) -> None:
    """The figures are those that would be written now; every quantity and release has a table."""
    text = page.PAGES[language].read_text(encoding="utf-8")
    assert text == page.filled(text, language), "run `PYTHONPATH=tests python -m programs.agreement.agreement_page`"
    assert all(f"<!-- figures: {name} -->" in text for name in (*QUANTITIES, "releases"))


@pytest.mark.parametrize("language", page.PAGES)
def test_the_page_names_every_framework(language: str) -> None:
    """One that has no row is named among what could not run."""
    text = page.PAGES[language].read_text(encoding="utf-8")
    tables = load_tables(None)
    assert all(tables.title(name) in text for name in (*DEFINITIONS, "llamafactory"))


def test_signs_and_sizes_are_as_the_page_tells_them() -> None:
    """Whose sign is turned, whose loss crosses 0, who counts tokens twice and who cuts estimates."""
    uneven = {name: one.numbers["uneven"] for name, one in RECORDED.items()}
    assert uneven["areal"]["kl_old"] == pytest.approx(-uneven["openrlhf"]["kl_old"], abs=CLOSE)
    assert uneven["ms-swift"]["policy_loss"] > 0 > uneven["trl"]["policy_loss"]
    assert uneven["openrlhf"]["entropy"] / uneven["verl"]["entropy"] == pytest.approx(1.05, abs=0.01)
    far = {name: one.numbers["far"] for name, one in RECORDED.items()}
    cut = {name for name in far if far[name].get("kl_reference", 9) < far["trl"]["kl_reference"] - CLOSE}
    assert cut == {"verl", "openrlhf", "unsloth", "ms-swift"}
    assert all("kl_old" not in uneven[name] for name in ("trl", "unsloth", "ms-swift", "axolotl"))
