"""The draws of the blind check and its page."""

from __future__ import annotations

from pathlib import Path

from programs.blind_check.draw import cited, claim, draw, universe


def test_a_draw_is_reproducible_and_stays_in_the_spec():
    """One seed, one draw; every place is one that the spec describes, with a claim and its citations."""
    places = draw(7, 5)
    assert places == draw(7, 5)
    assert places != draw(8, 5)
    assert set(places) <= set(universe())
    for place in places:
        text = "\n".join(claim(place))
        assert f"`{place.key}`" in text
        assert "- metric: " in text


def test_cited_lines_are_printed_from_the_sources(tmp_path: Path):
    """With their numbers; a source that is not there is told."""
    place = next(item for item in universe() if item.source == "trl[PPOTrainer]==0.12.2")
    assert any("is not in the folder of sources" in line for line in cited(place, tmp_path))
