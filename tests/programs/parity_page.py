"""Renders ``docs/results/parity.md``: every captured number and the function that reproduces it.

Run ``PYTHONPATH=tests python -m programs.parity_page`` after a change to the spec, the fixtures or the cases.
"""

from __future__ import annotations

import argparse

from folders import ROOT
from parity import trl_sections, verl_sections
from parity.table import Section, page

PAGE = ROOT / "docs" / "results" / "parity.md"


def all_sections() -> list[Section]:
    """Return the sections of the page in order."""
    return [*trl_sections.sections(), *verl_sections.sections()]


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    PAGE.write_text(page(all_sections()), encoding="utf-8")
