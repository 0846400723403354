"""What makes a healthy run of the simulator sick, and what makes it look so although it is not."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator

Row = dict[str, float]


def _since(rows: list[Row], onset: int) -> Iterator[tuple[Row, float, int]]:
    """Yield rows from the onset on, with how far between onset and end they are and how many steps after it."""
    last = len(rows)
    for row in rows:
        if row["step"] >= onset:
            yield row, (row["step"] - onset) / (last - onset), int(row["step"] - onset)


def _scale(row: Row, factor: float, *names: str) -> None:
    for name in names:
        if name in row:
            row[name] *= factor


def _hold(rows: list[Row], onset: int, noise: random.Random, spread: float, *names: str) -> None:
    """Keep what some curves have reached at the onset."""
    for name in names:
        before = [row[name] for row in rows if name in row and onset - 12 <= row["step"] < onset]
        for row, _, _ in _since(rows, onset):
            if before and name in row:
                row[name] = sum(before) / len(before) + noise.gauss(0, spread)


Inject = Callable[[list[Row], int, random.Random], None]


def entropy_collapse(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The policy becomes deterministic within some fifty steps and stops improving."""
    for row, _, after in _since(rows, onset):
        factor = 0.03 + 0.97 * math.exp(-after / 14)
        _scale(row, factor, "entropy/policy", "entropy/old_policy", "entropy/surprisal_sum")
    _hold(rows, onset, noise, 0.02, "reward/score/mean", "reward/total/mean", "reward/function/mean@correct")


