"""The draws of the blind check and its page."""

from __future__ import annotations

import pytest
from programs.blind_check.table import PAGE, bound, render, rounds


def test_the_page_is_up_to_date():
    """It is rendered from the recorded rounds."""
    assert render(rounds()) == PAGE.read_text(encoding="utf-8")


def test_every_round_was_judged_twice_and_errors_are_explained():
    """None is left out, 60 different places each; what was wrong has its correction, or says that it has none yet."""
    recorded = rounds()
    assert [item.number for item in recorded] == [*range(1, len(recorded) + 1)]
    for item in recorded:
        assert len({(row.source, row.mode, row.key) for row in item.drawn}) == 60
        assert all({"right", "wrong"} >= set(row.verdicts) and len(row.verdicts) == 2 for row in item.drawn)
        assert all(row.fix for row in item.drawn if row.outcome == "wrong")


@pytest.mark.parametrize(("wrong", "count", "expected"), [(0, 60, 0.0487), (1, 60, 0.0766), (3, 60, 0.1242)])
def test_the_bound_is_that_of_the_binomial_distribution(wrong: int, count: int, expected: float):
    """One-sided Clopper-Pearson bounds at 95 %, from scipy.stats.beta.ppf(0.95, wrong + 1, count - wrong)."""
    assert pytest.approx(bound(wrong, count), abs=2e-4) == expected
