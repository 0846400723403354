"""Axes: round marks within the range, written so that they can be told apart and read back."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.charts.scales import covered, mark_texts, marks, step_marks

NUMBERS = st.floats(-1e12, 1e12, allow_nan=False, allow_infinity=False)


@given(st.lists(st.one_of(NUMBERS, st.just(math.nan), st.just(math.inf)), max_size=20))
def test_an_axis_covers_every_number(values):
    """All finite values lie within it, and it has some length."""
    low, high = covered(values)

    assert low < high
    assert all(low <= value <= high for value in values if math.isfinite(value))


@given(NUMBERS, st.floats(1e-6, 1e9), st.integers(1, 12))
def test_marks_lie_within_the_axis(low, width, most):
    """There are at most so many, in order, all within."""
    high = low + width
    found = marks(low, high, most)

    assert 1 <= len(found) <= most
    assert found == sorted(found)
    slack = 1e-6 * width + 1e-9 * max(abs(low), abs(high))
    assert all(low - slack <= mark <= high + slack for mark in found)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.integers(3, 10))
def test_texts_tell_marks_apart(low, width, most):
    """No two marks read the same, and each reads as what it is."""
    found = marks(low, low + width, most)
    texts = mark_texts(found)

    assert len({*texts}) == len(texts)
    distance = min((b - a for a, b in pairwise(found)), default=1.0)
    assert all(abs(float(text) - mark) <= distance / 2 for text, mark in zip(texts, found, strict=True))


@pytest.mark.parametrize(
    ("low", "high", "whole", "said"),
    [
        (0, 1, False, ["0.0", "0.5", "1.0"]),
        (0, 500, True, ["0", "200", "400"]),
        (1, 12_997, True, ["5k", "10k"]),
        (0, 2_000_000, True, ["0", "1M", "2M"]),
        (1e-6, 3e-6, False, ["1e-6", "2e-6", "3e-6"]),
        (-0.01, 0.01, False, ["-0.01", "0.00", "0.01"]),
    ],
)
def test_marks_are_those_that_people_write(low, high, whole, said):
    """Steps in thousands and millions, small numbers as powers of ten, and one number of digits for all."""
    assert mark_texts(marks(low, high, 3), whole=whole) == said


def test_marks_between_whole_numbers_keep_their_half():
    """2.5, 5, 7.5: rounded to whole numbers they would stand at distances that are none."""
    assert mark_texts([2.5, 5.0, 7.5, 10.0]) == ["2.5", "5.0", "7.5", "10.0"]
    assert mark_texts([25.0, 50.0, 75.0]) == ["25", "50", "75"]


def test_an_axis_of_the_largest_numbers_has_ends():
    """The distance between the largest floats of both signs is no float; the axis still has marks with texts."""
    low, high = covered([1e308, -1e308, 1.0])
    assert math.isfinite(high - low)
    assert all(mark_texts(marks(low, high, 5)))


@given(st.integers(0, 10**6), st.integers(1, 10**6), st.integers(2, 12))
def test_whole_steps_have_whole_marks(first, length, most):
    """Nothing is logged between two steps, and no axis says so."""
    found = step_marks(float(first), float(first + length), most)

    assert 1 <= len(found) <= most
    assert all(mark == int(mark) for mark in found)
