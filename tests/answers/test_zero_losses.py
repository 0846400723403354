"""What a loss of exactly 0 is said to mean in GRPO, held against the loss itself on simulated steps.

The loss of one update per generation is written out here from TRL's ``_compute_loss``: every ratio is 1, so that what
is left of the policy part is minus the advantage of a token's response.
"""

from __future__ import annotations

import random

import pytest
from rlmetrics.answers.pasted import Given
from rlmetrics.answers.value_answer import judge_row
from rlmetrics.names import open_view

PROMPTS, RESPONSES = 6, 8
PER_RESPONSE = ("grpo",)
PER_TOKEN = ("bnpo", "dr_grpo", "dapo")


def steps(count: int, *, tied: bool = False, one_length: bool = False) -> list[list[tuple[float, int]]]:
    """Steps of responses, each with its advantage and its length."""
    numbers, made = random.Random(11), []
    for _ in range(count):
        step = []
        for _ in range(PROMPTS):
            rewards = [1.0 if tied else float(numbers.random() < 0.4) for _ in range(RESPONSES)]
            mean = sum(rewards) / RESPONSES
            spread = (sum((reward - mean) ** 2 for reward in rewards) / (RESPONSES - 1)) ** 0.5
            lengths = [64 if one_length else numbers.randint(4, 64) for _ in rewards]
            step += [
                ((reward - mean) / (spread + 1e-4), length) for reward, length in zip(rewards, lengths, strict=True)
            ]
        made.append(step)
    return made


def loss_of(step: list[tuple[float, int]], loss_type: str, kept: float = 1.0, bonus: float = 0.0) -> float:
    """The loss of one step: ``kept`` is the share of tokens that count, ``bonus`` what an entropy bonus takes off."""
    numbers = random.Random(3)
    counted = [sum(numbers.random() < kept for _ in range(length)) if kept < 1 else length for _, length in step]
    if loss_type in PER_RESPONSE:
        terms = [-advantage * count / length for (advantage, length), count in zip(step, counted, strict=True)]
        return sum(terms) / len(terms) - bonus
    total = sum(-advantage * count for (advantage, _), count in zip(step, counted, strict=True))
    divisor = 64 * len(step) if loss_type == "dr_grpo" else sum(length for _, length in step)
    return total / divisor - bonus


def level_of(release: str, key: str = "loss", **config: str) -> str:
    """How grave a loss of 0 is said to be."""
    at = f"trl[GRPOTrainer]=={release}"
    (value,) = judge_row(open_view(at, config=config), {key: Given("0.0", 0.0)}, config)
    return value.level


@pytest.mark.parametrize("release", ["0.14.0", "0.15.2", "0.16.1", "0.17.0", "0.22.2", "1.8.0", "1.16.0"])
@pytest.mark.parametrize("loss_type", [*PER_RESPONSE, *PER_TOKEN])
def test_a_loss_that_is_zero_in_every_step_is_expected(release: str, loss_type: str) -> None:
    """And one that is 0 in no ordinary step is a symptom; releases before 0.17.0 have no choice."""
    if release < "0.17.0":
        choices = {"0.14.0": "grpo", "0.15.2": "grpo", "0.16.1": "bnpo"}
        config, loss_type = {}, choices[release]
    elif loss_type == "dapo" and release < "0.23.0":
        pytest.skip("no such loss in this release")
    else:
        config = {"loss_type": loss_type}
    always = all(abs(loss_of(step, loss_type)) < 5e-5 for step in steps(40))
    never = not any(abs(loss_of(step, loss_type)) < 5e-5 for step in steps(40))
    assert always is not never
    assert level_of(release, **config) == ("expected" if always else "warning")


@pytest.mark.parametrize("loss_type", PER_TOKEN)
def test_what_makes_such_a_loss_zero_is_named(loss_type: str) -> None:
    """Tied groups do, and equal lengths do; both are told."""
    for causes in ({"tied": True}, {"one_length": True}):
        assert all(abs(loss_of(step, loss_type)) < 5e-5 for step in steps(20, **causes))
    config = {"loss_type": loss_type}
    (value,) = judge_row(open_view("trl[GRPOTrainer]==1.16.0", config=config), {"loss": Given("0.0", 0.0)}, config)
    assert "tied" in value.says
    assert "one length" in value.says


@pytest.mark.parametrize(
    ("config", "changed"),
    [({"top_entropy_quantile": "0.5"}, {"kept": 0.5}), ({"entropy_coef": "0.01"}, {"bonus": 0.01 * 0.7})],
)
def test_what_no_longer_cancels_is_not_expected(config: dict[str, str], changed: dict[str, float]) -> None:
    """Where only some tokens count, or a bonus is taken off, even a mean per response is 0 in no step."""
    assert not any(abs(loss_of(step, "grpo", **changed)) < 5e-5 for step in steps(40))
    assert level_of("1.16.0", loss_type="grpo") == "expected"
    assert level_of("1.16.0", loss_type="grpo", **config) == "info"


def test_the_bonus_is_no_part_of_the_policy_loss() -> None:
    """The key that is logged beside it goes by the loss type alone."""
    assert level_of("1.16.0", "policy_loss", loss_type="grpo", entropy_coef="0.01") == "expected"
    assert level_of("1.16.0", "policy_loss", entropy_coef="0.01") == "warning"


@pytest.mark.parametrize("source", ["trl[GFPOTrainer]==1.7.1", "trl[GRPOWithReplayBufferTrainer]==1.13.0"])
def test_relatives_of_grpo_take_the_same_mean(source: str) -> None:
    """They inherit the loss, and its default type."""
    (value,) = judge_row(open_view(source), {"loss": Given("0.0", 0.0)})
    assert value.level == "warning"
    assert "expected" not in value.says