def entropy_explosion(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The policy dissolves into noise."""
    for row, share, _ in _since(rows, onset):
        _scale(row, 1 + 3.5 * share, "entropy/policy", "entropy/old_policy", "entropy/surprisal_sum")
        for name in ("reward/score/mean", "reward/total/mean", "reward/function/mean@correct"):
            if name in row:
                row[name] -= 0.35 * share * abs(row[name] + 0.3)


def kl_explosion(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The divergence doubles every dozen steps while the reward falls back."""
    for row, share, after in _since(rows, onset):
        factor = min(2 ** (after / 14), 400)
        _scale(row, factor, "kl/reference/k3", "kl/old_reference/k1", "kl/old_reference_sum/k1")
        for name in ("reward/score/mean", "reward/total/mean", "reward/function/mean@correct"):
            if name in row:
                row[name] -= 0.25 * share


def zero_advantage(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The verifier gives every response 0."""
    for row, _, _ in _since(rows, onset):
        zero = ("reward/score/mean", "reward/std", "reward/score/max", "reward/score/min", "reward/score/std")
        for name in (*zero, "advantage/mean", "advantage/max", "advantage/min", "reward/function/mean@correct"):
            if name in row:
                row[name] = 0.0
        for name in (
            "policy/loss",
            "loss/total",
            "optimizer/gradient_norm",
            "kl/old/k1",
            "kl/old/k2",
            "policy/clip_fraction",
        ):
            if name in row:
                row[name] = 0.0
        if "reward/zero_std_fraction" in row:
            row["reward/zero_std_fraction"] = 1.0


def all_right(rows: list[Row], onset: int, noise: random.Random) -> None:
    """Every prompt is solved, so that groups have no spread."""
    for row, share, _ in _since(rows, onset):
        solved = min(1.0, 0.6 + 1.2 * share)
        row["reward/score/mean"] = row["reward/total/mean"] = min(1.0, 0.9 + 0.09 * solved) + noise.gauss(0, 0.003)
        row["reward/std"] = 0.02 + abs(noise.gauss(0, 0.004))
        row["reward/zero_std_fraction"] = min(1.0, 0.75 + 0.22 * solved + noise.gauss(0, 0.01))
        row["optimizer/gradient_norm"] *= 0.1


def length_hack(rows: list[Row], onset: int, noise: random.Random) -> None:
    """Responses grow and the reward pays for it, until they hit the limit."""
    for row, share, _ in _since(rows, onset):
        growth = 1 + 2.4 * share
        row["length/response/mean"] *= growth
        for name in ("reward/score/mean", "reward/total/mean"):
            row[name] += 0.5 * share
        if "entropy/surprisal_sum" in row:
            row["entropy/surprisal_sum"] *= growth
        for name in ("length/truncated_fraction", "length/at_limit_fraction"):
            row[name] = min(1.0, row[name] + 0.75 * max(0.0, share - 0.15))


def truncation(rows: list[Row], onset: int, noise: random.Random) -> None:
    """More and more responses are cut off, and the reward falls with it."""
    for row, share, _ in _since(rows, onset):
        for name in ("length/truncated_fraction", "length/at_limit_fraction"):
            row[name] = min(1.0, row[name] + 0.9 * share)
        row["length/response/mean"] *= 1 + 0.8 * share
    _hold(rows, onset, noise, 0.02, "reward/score/mean", "reward/total/mean")


def exploding_update(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The steps become too large."""
    for row, share, _ in _since(rows, onset):
        for name in ("kl/old/k1", "kl/old/k2"):
            if name in row:
                row[name] = 0.05 + 0.6 * share + abs(noise.gauss(0, 0.02))
        row["policy/clip_fraction"] = min(0.9, 0.2 + 0.6 * share + noise.gauss(0, 0.02))
        _scale(row, 1 + 25 * share, "optimizer/gradient_norm")
        if "policy/ratio/mean" in row:
            row["policy/ratio/mean"] = 1 + 3 * share + noise.gauss(0, 0.02)
        for name in ("reward/score/mean", "reward/total/mean"):
            row[name] -= 0.4 * share


def gradient_spikes(rows: list[Row], onset: int, noise: random.Random) -> None:
    """Single steps have enormous gradients."""
    for row, _, _ in _since(rows, onset):
        if noise.random() < 0.07:
            row["optimizer/gradient_norm"] *= noise.uniform(20, 90)


def dead_critic(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The critic loses track of the policy."""
    for row, share, _ in _since(rows, onset):
        row["value/loss"] *= 1 + 14 * share
        row["value/explained_variance"] -= 1.4 * share
        row["value/explained_variance_mse"] -= 2.2 * share


def controller_in_vain(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The KL controller raises its coefficient and the divergence rises nevertheless."""
    for row, share, _ in _since(rows, onset):
        row["kl/coefficient"] = 0.05 * (1 + 6 * share)
        _scale(row, 1 + 3 * share, "kl/old_reference_sum/k1", "kl/old_reference/k1", "kl/reference/k3")
        row["reward/total/mean"] -= 1.5 * share


def throughput_rot(rows: list[Row], onset: int, noise: random.Random) -> None:
    """Each step takes longer than the one before."""
    for row, share, _ in _since(rows, onset):
        row["timing/step"] *= 1 + 1.6 * share


def farmed_format(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The policy learns the format and nothing else."""
    for row in rows:
        share = row["step"] / len(rows)
        row["reward/function/mean@correct"] = 0.06 + noise.gauss(0, 0.01)
        row["reward/function/mean@format"] = 0.2 + 0.75 * (1 - math.exp(-9 * share)) + noise.gauss(0, 0.01)
        row["reward/score/mean"] = row["reward/function/mean@correct"] + row["reward/function/mean@format"]


def nan_gradient(rows: list[Row], onset: int, noise: random.Random) -> None:
    """A loss becomes NaN, is logged as 0.0 by transformers' filter, and the run dies."""
    for row, _, after in _since(rows, onset):
        if after == 0:
            for name in ("loss/total", "preference/loss/sigmoid"):
                if name in row:
                    row[name] = 0.0
            row["optimizer/gradient_norm"] = math.nan
    del rows[onset:]


def nan_loss(rows: list[Row], onset: int, noise: random.Random) -> None:
    """Losses are NaN from one step on."""
    for row, _, _ in _since(rows, onset):
        for name in ("loss/total", "policy/loss", "optimizer/gradient_norm", "value/loss", "preference/loss/sigmoid"):
            if name in row:
                row[name] = math.nan


def both_fall(rows: list[Row], onset: int, noise: random.Random) -> None:
    """Preferred and rejected responses both lose probability."""
    for row, share, _ in _since(rows, onset):
        row["preference/reward/chosen"] -= 9 * share
        row["preference/reward/rejected"] -= 13 * share
        row["preference/reward/margin"] = row["preference/reward/chosen"] - row["preference/reward/rejected"]
        row["preference/logprob/chosen"] -= 300 * share
        row["preference/logprob/rejected"] -= 420 * share


def swapped_pairs(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The labels are the wrong way round on the data that is measured."""
    for row in rows:
        row["preference/reward/margin"] *= -1
        row["preference/reward/accuracy"] = max(0, 1 - row["preference/reward/accuracy"])
        low, high = row["preference/reward/rejected"], row["preference/reward/chosen"]
        row["preference/reward/rejected"], row["preference/reward/chosen"] = high, low
        row["preference/loss/sigmoid"] = math.log(1 + math.exp(-row["preference/reward/margin"])) + 0.1


def stale_reference(rows: list[Row], onset: int, noise: random.Random) -> None:
    """The reference is another model than the one that training started from."""
    for row in rows:
        row["preference/reward/chosen"] += -6 + noise.gauss(0, 0.6)
        row["preference/reward/rejected"] += -7 + noise.gauss(0, 0.6)
        row["preference/reward/margin"] = row["preference/reward/chosen"] - row["preference/reward/rejected"]


def frozen(rows: list[Row], onset: int, noise: random.Random) -> None:
    """Nothing is trainable."""
    for row in rows:
        for name in ("preference/reward/chosen", "preference/reward/rejected", "preference/reward/margin"):
            row[name] = 0.0
        row["preference/loss/sigmoid"] = math.log(2)
        row["preference/reward/accuracy"] = 0.0
        row["optimizer/gradient_norm"] = 0.0


AILMENTS: dict[str, dict[str, tuple[Inject, frozenset[str]]]] = {
    "grpo": {
        "nan_gradient": (nan_gradient, frozenset({"non_finite"})),
        "nan_loss": (nan_loss, frozenset({"non_finite"})),
        "entropy_collapse": (entropy_collapse, frozenset({"entropy_collapse"})),
        "entropy_explosion": (entropy_explosion, frozenset({"entropy_explosion"})),
        "kl_explosion": (kl_explosion, frozenset({"kl_explosion"})),
        "zero_advantage": (zero_advantage, frozenset({"no_learning_signal"})),
        "all_right": (all_right, frozenset({"no_learning_signal"})),
        "length_hack": (length_hack, frozenset({"length_exploit", "truncation"})),
        "truncation": (truncation, frozenset({"truncation"})),
        "exploding_update": (exploding_update, frozenset({"update_too_large"})),
        "gradient_spikes": (gradient_spikes, frozenset({"gradient_pathology"})),
        "throughput_rot": (throughput_rot, frozenset({"throughput"})),
        "farmed_format": (farmed_format, frozenset({"component_farming"})),
    },
    "ppo": {
        "nan_loss": (nan_loss, frozenset({"non_finite"})),
        "entropy_collapse": (entropy_collapse, frozenset({"entropy_collapse"})),
        "entropy_explosion": (entropy_explosion, frozenset({"entropy_explosion"})),
        "kl_explosion": (kl_explosion, frozenset({"kl_explosion"})),
        "zero_advantage": (zero_advantage, frozenset({"no_learning_signal"})),
        "length_hack": (length_hack, frozenset({"length_exploit", "truncation"})),
        "exploding_update": (exploding_update, frozenset({"update_too_large"})),
        "dead_critic": (dead_critic, frozenset({"critic_failure"})),
        "controller_in_vain": (controller_in_vain, frozenset({"kl_controller", "kl_explosion"})),
        "throughput_rot": (throughput_rot, frozenset({"throughput"})),
    },
    "dpo": {
        "nan_gradient": (nan_gradient, frozenset({"non_finite"})),
        "both_fall": (both_fall, frozenset({"preference_degeneration"})),
        "swapped_pairs": (swapped_pairs, frozenset({"preference_degeneration"})),
        "stale_reference": (stale_reference, frozenset({"preference_degeneration"})),
        "frozen": (frozen, frozenset({"preference_degeneration", "no_learning_signal"})),
        "gradient_spikes": (gradient_spikes, frozenset({"gradient_pathology"})),
    },
}
"""By family, what injects an ailment, and the causes that name it."""

FROM_START = {"farmed_format", "swapped_pairs", "stale_reference", "frozen"}
"""Ailments that are there from the first step on."""


def low_entropy(rows: list[Row], noise: random.Random) -> None:
    """A reasoning model: sure of itself from the start, and surer."""
    for row in rows:
        share = row["step"] / len(rows)
        for name in ("entropy/policy", "entropy/old_policy"):
            row[name] = 0.4 - 0.2 * share + noise.gauss(0, 0.008)


def longer_and_better(rows: list[Row], noise: random.Random) -> None:
    """Responses grow with the accuracy, as in reasoning models."""
    for row in rows:
        share = row["step"] / len(rows)
        row["length/response/mean"] *= 1 + 1.3 * share
        for name in ("length/truncated_fraction", "length/at_limit_fraction"):
            row[name] = max(0.0, 0.01 + 0.05 * share + noise.gauss(0, 0.006))
        if "entropy/surprisal_sum" in row:
            row["entropy/surprisal_sum"] *= 1 + 1.3 * share
        row["timing/step"] *= 1 + 0.9 * share


def half_degenerate(rows: list[Row], noise: random.Random) -> None:
    """Mixed prompts, of which up to half are solved always or never."""
    for row in rows:
        share = row["step"] / len(rows)
        row["reward/zero_std_fraction"] = 0.36 + 0.14 * share + noise.gauss(0, 0.03)


def curriculum_jump(rows: list[Row], noise: random.Random) -> None:
    """Harder prompts from the middle on."""
    for row in rows:
        if row["step"] > len(rows) / 2:
            for name in ("reward/score/mean", "reward/total/mean", "reward/function/mean@correct"):
                if name in row:
                    row[name] -= 0.25
            row["length/response/mean"] *= 1.3


def no_penalty(rows: list[Row], noise: random.Random) -> None:
    """No KL penalty: the divergence is not logged, or grows with what is learnt."""
    for row in rows:
        share = row["step"] / len(rows)
        if "kl/reference/k3" in row:
            row["kl/reference/k3"] = 0.002 + 0.8 * share**1.3 + abs(noise.gauss(0, 0.004))


def one_iteration(rows: list[Row], noise: random.Random) -> None:
    """One update a batch: nothing is clipped, and the update's divergence is 0."""
    for row in rows:
        row["policy/clip_fraction"] = 0.0
        for name in ("kl/old/k1", "kl/old/k2"):
            if name in row:
                row[name] = 0.0


def saturates(rows: list[Row], noise: random.Random) -> None:
    """The task is learnt early and well."""
    for row in rows:
        share = row["step"] / len(rows)
        rate = 0.3 + 0.62 * (1 - math.exp(-8 * share))
        row["reward/score/mean"] = row["reward/function/mean@correct"] = rate + noise.gauss(0, 0.012)
        row["reward/zero_std_fraction"] = min(0.55, rate**8 * 0.9) + noise.gauss(0, 0.02)


LOOK_ALIKES: dict[str, dict[str, Callable[[list[Row], random.Random], None]]] = {
    "grpo": {
        "low_entropy": low_entropy,
        "longer_and_better": longer_and_better,
        "half_degenerate": half_degenerate,
        "curriculum_jump": curriculum_jump,
        "no_penalty": no_penalty,
        "one_iteration": one_iteration,
        "saturates": saturates,
    },
    "ppo": {"longer_and_better": longer_and_better, "one_iteration": one_iteration, "curriculum_jump": curriculum_jump},
    "dpo": {},
}
"""By family, what turns a healthy run into one that resembles an ailment and is none."""
