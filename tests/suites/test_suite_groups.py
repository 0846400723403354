"""Groups that are cut over updates, suites or ranks are refused; whole ones give what all data at once gives."""

from __future__ import annotations

import io
import pickle
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from rlmetrics.state import MetricState
from rlmetrics.suites import GRPOSuite, make_suite
from suites.suite_support import assert_same

REWARDS = torch.tensor([0.0, 1.0, 1.0, 3.0, 5.0, 5.0, 2.0, 9.0])
IDS = torch.tensor([7, 7, 7, 7, 2**60 + 1, 2**60 + 1, -1, -1])
CUT = r"group_ids: expected each group whole in one update of one rank, got parts of 7 in several"


def test_rewards_alone() -> None:
    """Rewards and groups may come without anything else."""
    results = GRPOSuite().update(rewards=REWARDS, group_ids=IDS).compute()

    assert results.keys() == {"reward/std", "reward/group_std", "reward/zero_std_fraction"}
    assert results["reward/zero_std_fraction"] == pytest.approx(1 / 3)


@given(st.sets(st.integers(1, 7)))
def test_any_cut_is_right_or_refused(cuts: set[int]) -> None:
    """Wherever a batch is cut, the numbers are those of the whole, or a group was cut and that is an error."""
    suite, state = GRPOSuite(), MetricState("reward/group_std")
    whole = GRPOSuite().update(rewards=REWARDS, group_ids=IDS).compute()
    edges = [0, *sorted(cuts), 8]
    for first, last in pairwise(edges):
        suite.update(rewards=REWARDS[first:last], group_ids=IDS[first:last])
        state.update(rewards=REWARDS[first:last], group_ids=IDS[first:last])

    if cuts <= {4, 6}:
        assert_same(whole, suite.compute(), rel=1e-9)
        assert state.compute().item() == pytest.approx(whole["reward/group_std"])
    else:
        for compute in (suite.compute, suite.histograms, state.compute):
            with pytest.raises(ValueError, match="group_ids: expected each group whole in one update"):
                compute()


def test_ids_that_restart() -> None:
    """Where ids start anew in every update, equal ids are other groups, once that was said."""
    suite, other = GRPOSuite(ids_restart=True), GRPOSuite()
    for first, last in ((0, 4), (4, 8)):
        local = IDS[first:last] == -1
        suite.update(rewards=REWARDS[first:last], group_ids=local.long())
        other.update(rewards=REWARDS[first:last], group_ids=local.long() + 10 * first)

    assert other.compute() == suite.compute()
    with pytest.raises(ValueError, match="must be the same"):
        other.merge(suite)


@pytest.mark.parametrize("way", ["merged", "pickled", "saved"])
def test_groups_are_remembered(way: str) -> None:
    """Merging, pickling and saving keep what is needed to notice a group that was cut."""
    suite, other = (GRPOSuite().update(rewards=REWARDS[:2], group_ids=IDS[:2]) for _ in range(2))
    if way == "merged":
        suite.merge(other)
    elif way == "pickled":
        suite = pickle.loads(pickle.dumps(suite)).update(rewards=REWARDS[2:], group_ids=IDS[2:])
    else:
        stream = io.BytesIO()
        torch.save(suite.state_dict(), stream)
        stream.seek(0)
        suite = GRPOSuite()
        suite.load_state_dict(torch.load(stream, weights_only=True))
        suite.update(rewards=REWARDS[2:], group_ids=IDS[2:])

    with pytest.raises(ValueError, match=CUT):
        suite.compute()
    assert suite.reset().compute() == {}


def test_state_remembers_groups() -> None:
    """The state of one metric keeps ids in its copy, and forgets them with :meth:`reset`."""
    state = MetricState("reward/group_std").update(rewards=REWARDS[:2], group_ids=IDS[:2])
    resumed = MetricState("reward/group_std")
    resumed.load_state_dict(state.state_dict())
    for one in (resumed, pickle.loads(pickle.dumps(state)), MetricState("reward/group_std").merge(state)):
        with pytest.raises(ValueError, match=CUT):
            one.update(rewards=REWARDS[2:], group_ids=IDS[2:]).compute()

    assert torch.isnan(state.reset().compute())
    assert torch.isnan(state.update(rewards=REWARDS[2:4], group_ids=IDS[2:4]).init().compute())


def test_groups_without_their_metrics() -> None:
    """Where no metric is of groups, ids mean nothing, so nothing is refused."""
    suite = make_suite(["reward/std"])

    assert "group_ids" not in suite.fusion.inputs
    suite.update(rewards=REWARDS[:1]).update(rewards=REWARDS[3:4])
    assert suite.compute()["reward/std"] == pytest.approx(4.5**0.5)
