"""Every number that verl's functions returned for the fixed inputs is reproduced or has a reason."""

from __future__ import annotations

import pytest
from parity import verl_sections
from parity.verl_answers import source
from parity.verl_records import RELEASES, records
from parity.verl_rows import Reproduced
from parity.verl_sections import MODULES
from rlmetrics.names import keys, resolve


@pytest.mark.parametrize("release", RELEASES)
def test_every_output_has_one_row(release: str) -> None:
    """No output is left out or claimed twice, and no row is about something that was not recorded."""
    claimed = [output for title in MODULES for output in verl_sections.rows(release, title)]
    assert sorted(records(release)) == sorted(claimed)


def _variants(release: str) -> set[str]:
    """Return the variants that the spec names for the keys of a release, as configured by default."""
    asked = source(release)
    config = dict(asked.config)
    names = [info.key.replace("{", "").replace("}", "") for info in keys(asked.at, config=config)]
    answers = resolve(names, at=asked.at, config=config)
    variants = ((one.metric, one.signature.reproduced_by) for one in answers if one.signature is not None)
    return {f"{metric}@{variant}" for metric, variant in variants if variant}


@pytest.mark.parametrize("release", RELEASES)
def test_variants_that_the_spec_names_are_compared(release: str) -> None:
    """Each ``reproduced_by`` of a release stands behind some row of it."""
    compared = {
        row.key
        for title in MODULES
        for row in verl_sections.rows(release, title).values()
        if isinstance(row, Reproduced)
    }
    assert _variants(release)
    assert set() == _variants(release) - compared
