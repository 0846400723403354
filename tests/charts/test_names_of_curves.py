"""Names at the ends of curves stand beside each other."""

from __future__ import annotations

from itertools import combinations

import pytest
from rlmetrics.charts.chart_page import _NAME_HIGH, _NAME_WIDE, _apart


@pytest.mark.parametrize(
    "places",
    [
        [(1.0, 0.5), (1.0, 0.5)],
        [(1.0, 0.97), (1.0, 0.98), (0.99, 1.0)],
        [(1.0, 0.0), (1.0, 0.01), (1.0, 0.02), (0.5, 0.0)],
        [(1.0, 0.2), (0.4, 0.2), (1.0, 0.9)],
    ],
)
def test_no_name_lies_upon_another(places):
    """Those of curves that end together are moved apart, in the order of their ends, and stay within the drawing."""
    moved = _apart(places)

    assert [at for at, _ in moved] == [at for at, _ in places]
    for (at, height), (other, beside) in combinations(moved, 2):
        assert abs(at - other) >= _NAME_WIDE or abs(height - beside) >= _NAME_HIGH - 1e-9
    assert all(0 <= height <= 1 for _, height in moved)


def test_names_with_room_stay_where_their_curves_end():
    """Nothing is moved that does not lie upon another."""
    places = [(1.0, 0.1), (1.0, 0.6), (0.2, 0.6)]

    assert _apart(places) == places
