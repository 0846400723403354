"""What a printed number can have been, and on which axis a key shows its metric."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rlmetrics.names.tables.key_records import Signature, Transform
from rlmetrics.names.tables.printed_numbers import decimals_of, half_unit, shared_decimals
from rlmetrics.names.tables.readings import covers

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
DECIMALS = st.integers(2, 8)


@given(NUMBERS)
def test_the_shortest_spelling_is_exact(number: float) -> None:
    """What Python writes by itself says all that the number is: it never looks counted."""
    assert decimals_of(repr(number)) is None
    assert half_unit(repr(number)) == 0.0


@given(NUMBERS, DECIMALS)
def test_a_number_lies_within_half_a_unit_of_its_print(number: float, decimals: int) -> None:
    """However many decimals are printed, the number is no further away than the half unit."""
    text = f"{number:.{decimals}f}"
    half = half_unit(text, decimals)

    assert math.isclose(half, 0.5 * 10**-decimals)
    assert abs(float(text) - number) <= half * (1 + 1e-6)


@given(st.lists(NUMBERS, min_size=1), DECIMALS)
def test_a_row_shows_its_decimals_by_one_number_that_ends_in_zero(numbers: list[float], decimals: int) -> None:
    """All numbers have as many decimals, and one of them could not be spelled like that in full."""
    texts = [f"{number:.{decimals}f}" for number in numbers]
    ends = any(text.endswith("0") for text in texts)

    assert shared_decimals(texts) == (decimals if ends else None)
    assert shared_decimals([*texts, "1.5"]) is None


@pytest.mark.parametrize(
    ("text", "decimals", "half"),
    [
        ("0.000", 3, 0.0005),
        ("-1.50", 2, 0.005),
        ("1.000e-05", 3, 0.5e-8),
        ("0.0", None, 0.0),
        ("0.125", None, 0.0),
        ("10", None, 0.0),
        ("nan", None, 0.0),
        (0.0, None, 0.0),
        (None, None, 0.0),
    ],
)
def test_digits_behind_the_point_tell(text: object, decimals: int | None, half: float) -> None:
    """Counted decimals are seen by a 0 at the end; ``0.0`` is how an exact 0 is spelled."""
    assert decimals_of(text) == decimals
    assert math.isclose(half_unit(text), half)


@pytest.mark.parametrize(
    ("stated", "text", "applies"),
    [
        (0, "0.000", False),
        (1, "1.000", False),
        ("< 0", "-0.000", False),
        ("< 0", "-0.010", True),
        ("0.69..0.70", "0.690", False),
        ("0.69..0.70", "0.693", True),
        ("> 0.1", "0.100", False),
        ("> 0.09", "0.100", True),
    ],
)
def test_a_reading_applies_to_all_that_a_print_can_have_been(stated: float | str, text: str, applies: bool) -> None:
    """No exact value is read out of a rounded number, and a bound only where the whole interval is beyond it."""
    assert covers(stated, float(text), half_unit(text, 3)) is applies


@given(NUMBERS, st.sampled_from([-1.0, 1.0, 100.0, 1e-3, -0.25]), st.sampled_from([0.0, 1.0]))
def test_the_axis_of_a_key_goes_both_ways(value: float, scale: float, offset: float) -> None:
    """What was logged of a metric is the metric again; a range keeps its order."""
    axis = Signature(scale=scale, offset=offset).axis
    assert axis is not None

    assert math.isclose(axis.undone(axis(value)), value, abs_tol=1e-6)
    low, high = axis.span(value, value + 1)
    assert low is not None
    assert high is not None
    assert low <= high
    assert axis.span(None, None) == (None, None)


@given(NUMBERS)
def test_a_reversed_axis_turns_a_bound_around(value: float) -> None:
    """Where a key logs the negated metric, what was a lowest value is a highest one."""
    assume(value != 0)
    assert Transform(-1.0).span(value, None) == (None, -value)


@pytest.mark.parametrize("signature", [Signature(scale="1 / n"), Signature(offset="n"), Signature(scale=0.0)])
def test_an_axis_that_depends_on_an_unknown_setting_is_none(signature: Signature) -> None:
    """Nothing is read off an axis that nobody knows."""
    assert signature.axis is None
