"""What sets two entries apart, and that relations and changes between releases tell the same of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import pytest
from rlmetrics.names import load_tables, open_views, relate
from rlmetrics.names.differences.entry_contrast import causes_of, contrast
from rlmetrics.names.tables.key_records import Entry

TABLES = load_tables()
SOURCES = ("trl[GRPOTrainer]==1.16.0", "trl[PPOTrainer]==0.7.10", "verl==0.9.1", "verl==0.2", "canonical")
UNSHOWN = ("logged", "scale", "offset")
"""What a relation says in other ways: nothing, or how values are converted."""


def _pairs() -> Iterator[tuple[Entry, Entry]]:
    """Yield the entries of one metric and mode, of any two sources."""
    views = [open_views([source])[0] for source in SOURCES]
    for first, second in product(views, views):
        for entry in first.entries():
            if entry.metric is not None:
                yield from ((entry, other) for other in second.candidates(entry.metric, entry.mode))


@pytest.fixture(scope="module")
def pairs() -> list[tuple[Entry, Entry]]:
    """Some thousand pairs, most of which differ."""
    found = [*_pairs()]
    assert len(found) > 1000
    return found


def test_nothing_sets_an_entry_apart_from_itself(pairs):
    """However it is computed."""
    assert [entry for entry, _ in pairs if contrast(entry, entry, TABLES)] == []


def test_from_the_other_side_the_same_things_differ(pairs):
    """What held before holds after, and the other way round."""
    for first, second in pairs:
        there = contrast(second, first, TABLES)
        assert contrast(first, second, TABLES) == {topic: pair[::-1] for topic, pair in there.items()}


def test_a_relation_tells_what_differs_and_nothing_else(pairs):
    """Each with the same grade, and with the same words for when it is gone."""
    for first, second in pairs:
        pairs_apart = contrast(first, second, TABLES)
        causes = [effect for cause in causes_of(pairs_apart, TABLES) for effect in cause.effects or (cause,)]
        told = [item for item in relate(first, second, TABLES).differs_by if item.about != "scale"]
        expected = {
            ({"reduction": f"level:{cause.name}", "trait": f"trait:{cause.name}"}.get(cause.kind, cause.kind))
            + f" {cause.grade} {cause.vanishes_when}"
            for cause in causes
            if cause.kind not in UNSHOWN
        }
        assert {f"{item.about} {item.grade} {item.vanishes_when}" for item in told} == expected
