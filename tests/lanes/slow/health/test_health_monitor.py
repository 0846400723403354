"""The monitor: what it finds in a row, that it never raises, and that its memory does not grow."""

import gc
import json
from collections import deque
from types import FunctionType, MethodType, ModuleType

import pytest
from health_rows import endless, rough_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from rlmetrics.health import Finding, Monitor
from rlmetrics.health.instances import MOST_WAITING

GRPO, VERL, PPO = "trl[GRPOTrainer]==1.16.0", "verl==0.9.1", "trl[PPOTrainer]==0.11.4"


@settings(max_examples=150, deadline=None)
@given(
    rows=st.lists(
        st.dictionaries(
            st.sampled_from(
                ["reward", "loss", "entropy", "kl", "grad_norm", "step", "other", "completions/mean_length"]
            ),
            st.one_of(
                st.none(),
                st.floats(),
                st.integers(),
                st.text(max_size=5),
                st.lists(st.floats(), max_size=2),
                st.booleans(),
            ),
        ),
        max_size=30,
    )
)
def test_nothing_raises_whatever_is_logged(rows):
    """Any row of any values in any order is taken, and no row is a fault of the monitor."""
    monitor = Monitor(GRPO)
    for row in rows:
        monitor.observe(None, row)
    monitor.report()

    assert (monitor.faults, monitor.fault) == (0, "")


def held(thing, seen):
    """Return how many entries all containers have that can be reached from something, and are not seen yet."""
    total, todo = 0, [thing]
    while todo:
        item = todo.pop()
        if id(item) in seen or isinstance(item, type | FunctionType | MethodType | ModuleType | Finding):
            continue
        seen.add(id(item))
        if isinstance(item, str | int | float | bytes):
            continue
        total += len(item) if isinstance(item, dict | list | set | tuple | deque) else 0
        todo += gc.get_referents(item)
    return total


def most_held(monitor, rows, begin, end, known):
    """Feed rows of some steps, and return the most that the monitor held at every hundredth of them."""
    most = 0
    for step in range(begin, end):
        monitor.observe(step, rows[step % len(rows)])
        if (step + 1) % ((end - begin) // 20) == 0:
            most = max(most, held(monitor, set(known)))
    return most


@pytest.mark.parametrize("source", ["trl[GRPOTrainer]==1.16.0", "verl==0.9.1"])
def test_nothing_grows_by_100_000_steps(source):
    """With 40 keys, findings that come and go, and lost numbers, containers hold no more at 100,000 steps than before.

    What waits until rules look is bounded by its own limit; everything else has its size by 10,000 steps.
    """
    rows = rough_rows(source)
    monitor = Monitor(source)
    known: set[int] = set()
    held((monitor.run.curves.rules, monitor.run.curves.names), known)

    early = most_held(monitor, rows, 0, 10_000, known)
    waiting = 3 * MOST_WAITING * len(rows[0])
    late = most_held(monitor, rows, 10_000, 100_000, known)

    assert (monitor.rows, monitor.faults, monitor.fault) == (100_000, 0, "")
    assert late <= early + waiting
    assert len(monitor.findings()) > 10
    assert all(len(channel.values) <= MOST_WAITING for channel in monitor.run.curves.channels.values() if channel)
    assert len(json.dumps(monitor.state_dict())) < 1_000_000


def test_names_that_never_come_back_do_not_fill_the_memory():
    """Two new names in each row stop being kept, and those that were known before are judged on.

    What grows is at most what each of the known curves may hold: two lists of 128 stretches, what is found out about
    them, and what waits.
    """
    rows = rough_rows(GRPO)
    monitor = Monitor(GRPO)
    for row in endless(rows, 3000, renamed=True):
        monitor.observe(None, row)
    known: set[int] = set()
    held((monitor.run.curves.rules, monitor.run.curves.names), known)
    early = held(monitor, set(known))
    for row in endless(rows, 9000, renamed=True):
        monitor.observe(None, row)

    assert held(monitor, set(known)) <= early + (4 * 128 + 3 * MOST_WAITING) * len(rows[0])
    assert monitor.run.curves.channels[next(iter(rows[0]))] is not None
