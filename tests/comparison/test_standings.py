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


@pytest.mark.parametrize("count", [5, 9, 40])
def test_one_value_above_zero_parts_no_runs(count):
    """A count that is 1 in one row and else 0 is not lower by 0 in a run where it is never 1; at most rows it is."""
    rare = [float(at == count - 2) for at in range(count)]
    assert stands(rare, [0.0] * count).outcome == SAME
    assert stands([0.0] * count, rare).outcome == SAME
    assert stands([float(at % 3 > 0) for at in range(count)], [0.0] * count).outcome == APART


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


@pytest.mark.parametrize(("count", "noise"), [(6, 0.0), (8, 0.0), (8, 0.01), (30, 0.01), (300, 0.01)])
def test_curves_that_cross_and_draw_apart_are_apart(count, noise):
    """One that climbs from below another to far above it ends elsewhere, though the middle of the gaps is near 0."""
    climbing = curve(1, 0.1, noise, count, slope=0.5)
    slower = curve(2, 0.25, noise, count, slope=0.1)

    assert stands(climbing, slower).outcome == APART


@pytest.mark.parametrize("count", [8, 20, 100])
@pytest.mark.parametrize("slope", [0.3, 1.0])
def test_a_trend_that_both_share_parts_no_runs(count, slope):
    """Two seeds of a process that climbs are the same as often as two that do not."""
    outcomes = [
        stands(curve(s, count=count, slope=slope), curve(s + 9999, count=count, slope=slope)) for s in range(100)
    ]

    assert [told.outcome for told in outcomes].count(APART) <= 4


@pytest.mark.parametrize("count", [3, 6, 40])
@pytest.mark.parametrize("factor", [0.5, 2.0, -1.0, 1e-9])
def test_a_multiple_is_no_noise(factor, count):
    """A curve that is another one times something at every step is another number, however both scatter."""
    ones = curve(2, level=0.3, noise=0.4, count=count)

    told = stands(ones, [factor * value for value in ones])

    assert (told.outcome, told.since) == (APART, 1)
    assert told.factor == pytest.approx(factor)
    assert stands(ones, curve(4, level=0.3, noise=0.4, count=count)).factor is None


@pytest.mark.parametrize("lag", [1, -1])
def test_the_same_a_row_later_is_the_same(lag):
    """Rows counted from 0 and from 1, and a learning rate that is logged a step early, are told as that."""
    ones = curve(2, count=30)
    others = [9.0, *ones[:-1]] if lag > 0 else [*ones[1:], 9.0]

    told = stands(ones, others)

    assert (told.outcome, told.lag, told.since) == (SAME, lag, None)
    assert stands([0.25] * 10, [*[0.25] * 9, 0.5]).lag == 0


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=3, max_size=12))
def test_a_multiple_gives_every_value(points):
    """Whatever two curves are, the factor that is told makes one the other."""
    ones, others = zip(*points, strict=True)
    told = stands(ones, others)

    if told.factor is not None:
        assert [told.factor * one for one in ones] == pytest.approx(list(others), rel=1e-4)


@pytest.mark.parametrize("late", [8, 12])
def test_a_collapse_at_the_very_end_is_apart(late):
    """Most of the last third knows nothing of it; the last values, beyond all before, tell it, and no trend is told."""
    noise = random.Random("late")
    points = []
    for step in range(60):
        learns = 0.7 - 0.5 * math.exp(-step / 15)
        falls = learns - 0.08 * max(0, step - (60 - late))
        points.append((float(step), learns + 0.02 * noise.gauss(0, 1), falls + 0.02 * noise.gauss(0, 1)))

    told = standing(points)

    assert told.outcome == APART
    assert told.since is not None
    assert 60 - late <= told.since
    assert [course.trend for course in told.courses or ()] == ["", ""]


def test_curves_that_resemble_their_neighbours_do_not_part_late():
    """Seeds of one slow process end apart by chance, and are not told to have parted there."""
    apart = 0
    for seed in range(200):
        noise = random.Random(f"slow {seed}")
        ones, others = 0.0, 0.0
        points = []
        for step in range(60):
            ones, others = 0.9 * ones + 0.44 * noise.gauss(0, 1), 0.9 * others + 0.44 * noise.gauss(0, 1)
            points.append((float(step), ones, others))
        told = standing(points)
        apart += told.outcome == APART and {course.trend for course in told.courses or ()} == {""}

    assert apart == 0
