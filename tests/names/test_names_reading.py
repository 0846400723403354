"""Which values a reading of the spec is about."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.names.tables.readings import ReadingError, covers

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("stated", "inside", "outside"),
    [
        (0, [0.0, -0.0, 0], [1e-30, -1.0, math.nan, None]),
        (1, [1.0], [0.9999, math.inf]),
        ("< 0", [-1e-30, -5], [0.0, 1.0, -math.inf, math.nan, None]),
        ("<= 0", [0.0, -1.0], [1e-9]),
        ("> 10", [10.1], [10.0, math.inf]),
        (">= 10", [10.0], [9.9]),
        ("0.6931..0.6932", [0.6931, 0.693147, 0.6932], [0.69, 0.7]),
        ("-1..-1e-30", [-1.0, -0.5], [0.0, -1.1]),
        ("nan", [math.nan, math.inf, -math.inf], [0.0, None]),
        ("null", [None], [0.0, math.nan]),
    ],
)
def test_a_reading_covers_its_values_only(
    stated: float | str, inside: list[float | None], outside: list[float | None]
) -> None:
    """A number, a bound, a range, nan and null each cover what they say, and nothing else."""
    assert [True] * len(inside) == [covers(stated, number) for number in inside]
    assert [False] * len(outside) == [covers(stated, number) for number in outside]


@pytest.mark.parametrize("stated", ["", "zero", "=> 1", "1..", "< x", "0, 1"])
def test_what_says_no_value_is_an_error(stated: str) -> None:
    """A text of another form is refused with the forms that are understood."""
    with pytest.raises(ReadingError, match="is no value; write a number"):
        covers(stated, 0.0)


@given(NUMBERS, NUMBERS)
def test_bounds_split_the_numbers(limit: float, number: float) -> None:
    """Every number is below a bound, equal to it or above it, and that in one way only."""
    ways = [covers(f"< {limit!r}", number), covers(limit, number), covers(f"> {limit!r}", number)]

    assert sum(ways) == 1
