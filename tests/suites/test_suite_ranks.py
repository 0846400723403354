"""Real processes with gloo: one collective, uneven and empty shards, the same bits on every rank."""

from __future__ import annotations

from rlmetrics.suites import PPOSuite
from suites.suite_support import make_batch


def test_sync_without_a_group() -> None:
    """In a single process there is nothing to synchronise, and the same code runs."""
    suite = PPOSuite().update(**make_batch(PPOSuite(), 0))

    assert suite.compute() == suite.sync().compute()
