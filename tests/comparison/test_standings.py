"""Whether two curves are the same within noise: told by what the curves were made of."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.comparison.standings import APART, EQUAL, FALLS, FLAT, NOT_COMPARED, RISES, SAME, standing


def curve(seed, level=0.5, noise=0.1, count=100, slope=0.0, alike=0.0):
    """A curve with noise whose neighbours resemble each other as far as ``alike`` says."""
    numbers, last, points = random.Random(seed), 0.0, []
    for at in range(count):
        last = alike * last + math.sqrt(1 - alike**2) * numbers.gauss(0, 1)
        points.append(level + slope * at / count + noise * last)
    return points


def stands(ones, others):
    """How two curves stand to each other, at steps from 1 on."""
    return standing(
        [(float(at), one, other) for at, (one, other) in enumerate(zip(ones, others, strict=True), start=1)]
    )


@pytest.mark.parametrize("count", [8, 20, 100, 500])
@pytest.mark.parametrize("alike", [0.0, 0.5])
def test_seeds_of_one_process_are_the_same(count, alike):
    """Of a hundred pairs that differ in their noise only, hardly one is told to be apart."""
    outcomes = [
        stands(curve(seed, count=count, alike=alike), curve(seed + 9999, count=count, alike=alike)).outcome
        for seed in range(100)
    ]

    assert outcomes.count(APART) <= 4
    assert outcomes.count(SAME) >= 96


@pytest.mark.parametrize(("count", "gap"), [(30, 0.5), (100, 0.3), (500, 0.12)])
def test_another_level_is_apart(count, gap):
    """A level that lies further off than the noise allows is seen, and from about which step on."""
    outcomes = [stands(curve(seed, count=count), curve(seed + 9999, 0.5 + gap, count=count)) for seed in range(50)]

    assert [told.outcome for told in outcomes].count(APART) >= 45


@pytest.mark.parametrize("noise", [0.0, 0.05, 0.3])
@pytest.mark.parametrize("count", [3, 10, 100])
def test_exactly_zero_is_never_the_same_as_a_reward(noise, count):
    """However noisy a reward of 0.2 is, a run whose rewards are all exactly 0 is another one."""
    told = stands(curve(1, 0.2, noise, count), [0.0] * count)

    assert told.outcome == APART
    assert told.since is not None


def test_where_curves_leave_each_other():
    """Equal numbers part where they first differ; noisy ones where one begins to stay above."""
    alike = curve(3)
    after = [value + 1e-3 if at >= 40 else value for at, value in enumerate(alike)]
    jumped = [value + 0.8 if at >= 60 else value for at, value in enumerate(curve(7, noise=0.05))]

    assert stands(alike, after).since == 41
    assert (stands(alike, alike).outcome, stands(alike, alike).since) == (EQUAL, None)
    told = stands(curve(8, noise=0.05), jumped)
    assert told.outcome == APART
    assert 50 <= (told.since or 0) <= 62


def test_each_has_its_trend():
    """Both ways and none; of few points none is told."""
    rising, falling, level = (curve(5, slope=slope, noise=0.02) for slope in (1.0, -1.0, 0.0))

    assert [course.trend for course in stands(rising, falling).courses or ()] == [RISES, FALLS]
    assert [course.trend for course in stands(level, level).courses or ()] == [FLAT, FLAT]
    assert [course.trend for course in stands(rising[:5], falling[:5]).courses or ()] == ["", ""]


def test_what_ends_as_no_number_is_apart():
    """A run whose gradient is lost parts there from one that goes on."""
    sound = curve(1)
    lost = [math.nan if at >= 80 else value for at, value in enumerate(curve(2))]

    told = stands(sound, lost)

    assert (told.outcome, told.since) == (APART, 81)


@given(st.lists(st.floats(allow_nan=True, allow_infinity=False, width=32), max_size=30))
def test_a_curve_equals_itself(values):
    """Whatever it holds; with fewer than three points nothing is said."""
    told = stands(values, values)

    assert told.outcome == (EQUAL if len(values) >= 3 else NOT_COMPARED)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=3, max_size=30))
def test_it_does_not_matter_which_comes_first(pairs):
    """Two curves stand to each other as the other way round."""
    one, other = stands(*zip(*pairs, strict=True)), stands(*zip(*[pair[::-1] for pair in pairs], strict=True))

    assert (one.outcome, one.since) == (other.outcome, other.since)
