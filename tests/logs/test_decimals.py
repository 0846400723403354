"""Conversions in decimal digits: exact, there and back, whatever the scale is a ratio of."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.logs.decimals import convert_decimal, convert_float, spelled

finite = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("ratio", ["1/10000", "10000", "1/1000000000", "1/512", "512", "100", "-1", "1/2"])
@given(value=st.decimals(allow_nan=False, allow_infinity=False))
def test_scales_that_are_decimals_are_exact(ratio, value):
    """The product is the mathematical one, and dividing it gives the number back, with any number of digits."""
    scale = float(Fraction(ratio))

    there = convert_decimal(value, scale, 0.0)

    assert Fraction(value) * Fraction(ratio) == Fraction(there)
    assert value == convert_decimal(there, 1 / scale, 0.0)


@pytest.mark.parametrize("term", [3, 7, 12, 1000 / 7, 999, 1536])
@given(value=finite)
def test_other_ratios_give_floats_back(term, value):
    """Divided by what never ends and multiplied again, or the other way round, a float is the same."""
    number = Decimal(repr(value))
    for first, second in ((1 / term, term), (term, 1 / term)):
        assert number == convert_decimal(convert_decimal(number, float(first), 0.0), float(second), 0.0)


@given(number=st.integers(0, 10**15 - 1), power=st.integers(-250, 250))
def test_floats_of_fifteen_digits_come_back(number, power):
    """What a float64 holds of a number as people write it survives a factor and its inverse."""
    value = float(f"{number}e{power}")

    assert value == convert_float(convert_float(value, 1e-4, 0.0), 1e4, 0.0)


@given(value=finite)
def test_what_is_spelled_is_the_number(value):
    """Text of a decimal is a number of JSON that says the same, also the sign of zero."""
    assert repr(value) == repr(float(spelled(Decimal(repr(value)))))


@pytest.mark.parametrize("tiny", ["1e-999999999", "1e999999999"])
def test_sums_do_not_fill_the_memory(tiny):
    """A number with an absurd exponent is rounded before it is written out."""
    assert len(convert_decimal(Decimal(tiny), -1.0, 1.0).as_tuple().digits) <= 10_000
