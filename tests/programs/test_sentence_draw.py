"""Sentences that are drawn to be read are the same for everybody, and come with lines of source."""

from __future__ import annotations

from programs.sentence_draw import drawn


def test_a_release_draws_the_same_sentences_everywhere() -> None:
    """As many as are asked for; another release draws others."""
    first = drawn("0.1.0", 6)

    assert first == drawn("0.1.0", 6)
    assert len(first) == 6
    assert first != drawn("0.2.0", 6)


def test_each_sentence_comes_with_what_proves_its_key() -> None:
    """A reader needs file, line and release."""
    for sentence, key, lines in drawn("0.1.0", 6):
        assert sentence
        assert "==" in key
        assert all(":" in line and " in " in line for line in lines)
