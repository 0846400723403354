"""Pictures are what their scripts draw from captured runs."""

from __future__ import annotations

import runpy
from xml.etree import ElementTree

import pytest
from folders import ROOT

PICTURES = ROOT / "docs" / "pictures"


@pytest.fixture(scope="module")
def approxkl():
    """What the script of the README's picture defines."""
    return runpy.run_path(str(PICTURES / "approxkl.py"))


def test_the_padded_curve_is_what_the_run_logged(approxkl):
    """One of the two curves is no invention: TRL 0.18.2 logged it."""
    for logged, padded, plain in approxkl["points"]():
        assert padded == pytest.approx(logged, rel=1e-6)
        assert plain > padded


@pytest.mark.parametrize("language", ["ENGLISH", "CHINESE"])
def test_the_picture_is_up_to_date(approxkl, language):
    """The file of each language is what the script draws now, and it is well-formed."""
    words = approxkl[language]
    drawn = approxkl["svg"](approxkl["points"](), words)

    assert (PICTURES / words.file).read_text(encoding="utf-8") == drawn
    assert ElementTree.fromstring(drawn).tag.endswith("svg")
    assert words.title in drawn
