"""Curves in constant memory: however many points come at once, and whoever waits, the same is known of them."""

import statistics

from hypothesis import example, given, settings
from hypothesis import strategies as st
from rlmetrics.health.monitor import Monitor
from rlmetrics.health.series import Series

LEVELS = st.sampled_from([0.0, 0.01, 0.1, 1.0, -1.0, 3.0])
VALUES = st.lists(st.tuples(LEVELS, st.floats(-0.3, 0.3), st.sampled_from([1.0] * 12 + [40.0, -25.0])), max_size=120)
SOURCE = "verl==0.9.1"
KEYS = ("actor/grad_norm", "actor/pg_loss", "actor/ppo_kl", "critic/rewards/mean", "response_length/clip_ratio")


def spikes(values):
    """Return which points are spikes, by what the word means: far above the median before them, rare, and no ramp."""
    found, level = [], 0.0
    for at, value in enumerate(values):
        before = values[max(0, at - 32) : at]
        if at >= 10 and abs(value) > 3 * abs(level):
            usual = statistics.median(before)
            spread = 1.4826 * statistics.median([abs(item - usual) for item in before])
            is_far = usual and abs(value) > 5 * abs(usual) and abs(value - usual) > 8 * spread
            between = values[max(0, at - 32, int(found[-1]) + 1) : at] if found else [0.0]
            came_back = any(abs(item) < 2.5 * abs(usual) for item in between)
            if is_far and came_back and 8 * sum(abs(item) > abs(value) / 2 for item in before) <= len(before):
                found.append(float(at))
        level = value if at == 0 else level + 0.1 * (value - level)
    return found[-16:]


@settings(max_examples=150, deadline=None)
@given(values=VALUES, cuts=st.lists(st.integers(1, 40), min_size=1))
@example(values=[(1.0, 0.0, 1.0)] * 30 + [(1.0, 0.0, 40.0)] + [(1.0, 0.0, 1.0)] * 9, cuts=[7])
def test_points_that_come_together_are_as_if_they_came_alone(values, cuts):
    """The state is the same, and spikes are what their definition says."""
    points = [(level + noise) * factor for level, noise, factor in values]
    alone, together = Series(), Series()
    for at, value in enumerate(points):
        alone.add(float(at), value)
    at = 0
    while at < len(points):
        size = cuts[at % len(cuts)]
        steps = [float(step) for step in range(at, min(at + size, len(points)))]
        together.extend(steps, points[at : at + size])
        at += size
    assert alone.spikes(1e9) == len(spikes(points))
    for ours, theirs in zip(alone.points_of(), together.points_of(), strict=True):
        assert [round(item, 9) for item in ours] == [round(item, 9) for item in theirs]
    assert alone.spikes(1e9) == together.spikes(1e9)
    assert (alone.last, alone.same, alone.zeros, alone.recent()) == (
        together.last,
        together.same,
        together.zeros,
        together.recent(),
    )


def test_a_ramp_is_one_spike_however_steep_and_a_curve_that_comes_back_has_one_each_time():
    """A gradient that grows tenfold in each row jumped once; the same heights with its level between them are four."""
    level = [0.3 + 0.01 * (at % 3) for at in range(20)]
    ramp, apart, plateau = Series(), Series(), Series()
    for curve, tail in (
        (ramp, [3.0 * 10.0**at for at in range(4)]),
        (apart, [item for at in range(4) for item in (3.0 * 10.0**at, 0.3)]),
        (plateau, [3.0] * 30),
    ):
        for at, value in enumerate(level + tail):
            curve.add(float(at), value)
    assert (ramp.spikes(200), apart.spikes(200), plateau.spikes(200)) == (1, 4, 1)


@settings(max_examples=40, deadline=None)
@given(rows=st.lists(st.lists(st.sampled_from([0.05, 0.2, 0.5, 0.95, 5.0, 2e3]), min_size=5, max_size=5), max_size=90))
def test_a_monitor_finds_the_same_however_many_rows_wait(rows):
    """Rules on single values look at their own curves as soon as a value may matter; the others wait meanwhile."""
    found = []
    for ahead in (1, 32, 200):
        monitor = Monitor(SOURCE, ahead=ahead)
        for step, values in enumerate(rows):
            monitor.observe(float(step), dict(zip(KEYS, values, strict=True)))
        assert not monitor.faults
        found.append((monitor.findings(), monitor.report().diagnoses))
    assert found[0] == found[1] == found[2]
