"""`rlmetrics.judge`: what the values of one row tell a callback."""

from __future__ import annotations

import math

import numpy as np
import pytest
import rlmetrics
import torch
from rlmetrics.names import NamesError

GRPO = "trl[GRPOTrainer]==1.16.0"


def test_the_most_serious_comes_first():
    """A gradient that is NaN stands before a loss of 0, and that before what is unremarkable."""
    verdicts = rlmetrics.judge({"kl": 0.1, "loss": 0.0, "grad_norm": math.nan}, GRPO)
    assert [(item.key, item.level) for item in verdicts] == [
        ("grad_norm", "error"),
        ("loss", "warning"),
        ("kl", "plain"),
    ]
    assert verdicts[1].metric == "loss/total"
    assert verdicts[1].watch
    assert verdicts[0].source == GRPO


@pytest.mark.parametrize("zero", [0.0, 0, "0.0", np.float32(0), np.int64(0), torch.tensor(0.0), torch.zeros(1)])
def test_numbers_of_every_kind_are_read(zero):
    """Loggers hand over NumPy and PyTorch scalars, and text."""
    [verdict] = rlmetrics.judge({"loss": zero}, GRPO)
    assert verdict.level == "warning"
    assert verdict.value is zero


def test_what_is_no_number_is_left_out():
    """Texts, lists, arrays and images say nothing."""
    row = {"loss": [1, 2], "kl": "high", "completions": object(), "reward": torch.ones(3)}
    assert rlmetrics.judge(row, GRPO) == []
    assert rlmetrics.judge({}, GRPO) == []
    assert rlmetrics.judge({1: 2.0}, GRPO) == []  # type: ignore[dict-item]
    assert rlmetrics.judge({"kl": 10**400}, GRPO)[0].level == "error"


def test_the_source_is_inferred_and_settings_count():
    """Without a source the keys tell; a setting changes what 0 means."""
    row = {"actor/pg_loss": 0.1, "actor/ppo_kl": 0.0, "critic/score/mean": 0.5, "training/global_step": 3}
    assert {item.source.partition("==")[0] for item in rlmetrics.judge(row)} == {"verl"}
    by_default, per_sequence = (
        rlmetrics.judge({"loss": 0.0}, GRPO, config=config)[0].level for config in ({}, {"loss_type": "grpo"})
    )
    assert (by_default, per_sequence) == ("warning", "expected")


def test_an_unknown_source_is_refused():
    """As everywhere, with the names that there are."""
    with pytest.raises(NamesError, match="unknown framework"):
        rlmetrics.judge({"loss": 0.0}, "nothing==1")
