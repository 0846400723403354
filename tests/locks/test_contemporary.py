"""Which release of another package a framework's release ran with."""

from __future__ import annotations

import datetime

import pytest
from folders import ROOT
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.codegen.locks.contemporary import contemporary
from rlmetrics.names import open_view
from rlmetrics.names.meanings.view import FrameworkView

KNOWN = {"1.0.0": "2024-01-01", "1.4.2": "2024-06-01", "2.0.0": "2025-01-01"}
DAYS = st.dates(datetime.date(2023, 6, 1), datetime.date(2025, 12, 31)).map(str)


def test_the_newest_that_was_out_and_is_taken():
    """By its day and by what the release asks for; before the first, the first."""
    dated = [("a", "2023-12-01"), ("b", "2024-06-01"), ("c", "2025-03-01"), ("d", "2025-03-01"), ("e", "2024-02-01")]
    required = {"d": ["other<2.0.0"], "e": ["other>=1.4"], "c": ['other<1; extra == "dev"']}

    found = contemporary(dated, KNOWN, required)

    assert [*found.values()] == ["1.0.0", "1.4.2", "2.0.0", "1.4.2", "1.4.2"]


@given(st.lists(DAYS, min_size=1, unique=True))
def test_a_later_release_never_ran_with_an_older_one(days):
    """Where nothing is asked for, time only goes on."""
    found = contemporary([(day, day) for day in sorted(days)], KNOWN, {})

    assert [*found.values()] == sorted(found.values(), key=[*KNOWN].index)


@pytest.mark.parametrize("release", ["0.7.6", "0.11.4", "0.17.0", "0.24.0", "1.6.0"])
def test_no_source_line_is_of_a_package_that_came_later(release):
    """What every trainer of transformers has is shown in a release that was out, not in the newest."""
    rows = [line.split() for line in (ROOT / "spec" / "locks" / "trl" / "dates.lock").read_text("utf-8").splitlines()]
    dates = {name: day for package, name, day in (row for row in rows if len(row) == 3) if package == "transformers"}
    day = next(row[2] for row in rows if row[:2] == ["trl", release])
    view = open_view(f"trl=={release}")
    assert isinstance(view, FrameworkView)
    entries = [(component, entry) for component in view.components.values() for entry in component.entries()]
    shown = [place for _, entry in entries for place in view.evidence(entry) if place.path == "transformers/trainer.py"]
    loss = {place.release for place in shown if place.shows == "hf.loss"}

    assert loss
    assert [name for name in loss if dates[name] > day] == []
