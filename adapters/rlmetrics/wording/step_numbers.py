"""The ten numbers by which a step of PPO or GRPO is judged first, each with the metrics that go by that name."""

from __future__ import annotations

from dataclasses import dataclass

from .voice import later

__all__ = ["TEN_NUMBERS", "TenNumber"]


@dataclass(frozen=True)
class TenNumber:
    """One of the ten.

    Attributes:
        title: What it is called in a conversation.
        asks: The question that it answers.
        metrics: The metrics that go by that name, the first one the one to begin with.
    """

    title: str
    asks: str
    metrics: tuple[str, ...]


TEN_NUMBERS = (
    TenNumber(
        later("Reward"), later("Does it earn more?"), ("reward/score/mean", "reward/total/mean", "reward/function/mean")
    ),
    TenNumber(
        later("Spread of rewards"),
        later("Is there anything to learn from?"),
        ("reward/group_std", "reward/score/std", "reward/zero_std_fraction"),
    ),
    TenNumber(
        later("Divergence from the reference"),
        later("How far has it gone from where it started?"),
        ("kl/reference/k3", "kl/old_reference/k1", "kl/old_reference_sum/k1", "kl/reference/k1"),
    ),
    TenNumber(
        later("Divergence from the old policy"),
        later("How large was this update?"),
        ("kl/old/k1", "kl/old/k2", "kl/old/k3"),
    ),
    TenNumber(
        later("Clip fraction"),
        later("How much of the update was cut off?"),
        ("policy/clip_fraction", "policy/outside_region_fraction"),
    ),
    TenNumber(later("Entropy"), later("Does it still explore?"), ("entropy/policy", "entropy/old_policy")),
    TenNumber(later("Policy loss"), later("What is minimised, and is it a number?"), ("policy/loss",)),
    TenNumber(later("Gradient norm"), later("Is an update stable?"), ("optimizer/gradient_norm",)),
    TenNumber(
        later("Length of responses"),
        later("Does it ramble, or run into the limit?"),
        ("length/response/mean", "length/truncated_fraction", "length/at_limit_fraction"),
    ),
    TenNumber(
        later("Critic"),
        later("Are advantages worth anything? PPO alone has one."),
        ("value/explained_variance", "value/loss", "value/error"),
    ),
)
