"""Long curves in few points: no spike is lost, whatever the length."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.charts.thinning import Extremes, smoothed_curve, thinned_curve

VALUES = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(math.nan)), min_size=1, max_size=400)


def _finite(values):
    return [value for value in values if math.isfinite(value)]


@given(VALUES, st.integers(1, 9))
def test_a_stream_keeps_its_extremes(values, most):
    """However long it is, the lowest and the highest value are kept at their steps, in bounded room."""
    kept = Extremes(most)
    for step, value in enumerate(values):
        kept.add(step, value)

    steps, thinned = kept.points()
    assert kept.count == len(values)
    assert len(steps) <= 4 * most + 2
    assert steps == sorted(steps)
    assert all(value == values[int(step)] or value != value for step, value in zip(steps, thinned, strict=True))
    if _finite(values):
        assert (min(_finite(thinned)), max(_finite(thinned))) == (min(_finite(values)), max(_finite(values)))


@given(VALUES, st.integers(4, 60))
def test_thinning_keeps_extremes_and_ends(values, most):
    """So do curves that are whole already; first and last point stay."""
    steps, thinned = thinned_curve(range(len(values)), values, most)

    assert len(steps) <= most + 2
    assert (steps[0], steps[-1]) == (0, len(values) - 1)
    if _finite(values):
        assert (min(_finite(thinned)), max(_finite(thinned))) == (min(_finite(values)), max(_finite(values)))


@pytest.mark.parametrize("at", [0, 1, 499_999, 777_777, 999_999])
def test_one_spike_in_a_million_points_is_drawn(at):
    """Wherever it stands."""
    kept = Extremes()
    for step in range(1_000_000):
        kept.add(step, 40.0 if step == at else 0.5)

    steps, values = thinned_curve(*kept.points(), 200)

    assert 40.0 in values
    assert steps[list(values).index(40.0)] == at


def test_smoothing_gives_medians():
    """A stretch is its median, so that single points do not move it."""
    steps, values = smoothed_curve(range(100), [1000.0 if step % 10 == 3 else 0.5 for step in range(100)], 10)

    assert (len(steps), {*values}) == (10, {0.5})
