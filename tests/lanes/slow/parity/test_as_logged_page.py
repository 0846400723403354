"""The page that says what share of everything that is logged is computed exactly."""

from __future__ import annotations

from programs.as_logged_page import FRAMEWORKS, PAGE, page
from rlmetrics.names.tables.loading import load_tables
from rlmetrics.reproduction.shares import shares


def test_the_page_is_up_to_date() -> None:
    """The page in the repository is the one that would be written now."""
    assert PAGE.read_text(encoding="utf-8") == page(), "run `PYTHONPATH=tests python -m programs.as_logged_page`"


def test_four_of_five_rows_and_three_of_four_meanings_are_exact() -> None:
    """Over all releases, under default settings, of those with a function or a constant, in each framework."""
    for framework in FRAMEWORKS:
        found = shares(framework)
        assert list(found) == [*load_tables(None).framework(framework).releases.names, ""]
        assert found[""].exact >= 0.8 * found[""].computable
        assert found[""].exact_meanings >= 0.75 * found[""].meanings
