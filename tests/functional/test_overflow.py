"""What an author reads whose formula leaves the numbers that float32 holds."""

from __future__ import annotations

import torch
from metric_checks import overflow
from rlmetrics.functional import REGISTRY


def test_the_message_has_inputs_and_advice() -> None:
    """It names both results, the span of each input, and what to do."""
    metric = REGISTRY["kl/reference/k3"]
    row = torch.tensor([[-100.0, -1.0]])
    inputs = {"logprobs": row, "ref_logprobs": torch.zeros_like(row), "mask": torch.ones_like(row, dtype=torch.bool)}
    found, expected = metric(**inputs), metric.reference(**inputs)

    assert [bool(expected.isfinite()), bool(found.isfinite())] == [True, False]
    lines = overflow(metric, inputs, expected, found, seed=3).splitlines()
    assert lines[0].startswith("kl/reference/k3: inf in float32, where float64 gives ")
    assert lines[0].endswith("(seed 3), with")
    assert lines[1] == "  logprobs: (1, 2), from -100 to -1"
    assert "kl/reference/k3@clamped" in lines[4]
