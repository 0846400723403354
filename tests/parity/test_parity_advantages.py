"""Advantages and returns of TRL's trainers from their rewards and values; those of verl are in the table of verl."""

from __future__ import annotations

import pytest
import torch
from rlmetrics import advantages
from torch import Tensor

from .fixtures import Event, read_events
from .harness import TOLERANCE


def events(stem: str, name: str) -> list[Event]:
    """Return the events of a name, each batch once."""
    found: dict[int, Event] = {}
    for event in read_events(stem):
        if event.name == name:
            found.setdefault(id(event.tensors["advantages"]), event)
    assert found
    return list(found.values())


def assert_parity(captured: Tensor, found: Tensor, mask: Tensor) -> None:
    """Compare inside the mask; whitening divides float32 rounding by a spread below the values' size."""
    expected, actual = captured.double()[mask], found.double()[mask]
    torch.testing.assert_close(actual, expected, rtol=4 * TOLERANCE, atol=4 * TOLERANCE)


def test_old_ppo() -> None:
    """TRL 0.7.10 ``compute_advantages``: λ = 0.95, no discount, whitened over the response."""
    for event in events("trl-0.7.10-ppo1_parity", "compute_advantages"):
        mask = event.mask("mask")
        tensors = event.tensors
        found = advantages.gae(tensors["rewards"], tensors["values"], mask, gamma=1.0, lam=0.95, whiten=True)
        assert_parity(tensors["advantages"], found.advantages, mask)
        assert_parity(tensors["returns"], found.returns, mask)


@pytest.mark.parametrize("stem", ["trl-0.18.2-ppo_parity", "trl-0.18.2-ppo_parity1"])
def test_new_ppo(stem: str) -> None:
    """TRL 0.18.2: the value after the end-of-sequence token counts in the estimate, but not in the whitening."""
    for event in events(stem, "train_locals_at_log"):
        tensors = event.tensors
        longer, mask = ~event.mask("padding_mask_p1"), ~event.mask("padding_mask")
        found = advantages.gae(tensors["rewards"], tensors["values"], longer, gamma=1.0, lam=0.95)
        assert_parity(tensors["advantages"], advantages.whiten(found.advantages, mask), mask)
        assert_parity(tensors["returns"], found.returns, longer)


def test_grpo() -> None:
    """TRL 1.16.0: reward minus the group's mean over its standard deviation plus 1e-4."""
    for event in events("trl-1.16.0-grpo_parity", "_generate_and_score_completions"):
        rewards = event.tensors["rewards"]
        groups = torch.arange(len(rewards)) // 4
        found = advantages.group_relative(rewards, groups)
        assert_parity(event.tensors["advantages"], found, torch.ones_like(rewards, dtype=torch.bool))


def test_a_wrong_estimate_is_noticed() -> None:
    """Another λ, a batch-wide spread: the comparison is sharp enough to tell."""
    event = events("trl-0.7.10-ppo1_parity", "compute_advantages")[0]
    mask, tensors = event.mask("mask"), event.tensors
    found = advantages.gae(tensors["rewards"], tensors["values"], mask, gamma=1.0, lam=0.9499, whiten=True)
    with pytest.raises(AssertionError):
        assert_parity(tensors["advantages"], found.advantages, mask)
    event = events("trl-1.16.0-grpo_parity", "_generate_and_score_completions")[0]
    rewards = event.tensors["rewards"]
    found_batch = advantages.group_relative(rewards, torch.arange(len(rewards)) // 4, std="batch")
    with pytest.raises(AssertionError):
        assert_parity(event.tensors["advantages"], found_batch, torch.ones_like(rewards, dtype=torch.bool))
