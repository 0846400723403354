"""Numbers that stand for something else: -1 for a number that is not there, 0 for nothing that was counted."""

from __future__ import annotations

import pytest
from rlmetrics.answers.pasted import Given
from rlmetrics.answers.value_answer import judge_row
from rlmetrics.names import open_view

OLD, NEW = "verl==0.6.1", "verl==0.9.1"
PREEMPTED = [
    f"timing_s/agent_loop/{name}" for name in ("num_preempted/mean", "num_preempted/min", "num_preempted/max")
] + ["timing_s/agent_loop/slowest/num_preempted"]


def told(at: str, key: str, number: float) -> tuple[str, str]:
    """What is said first of a value, and how grave it is."""
    values = judge_row(open_view(at), {key: Given(f"{number:g}", number)})
    (value,) = [item for item in values if item.judged]
    return value.level, value.says


@pytest.mark.parametrize("at", ["verl==0.8.0", NEW])
@pytest.mark.parametrize("key", PREEMPTED)
@pytest.mark.parametrize("number", [-1.0, -0.25])
def test_what_an_engine_does_not_report_is_not_available(at: str, key: str, number: float) -> None:
    """Whether all responses lack it or some do; a count itself is never negative."""
    level, says = told(at, key, number)
    assert level == "info"
    assert "not available" in says
    assert "never" not in says


@pytest.mark.parametrize("name", ["max", "min", "topk_ratio"])
def test_times_of_ranks_that_are_not_joined_are_not_available(name: str) -> None:
    """The workers of verl return -1 three times where torch.distributed was not initialised."""
    level, says = told(OLD, f"timing_s/generation_timing/{name}", -1.0)
    assert level == "info"
    assert "not available" in says
    assert "not available" not in told(OLD, f"timing_s/generation_timing/{name}", 0.125)[1]


@pytest.mark.parametrize(
    ("key", "at"),
    [
        ("entropy", "trl[DistillationTrainer]==1.16.0"),
        ("entropy", "trl[KTOTrainer]==1.16.0"),
        ("mean_token_accuracy", "trl[DPOTrainer]==1.16.0"),
        ("tools/failure_frequency", "trl[GRPOTrainer]==1.16.0"),
    ],
)
def test_zero_for_nothing_that_was_counted_is_told(key: str, at: str) -> None:
    """These trainers log 0 where the divisor of a mean is 0."""
    (value,) = judge_row(open_view(at), {key: Given("0", 0.0)})
    assert any("nothing was counted" in item.says for item in value.judged)


@pytest.mark.parametrize(
    ("key", "number", "said"),
    [
        ("rollout/spec_accept_length", 0.0, "there was none at all"),
        ("rollout/spec_accept_length", 0.5, "counts as 0"),
        ("variance_proxy/proxy1_signal_strength", 0.0, "no gradient norm was known"),
        ("variance_proxy/proxy3_pure_noise", 0.0, "negative estimate"),
    ],
)
def test_other_placeholders_of_verl_are_told(key: str, number: float, said: str) -> None:
    """A response without a verification counts as 0 in a number that is at least 1; a missing norm is a power of 0."""
    level, says = told(NEW, key, number)
    assert level == "info"
    assert said in says
