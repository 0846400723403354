"""The recorded extractions: what they hold, and that the auditor still extracts the same."""

from __future__ import annotations

import pytest
from audit.every_release import FOLDER, differences, load_recorded
from audit.wheels import SAMPLE, extraction_of


@pytest.mark.parametrize(("framework", "release"), SAMPLE)
def test_the_auditor_extracts_what_is_recorded(framework: str, release: str) -> None:
    """The record is not stale: extracting a release again gives the same keys, places and expressions."""
    recorded = load_recorded(FOLDER / f"{framework}.json").extractions[release]
    assert differences(recorded, extraction_of(framework, release)) == []


@pytest.mark.parametrize(("framework", "release"), SAMPLE)
def test_nothing_is_left_not_understood(framework: str, release: str) -> None:
    """Every place that looks like logging is understood, or explained in the settings of the framework."""
    assert extraction_of(framework, release).unclear == ()
