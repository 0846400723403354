"""Numbers over what was not cut off: they fall with the share that counts, and that is no fall of the policy."""

import math
import random

import pytest
from rlmetrics.health import Monitor

GRPO = "trl[GRPOTrainer]==1.16.0"
MASKED = {"mask_truncated_completions": True}


def rows(entropy, cut, *, masked, steps=80, size=16):
    """Return a run of GRPO whose entropy and share of truncated responses are as given; with the latter masked or not.

    Where they are masked, each response is a micro-batch of its own, and a 0 in the mean if nothing of it is counted.
    """
    noise = random.Random(f"{steps} {size}")
    made = []
    for step in range(1, steps + 1):
        gone = round(size * min(1.0, max(0.0, cut(step) + noise.uniform(-0.05, 0.05)))) / size
        counts = 1 - gone if masked else 1.0
        moves = counts > 0
        made.append(
            {
                "step": step,
                "loss": noise.gauss(0, 0.1) if moves else 0.0,
                "grad_norm": 0.4 * math.exp(noise.gauss(0, 0.1)) if moves else 0.0,
                "reward": 0.4 + noise.gauss(0, 0.05),
                "reward_std": 0.3 + noise.gauss(0, 0.02),
                "frac_reward_zero_std": 0.0,
                "entropy": entropy(step) * counts * (1 + noise.gauss(0, 0.01)),
                "clip_ratio/region_mean": 0.0,
                "completions/clipped_ratio": gone,
                "completions/mean_length": 90 + 30 * gone,
            }
        )
    return made


def judged(those, config=None):
    """Return the report on some rows."""
    monitor = Monitor(GRPO, config)
    for row in those:
        monitor.observe(None, row)
    assert monitor.faults == 0, monitor.fault
    return monitor.report()


def steady(step):
    """Return an entropy that stays."""
    return 2.6


def collapsing(step):
    """Return an entropy that collapses from step 30 on."""
    return 0.01 + 2.6 * math.exp(-max(0, step - 30) / 6)


def filling(step):
    """Return a share of truncated responses that rises to all of them."""
    return 0.2 + 0.9 * step / 70


@pytest.mark.parametrize("config", [{}, MASKED])
def test_masked_and_unmasked_twins_have_the_same_cause(config):
    """All responses run into the limit in both; that nothing is counted explains an entropy of 0, mask known or not."""
    masked = judged(rows(steady, filling, masked=True), config)
    unmasked = judged(rows(steady, filling, masked=False), {"mask_truncated_completions": False} if config else {})

    assert [report.diagnoses[0].cause for report in (masked, unmasked)] == ["truncation", "truncation"]
    assert {item.cause for item in masked.findings if item.level != "info"} <= {"truncation", "no_learning_signal"}
    assert [item.cause for item in masked.diagnoses] == ["truncation"]
    assert any(item.key == "entropy" and "nothing was counted" in item.why for item in masked.expected)
    assert not any(item.key == "entropy" for item in unmasked.expected)


def test_a_collapse_beside_a_mask_is_a_collapse():
    """Where the level of what is counted falls, the mask explains nothing."""
    report = judged(rows(collapsing, lambda _: 0.3, masked=True), MASKED)

    assert "entropy_collapse" in {item.cause for item in report.findings if item.level != "info"}
    assert report.diagnoses[0].cause in ("entropy_collapse", "update_too_large")


def test_a_collapse_that_fills_the_limit_is_not_explained_by_a_mask_that_nobody_set():
    """A policy that repeats itself to the limit: its gradient goes on, and its entropy does not follow the share."""
    report = judged(rows(collapsing, filling, masked=False))

    assert "entropy_collapse" in {item.cause for item in report.findings if item.level != "info"}
    assert not any(item.key == "entropy" for item in report.expected)
