"""Logits whose words are split over three ranks: log-probabilities, entropies and gradients of whole logits."""

from __future__ import annotations

import pytest
import torch
from rlmetrics import logprobs


def test_without_a_group() -> None:
    """Without a process group there is nothing to split over, and the error names what to use."""
    with pytest.raises(ValueError, match="group: expected an initialised process group, got none"):
        logprobs.parallel_log_prob_entropy(torch.zeros(1, 1, 3), torch.zeros(1, 1, dtype=torch.int64))
