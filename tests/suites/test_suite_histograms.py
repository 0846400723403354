"""Distributions in a suite: in the same state, with the same one collective, equal to those that stand alone."""

from __future__ import annotations

import math
import pickle

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.functional import REGISTRY
from rlmetrics.state.histogram import Histogram
from rlmetrics.suites import make_suite
from suites.suite_support import make_batch, rows_of

DISTRIBUTIONS = [key for key in REGISTRY if REGISTRY[key].kind == "distribution" and REGISTRY[key].slots]
CHOICE = ["policy/clip_fraction", "policy/ratio/distribution", "advantage/distribution", "kl/old/k1"]


def as_slot(histogram: Histogram) -> list[float]:
    """Return a histogram as the function of its metric returns it."""
    return [histogram.below, *histogram.counts, histogram.above, histogram.minimum, histogram.maximum]


@pytest.mark.parametrize("key", DISTRIBUTIONS)
def test_equals_its_function(key: str) -> None:
    """Over several updates each distribution is what its function gives over all data at once."""
    suite = make_suite([key])
    batch = make_batch(suite, 2, rows=8)
    for first in (0, 2):
        suite.update(**rows_of(batch, slice(4 * (first // 2), 4 * (first // 2) + 4)))

    (found,) = suite.histograms().values()

    assert REGISTRY[key](*batch.values()).tolist() == pytest.approx(as_slot(found), rel=1e-12)
    assert suite.compute() == {}


@given(cut=st.integers(0, 8), seed=st.integers(0, 20))
def test_shares_the_state_with_numbers(cut: int, seed: int) -> None:
    """Numbers and distributions of merged parts are those of the whole, wherever the data is cut."""
    whole, left, right = (make_suite(CHOICE) for _ in range(3))
    batch = make_batch(whole, seed, rows=8)
    for part, rows in ((left, slice(0, cut)), (right, slice(cut, 8))):
        part.update(**rows_of(batch, rows))

    whole.update(**batch)
    merged = pickle.loads(pickle.dumps(left)).merge(right)

    assert set(merged.compute()) == {"policy/clip_fraction", "kl/old/k1"}
    assert whole.compute() == pytest.approx(merged.compute(), rel=1e-12)
    assert whole.histograms() == merged.histograms()
    assert set(merged.histograms()) == {"policy/ratio/distribution", "advantage/distribution"}


def test_optional_inputs() -> None:
    """A distribution whose optional inputs never came is left out, and appears with the first update that has them."""
    suite = make_suite(["kl/old/k1", "advantage/distribution"])
    batch = make_batch(suite, 0)
    assert suite.update(**{**batch, "advantages": None}).histograms() == {}

    found = suite.update(**batch).histograms()["advantage/distribution"]

    assert batch["mask"].sum().item() == sum(found.counts) + found.below + found.above


def test_bins_have_edges() -> None:
    """Counts and edges are what trackers take; over nothing there is no smallest value."""
    suite = make_suite(["length/response/distribution"])
    nothing = torch.zeros(0, dtype=torch.int64)
    empty = suite.update(lengths=nothing).histograms()["length/response/distribution"]
    found = suite.update(lengths=torch.tensor([1, 64, 5000])).histograms()["length/response/distribution"]

    assert math.isnan(empty.minimum)
    assert len(found.edges) == len(found.counts) + 1
    assert (found.edges[0], found.edges[1], found.edges[-1]) == (0.0, 64.0, 4096.0)
    assert (found.counts[0], found.counts[1], found.above) == (1.0, 1.0, 1.0)
    assert (found.minimum, found.maximum) == (1.0, 5000.0)
