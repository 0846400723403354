"""For each rule a run on which it fires, and a healthy twin of it on which it does not."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Curve = Callable[[int], Any] | float
"""A value for each step, or one for all."""

STEPS = 260
ONSET = 100
SOON = 8
"""The onset of what breaks at once: a log of every fifth step still shows how the run began."""
GRPO = "trl[GRPOTrainer]==1.16.0"


@dataclass(frozen=True)
class Case:
    """Curves by key: those of the sick run, and what its healthy twin has instead."""

    sick: dict[str, Curve]
    twin: dict[str, Curve]
    source: str = "canonical"
    steps: int = STEPS

    def rows(self, *, sick: bool) -> list[dict[str, Any]]:
        """Return the rows of one of the two."""
        curves = self.sick if sick else {**self.sick, **self.twin}
        rows = []
        for step in range(1, self.steps + 1):
            row: dict[str, Any] = {"step": step}
            for key, curve in curves.items():
                value = curve(step) if callable(curve) else curve
                if value is not None:
                    row[key] = value
            rows.append(row)
        return rows


def jitter(key: str, step: int) -> float:
    """Return noise of standard deviation 1, the same each time."""
    return random.Random(f"{key} {step}").gauss(0, 1)


def level(value: float, noise: float = 0.02) -> Curve:
    """Return a curve that stays where it is, with noise relative to its value."""
    return lambda step: value * (1 + noise * jitter(f"level {value}", step))


def ramp(start: float, end: float, noise: float = 0.01, onset: int = 1, steps: int = STEPS) -> Curve:
    """Return a straight line from the onset on."""

    def at(step: int) -> float:
        share = max(0.0, (step - onset) / (steps - onset))
        return start + (end - start) * share + noise * abs(end - start) * jitter(f"ramp {start} {end}", step)

    return at


def grows(start: float, factor: float, onset: int = ONSET, every: float = 14, most: float = 1e4) -> Curve:
    """Return a curve that is multiplied by a factor again and again from the onset on."""

    def at(step: int) -> float:
        times = max(0.0, (step - onset) / every)
        return start * min(factor**times, most) * (1 + 0.02 * jitter(f"grows {start}", step))

    return at


def since(onset: int, before: Curve, after: Curve | str) -> Curve:
    """Return one curve before the onset and another from it on."""

    def at(step: int) -> Any:
        chosen = before if step < onset else after
        return chosen(step) if callable(chosen) else chosen

    return at


def spiked(value: float) -> Curve:
    """Return a curve that jumps to forty times its value every fifteen steps from the onset on."""
    return lambda step: (
        value * (40 if step > ONSET and step % 15 == 0 else 1) * (1 + 0.1 * jitter(f"spiked {value}", step))
    )


def rarely(every: int, curve: Curve) -> Curve:
    """Return a curve that is logged now and then."""
    return lambda step: (curve(step) if callable(curve) else curve) if step % every == 0 else None


LEARNS = ramp(0.2, 0.7, 0.03)
STANDS = level(0.3, 0.05)
SCORE, TOTAL, NORM = "reward/score/mean", "reward/total/mean", "optimizer/gradient_norm"

CASES: dict[str, Case] = {
    "value-loss-spike": Case({"value/loss": spiked(0.3)}, {"value/loss": level(0.3, 0.1)}),
    "value-loss-growing": Case({"value/loss": grows(0.3, 1.6), SCORE: STANDS}, {"value/loss": ramp(0.5, 0.2)}),
    "explained-variance-negative": Case(
        {"value/explained_variance": ramp(0.4, -0.9, 0.03), "value/loss": ramp(0.3, 0.9)},
        {"value/explained_variance": ramp(0.1, 0.5, 0.03), "value/loss": ramp(0.9, 0.3)},
    ),
    "explained-variance-mse-negative": Case(
        {"value/explained_variance_mse": ramp(0.4, -2.0, 0.02), "value/loss": ramp(0.3, 0.9)},
        {"value/explained_variance_mse": ramp(0.1, 0.5, 0.03), "value/loss": ramp(0.9, 0.3)},
    ),
    "explained-variance-stays-low": Case(
        {"value/explained_variance": level(-0.03, 0.02), "value/loss": level(0.3, 0.02), SCORE: level(0.3, 0.03)},
        {"value/explained_variance": ramp(0.0, 0.5, 0.03), "value/loss": ramp(0.3, 0.1)},
    ),
    "critic-constant": Case(
        {"value/prediction_mean": 0.125, "return/mean": LEARNS}, {"value/prediction_mean": ramp(0.1, 0.6)}
    ),
    "entropy-gone": Case(
        {"entropy/policy": since(ONSET, level(0.5), 0.0), SCORE: STANDS}, {"entropy/policy": level(0.5)}
    ),
    "entropy-collapse": Case(
        {"entropy/policy": lambda t: 0.01 + 0.8 * math.exp(-max(0, t - ONSET) / 15), SCORE: STANDS},
        {"entropy/policy": ramp(0.8, 0.5), SCORE: LEARNS},
    ),
    "surprisal-collapse": Case(
        {"entropy/surprisal_sum": lambda t: 0.5 + 60 * math.exp(-max(0, t - ONSET) / 15), SCORE: STANDS},
        {"entropy/surprisal_sum": ramp(60, 45), SCORE: LEARNS},
    ),
    "entropy-falling-fast": Case(
        {"entropy/policy": ramp(0.8, 0.05, 0.01), SCORE: STANDS}, {"entropy/policy": ramp(0.8, 0.6), SCORE: LEARNS}
    ),
    "entropy-explosion": Case(
        {"entropy/policy": ramp(0.6, 3.5, 0.01, ONSET), SCORE: STANDS}, {"entropy/policy": level(0.6), SCORE: LEARNS}
    ),
    "surprisal-explosion": Case(
        {"entropy/surprisal_sum": ramp(50, 300, 0.01, ONSET), SCORE: STANDS, "length/response/mean": level(50)},
        {"entropy/surprisal_sum": level(50), SCORE: LEARNS},
    ),
    "one-response-left": Case(
        {
            "length/response/mean": since(ONSET, level(300), 1.0),
            "entropy/policy": since(ONSET, level(0.5), 0.0004),
            "reward/score/max": since(ONSET, 1.0, -1.0),
            "reward/score/min": -1.0,
            SCORE: since(ONSET, level(-0.2), -1.0),
        },
        {
            "length/response/mean": level(300),
            "entropy/policy": level(0.5),
            "reward/score/max": 1.0,
            "reward/score/min": -1.0,
            SCORE: LEARNS,
        },
    ),
    "entropy-stuck": Case({"entropy/policy": 0.7}, {"entropy/policy": level(0.7)}),
    "advantage-mean-stuck": Case(
        {"advantage/mean": 0.0, NORM: 0.0}, {"advantage/mean": level(0.01, 1), NORM: level(0.4)}
    ),
    "advantages-all-zero": Case(
        {"advantage/max": 0.0, "advantage/min": 0.0}, {"advantage/max": level(2.0), "advantage/min": level(-2.0)}
    ),
    "rewards-all-equal": Case({"reward/score/max": 1.0, "reward/score/min": 1.0}, {"reward/score/min": 0.0}),
    "no-reward-spread": Case(
        {"reward/zero_std_fraction": ramp(0.2, 0.95, 0.02), SCORE: STANDS},
        {"reward/zero_std_fraction": level(0.4, 0.08), SCORE: LEARNS},
    ),
    "reward-spread-gone": Case(
        {"reward/std": since(ONSET, level(0.4), level(0.005)), SCORE: STANDS}, {"reward/std": level(0.4), SCORE: LEARNS}
    ),
    "reward-stuck-at-minimum": Case({SCORE: 0.0, "reward/std": 0.0}, {SCORE: LEARNS, "reward/std": level(0.4)}),
    "gradient-norm-vanishing": Case({NORM: since(ONSET, level(0.4), 0.0), SCORE: STANDS}, {NORM: level(0.4)}),
    "loss-stuck-at-zero": Case(
        {"policy/loss": since(ONSET, level(0.02, 1), 0.0), NORM: since(ONSET, level(0.3), 0.0)},
        {"policy/loss": level(0.02, 1), NORM: level(0.3)},
    ),
    "learning-rate-zero": Case({"optimizer/learning_rate": 0.0, SCORE: STANDS}, {"optimizer/learning_rate": 1e-6}),
    "self-distillation-inactive": Case(
        {"self_distillation/reprompted_fraction": 0.0}, {"self_distillation/reprompted_fraction": level(0.3, 0.1)}
    ),
    "reward-negative-without-improvement": Case({SCORE: level(-0.8)}, {SCORE: ramp(-0.8, 0.6)}),
    "truncation-high": Case(
        {"length/truncated_fraction": ramp(0.05, 0.9, 0.02), SCORE: STANDS},
        {"length/truncated_fraction": level(0.05, 0.3), SCORE: LEARNS},
    ),
    "none-counted": Case(
        {
            "length/truncated_fraction": since(ONSET, level(0.4), 1.0),
            NORM: since(ONSET, level(0.3), 0.0),
            "reward/std": level(0.3),
        },
        {"length/truncated_fraction": level(0.05, 0.3), NORM: level(0.3), "reward/std": level(0.3), SCORE: LEARNS},
    ),
    "truncation-rising": Case(
        {"length/truncated_fraction": ramp(0.02, 0.45, 0.02), "length/response/mean": ramp(300, 900), SCORE: STANDS},
        {"length/truncated_fraction": ramp(0.01, 0.06), "length/response/mean": ramp(300, 700), SCORE: LEARNS},
    ),
    "no-end-tokens": Case({"length/end_token_count": 0.0}, {"length/end_token_count": level(40)}),
    "length-grows": Case({"length/response/mean": ramp(300, 700)}, {"length/response/mean": ramp(300, 380)}),
    "length-exploit": Case(
        {
            "completions/mean_length": ramp(200, 900, 0.003),
            "reward": ramp(0.2, 0.8, 0.01),
            "eval_reward": rarely(10, level(0.3, 0.02)),
        },
        {"completions/mean_length": ramp(200, 430), "eval_reward": rarely(10, ramp(0.2, 0.7, 0.02))},
        GRPO,
    ),
    "length-collapse": Case(
        {"length/response/mean": since(ONSET, level(300), level(20)), SCORE: STANDS},
        {"length/response/mean": ramp(300, 250), SCORE: LEARNS},
    ),
    "step-time-growing": Case(
        {"timing/step": ramp(40, 110, 0.01), "length/response/mean": level(300)},
        {"timing/step": ramp(40, 76, 0.01), "length/response/mean": ramp(300, 690)},
    ),
    "throughput-falling": Case(
        {"throughput/tokens_per_second_per_device": ramp(3000, 1000)},
        {"throughput/tokens_per_second_per_device": level(3000, 0.05)},
    ),
    "host-memory-leak": Case(
        {"memory/host_used": ramp(60, 140), "timing/step": ramp(40, 55)}, {"memory/host_used": level(60)}
    ),
    "loss-non-finite": Case({"loss/total": since(ONSET, level(0.2), math.nan)}, {"loss/total": level(0.2)}),
    "gradient-norm-non-finite": Case({NORM: since(ONSET, level(0.2), math.inf)}, {NORM: level(0.2)}),
    "score-non-finite": Case({SCORE: since(ONSET, level(0.2), "NaN")}, {SCORE: LEARNS}),
    "value-loss-non-finite": Case({"value/loss": since(ONSET, level(0.2), math.nan)}, {"value/loss": level(0.2)}),
    "divergence-non-finite": Case(
        {"kl/reference/k3": since(ONSET, level(0.02), math.nan)}, {"kl/reference/k3": level(0.02)}
    ),
    "margin-non-finite": Case(
        {"preference/reward/margin": since(ONSET, level(0.2), -math.inf)}, {"preference/reward/margin": level(0.2)}
    ),
    "steps-skipped": Case({NORM: lambda t: math.inf if t == ONSET else 0.4 + 0.01 * (t % 5)}, {NORM: level(0.4)}),
    "no-reward-returned": Case(
        {"reward": since(ONSET, level(0.3), lambda _: "null"), "loss": level(0.02, 1)}, {"reward": LEARNS}, GRPO
    ),
    "zeros-for-nan": Case(
        {
            name: since(ONSET, level(0.3), 0.0)
            for name in ("loss/total", NORM, "entropy/policy", "preference/reward/margin")
        },
        {name: level(0.3) for name in ("loss/total", NORM, "entropy/policy", "preference/reward/margin")},
    ),
    "no-target-tokens": Case(
        {"preference/logprob/chosen": 0.0, "preference/logprob/rejected": 0.0},
        {"preference/logprob/chosen": level(-90), "preference/logprob/rejected": level(-95)},
    ),
    "no-supervised-targets": Case(
        {"sft/loss": 0.0, "sft/token_accuracy": 0.0}, {"sft/loss": ramp(2.0, 1.4), "sft/token_accuracy": level(0.6)}
    ),
    "chosen-logprob-crashes": Case(
        {"preference/logprob/chosen": since(SOON, -90.0, level(-700, 0.1))},
        {"preference/logprob/chosen": ramp(-90, -130)},
    ),
    "divergence-at-once": Case(
        {"kl/reference/k3": since(SOON, 0.0, 2.8), NORM: since(SOON + 1, 0.5, 0.0), SCORE: level(0.1)},
        {"kl/reference/k3": ramp(0.02, 0.2), NORM: level(0.5), SCORE: LEARNS},
    ),
    "signal-lost-at-once": Case(
        {
            NORM: since(SOON + 1, 0.5, 0.0),
            SCORE: since(SOON, 0.3, 0.0),
            "length/response/mean": since(SOON, 300.0, 1.0),
        },
        {NORM: level(0.5), SCORE: LEARNS, "length/response/mean": level(300)},
    ),
    "supervised-loss-explodes": Case({"sft/loss": since(SOON, 2.0, level(9.0))}, {"sft/loss": ramp(2.0, 1.4)}),
    "reward-without-number": Case(
        {
            "reward": since(ONSET, level(0.3), 0.0),
            "rewards/correct/mean": since(ONSET, level(0.3), math.nan),
        },
        {"reward": LEARNS, "rewards/correct/mean": LEARNS},
        GRPO,
    ),
    "nothing-ends": Case(
        {"length/truncated_fraction": 1.0, SCORE: STANDS},
        {"length/truncated_fraction": level(0.05, 0.2), SCORE: LEARNS},
    ),
    "length-never-varies": Case({"length/response/mean": 512.0}, {"length/response/mean": level(400)}),
    "reference-far-at-start": Case(
        {"kl/reference/k3": level(0.3, 0.1), "progress/episode": lambda t: 64 * t, SCORE: LEARNS},
        {"progress/episode": lambda t: 64 * (t + 900)},
    ),
    "reference-far-at-start-sum": Case(
        {"kl/old_reference_sum/k1": level(12, 0.1), "progress/epoch": lambda t: t / 40, SCORE: LEARNS},
        {"kl/old_reference_sum/k1": ramp(0.0, 12), SCORE: LEARNS},
    ),
    "reward-never-moves": Case({SCORE: 0.5}, {SCORE: LEARNS}),
    "implicit-rewards-zero": Case(
        {"preference/reward/chosen": 0.0, "preference/reward/margin": 0.0},
        {"preference/reward/chosen": ramp(0.0, -0.2), "preference/reward/margin": ramp(0.0, 1.2)},
    ),
    "chosen-reward-falling": Case(
        {
            "preference/reward/chosen": ramp(0, -9),
            "preference/reward/rejected": ramp(0, -14),
            "preference/reward/margin": ramp(0, 5),
        },
        {"preference/reward/chosen": ramp(0, -0.3), "preference/reward/rejected": ramp(0, -1.5)},
    ),
    "desirable-reward-falling": Case(
        {"unpaired/reward/chosen": ramp(0, -9), "unpaired/reward/rejected": ramp(0, -10)},
        {"unpaired/reward/chosen": ramp(0, 1), "unpaired/reward/rejected": ramp(0, -10)},
    ),
    "preference-accuracy-chance": Case(
        {"preference/reward/accuracy": level(0.3, 0.1), "preference/reward/margin": level(-0.5, 0.1)},
        {"preference/reward/accuracy": ramp(0.5, 0.8, 0.05), "preference/reward/margin": ramp(0, 1.2)},
    ),
    "preference-accuracy-saturated": Case(
        {"preference/reward/accuracy": 1.0}, {"preference/reward/accuracy": ramp(0.5, 0.8)}
    ),
    "margin-without-accuracy": Case(
        {"preference/reward/margin": ramp(0, 6, 0.01), "preference/reward/accuracy": level(0.52, 0.04)},
        {"preference/reward/margin": ramp(0, 1.2), "preference/reward/accuracy": ramp(0.5, 0.85)},
    ),
    "preference-margin-negative": Case(
        {"preference/reward/margin": ramp(0, -3), "preference/reward/accuracy": level(0.3, 0.05)},
        {"preference/reward/margin": ramp(0, 1.2), "preference/reward/accuracy": ramp(0.5, 0.8)},
    ),
    "preference-loss-above-start": Case(
        {"preference/loss/sigmoid": level(1.4, 0.05), "preference/reward/accuracy": level(0.4, 0.05)},
        {"preference/loss/sigmoid": ramp(0.69, 0.4), "preference/reward/accuracy": ramp(0.5, 0.8)},
    ),
    "reference-is-another": Case(
        {
            "preference/reward/chosen": level(-8, 0.1),
            "preference/reward/rejected": level(-9, 0.1),
            "preference/reward/margin": level(1, 0.1),
        },
        {
            "preference/reward/chosen": ramp(0, -0.2),
            "preference/reward/rejected": ramp(0, -1.2),
            "preference/reward/margin": ramp(0, 1),
        },
    ),
    "margin-beyond-loss": Case(
        {"preference/reward/margin": level(140, 0.05), "preference/loss/sigmoid": 0.0},
        {"preference/reward/margin": ramp(0, 3), "preference/loss/sigmoid": ramp(0.69, 0.2)},
    ),
    "length-normalised-accuracy-chance": Case(
        {"preference/reward_free_average/accuracy": level(0.3, 0.05)},
        {"preference/reward_free_average/accuracy": ramp(0.5, 0.8)},
    ),
    "preferred-responses-unlikely": Case(
        {"preference/logprob_average/chosen": level(-6)}, {"preference/logprob_average/chosen": level(-1.2)}
    ),
    "log-odds-negative": Case(
        {"preference/log_odds/mean": level(-0.4, 0.1)}, {"preference/log_odds/mean": ramp(-0.1, 1)}
    ),
    "logprob-gap-is-length": Case(
        {"preference/logprob/chosen": ramp(-150, -600), "preference/logprob/rejected": ramp(-160, -700)},
        {"preference/logprob/chosen": ramp(-150, -155), "preference/logprob/rejected": ramp(-160, -180)},
    ),
    "kl-drastic": Case({"kl/reference/k3": ramp(0, 1.2)}, {"kl/reference/k3": ramp(0, 0.2)}),
    "kl-explosion": Case(
        {"kl/reference/k3": grows(0.03, 2), SCORE: STANDS}, {"kl/reference/k3": ramp(0.05, 0.8), SCORE: LEARNS}
    ),
    "kl-sum-explosion": Case(
        {"kl/old_reference_sum/k1": grows(4, 1.8), SCORE: STANDS},
        {"kl/old_reference_sum/k1": ramp(0, 12), SCORE: LEARNS},
    ),
    "kl-jump": Case({"kl/reference/k3": spiked(0.05)}, {"kl/reference/k3": level(0.05, 0.1)}),
    "kl-slow": Case(
        {"kl/reference/k3": level(0.0002, 0.1), SCORE: STANDS}, {"kl/reference/k3": ramp(0, 0.1), SCORE: LEARNS}
    ),
    "reference-kl-negative": Case(
        {"kl/old_reference_sum/k1": since(ONSET, level(4), level(-6))}, {"kl/old_reference_sum/k1": level(4)}
    ),
    "reference-kl-not-positive": Case(
        {"kl/old_reference_sum/k1": level(-0.5, 0.1)}, {"kl/old_reference_sum/k1": level(4)}
    ),
    "impossible-divergence": Case(
        {"kl/reference/k3": since(ONSET, level(0.02), -0.4)}, {"kl/reference/k3": level(0.02)}
    ),
    "divergence-below-zero": Case({"kl/reference/k3": level(-0.02, 0.1)}, {"kl/reference/k3": level(0.02)}),
    "kl-coefficient-rising": Case(
        {"kl/coefficient": ramp(0.05, 0.4), "kl/old_reference_sum/k1": ramp(4, 25)},
        {"kl/coefficient": level(0.05, 0.05), "kl/old_reference_sum/k1": level(6, 0.05)},
    ),
    "over-optimised": Case(
        {"kl/reference/k3": ramp(0.02, 0.6), SCORE: ramp(0.7, 0.3)}, {"kl/reference/k3": ramp(0.02, 0.2), SCORE: LEARNS}
    ),
    "reward-falling": Case({SCORE: ramp(0.6, 0.2, 0.02)}, {SCORE: LEARNS}),
    "reward-plateau": Case(
        {
            SCORE: lambda t: 0.2 + 0.35 * (1 - math.exp(-t / 15)) + 0.015 * jitter("plateau", t),
            "reward/std": level(0.45),
        },
        {SCORE: ramp(0.2, 0.7, 0.03, 1, 420)},
        steps=420,
    ),
    "no-improvement": Case({SCORE: STANDS}, {SCORE: ramp(0.2, 0.7, 0.02, 1, 1400)}, steps=1400),
    "held-out-falls": Case(
        {
            "reward": LEARNS,
            "eval_reward": rarely(10, lambda t: 0.5 - 0.3 * max(0, t - 60) / 200 + 0.005 * jitter("held", t)),
        },
        {"eval_reward": rarely(10, ramp(0.2, 0.6, 0.03))},
        GRPO,
    ),
    "held-out-falls-behind": Case(
        {"reward": LEARNS, "eval_reward": rarely(10, level(0.3, 0.01))},
        {"eval_reward": rarely(10, ramp(0.2, 0.6))},
        GRPO,
    ),
    "overfits": Case(
        {"eval_loss": rarely(10, lambda t: 2 - 0.009 * min(t, 120) + 0.006 * max(0, t - 120)), "loss": ramp(2, 0.3)},
        {"eval_loss": rarely(10, ramp(2, 1.2, 0.003)), "loss": ramp(2, 0.9)},
        "trl[SFTTrainer]==1.16.0",
    ),
    "overfits-pairs": Case(
        {
            "eval_loss": rarely(10, lambda t: 0.69 - 0.001 * min(t, 100) + 0.003 * max(0, t - 100)),
            "loss": ramp(0.69, 0.05),
        },
        {"eval_loss": rarely(10, lambda t: 0.69 - 0.001 * min(t, 100) + 0.0005 * max(0, t - 100))},
        "trl[DPOTrainer]==1.16.0",
    ),
    "component-farmed": Case(
        {
            "rewards/format/mean": ramp(0.1, 0.9, 0.01, 1, 300),
            "rewards/correct/mean": level(0.1, 0.05),
            "reward": LEARNS,
        },
        {"rewards/correct/mean": ramp(0.1, 0.7, 0.01, 1, 300)},
        GRPO,
        300,
    ),
    "win-rate-against-self": Case(
        {"online_preference/score_win_fraction": level(0.3, 0.05)},
        {"online_preference/score_win_fraction": ramp(0.5, 0.7)},
    ),
    "rollout-weight-off": Case({"sampling/token_weight/mean": level(0.3)}, {"sampling/token_weight/mean": level(1.0)}),
    "effective-sample-low": Case(
        {"rollout/token_weight/effective_fraction": level(0.2)}, {"rollout/token_weight/effective_fraction": level(0.9)}
    ),
    "rollout-weight-spread": Case({"rollout/token_weight/std": level(2.0)}, {"rollout/token_weight/std": level(0.2)}),
    "rollout-divergence": Case({"kl/rollout/k1": level(0.3)}, {"kl/rollout/k1": level(0.002)}),
    "rollout-chi-squared": Case({"rollout/chi_squared/token": level(3.0)}, {"rollout/chi_squared/token": level(0.05)}),
    "rollout-veto": Case(
        {"rollout/veto/response_fraction": level(0.4)}, {"rollout/veto/response_fraction": level(0.01)}
    ),
    "sampling-mismatch": Case(
        {"sampling/logprob_difference/mean": since(ONSET, level(0.02), level(0.5))},
        {"sampling/logprob_difference/mean": level(0.02)},
    ),
    "sampling-mismatch-growing": Case(
        {"sampling/logprob_difference/mean": ramp(0.01, 0.2)}, {"sampling/logprob_difference/mean": level(0.01, 0.1)}
    ),
    "rollout-trainer-decorrelated": Case(
        {"rollout/probability_correlation": level(0.6), "rollout/probability_difference/mean": level(0.08)},
        {"rollout/probability_correlation": level(0.995, 0.001), "rollout/probability_difference/mean": level(0.004)},
    ),
    "rejection-too-much": Case(
        {"rollout/rejection/token_fraction": level(0.7), "kl/rollout/k3": level(0.2)},
        {"rollout/rejection/token_fraction": level(0.02), "kl/rollout/k3": level(0.001)},
    ),
    "responses-aborted": Case(
        {"rollout/aborted_fraction": level(0.2), SCORE: STANDS}, {"rollout/aborted_fraction": 0.0}
    ),
    "rollouts-stale": Case({"training/staleness/mean": ramp(1, 9)}, {"training/staleness/mean": level(1.2, 0.1)}),
    "samples-dropped": Case(
        {"asynchrony/dropped_samples": ramp(0, 90), "asynchrony/trainer_idle_fraction": level(0.7)},
        {"asynchrony/dropped_samples": 0.0, "asynchrony/trainer_idle_fraction": level(0.1)},
    ),
    "ratio-too-high": Case(
        {"policy/ratio/mean": since(ONSET, level(1.0, 0.01), 4.0)}, {"policy/ratio/mean": level(1.0, 0.01)}
    ),
    "ratio-too-low": Case(
        {"policy/ratio/mean": since(ONSET, level(1.0, 0.01), 0.05)}, {"policy/ratio/mean": level(1.0, 0.01)}
    ),
    "ratio-hopeless": Case(
        {"policy/ratio/mean": since(ONSET, level(1.0, 0.01), 900.0)}, {"policy/ratio/mean": level(1.0, 0.01)}
    ),
    "approx-kl-drastic": Case(
        {"kl/old/k1": ramp(0.002, 0.6, 0.01, ONSET), "policy/clip_fraction": ramp(0.05, 0.7)},
        {"kl/old/k1": level(0.002, 0.2), "policy/clip_fraction": level(0.05, 0.2)},
    ),
    "update-slow": Case(
        {"kl/old/k1": level(0.00001, 0.1), SCORE: STANDS}, {"kl/old/k1": level(0.003, 0.1), SCORE: LEARNS}
    ),
    "clip-fraction-high": Case({"policy/clip_fraction": ramp(0.05, 0.6)}, {"policy/clip_fraction": level(0.1, 0.1)}),
    "cispo-cap-below-one": Case({"group/cispo_clip_fraction": level(0.6)}, {"group/cispo_clip_fraction": level(0.01)}),
    "gradient-norm-high": Case(
        {NORM: ramp(2, 60, 0.002, ONSET), SCORE: ramp(0.6, 0.2)}, {NORM: level(0.5, 0.1), SCORE: LEARNS}
    ),
    "gradient-spikes": Case({NORM: spiked(0.5)}, {NORM: level(0.5, 0.2)}),
    "loss-spikes": Case({"loss/total": spiked(0.5)}, {"loss/total": level(0.5, 0.1)}),
    "fluctuation-does-not-shrink": Case(
        {SCORE: lambda t: 0.4 + (0.02 if t < ONSET else 0.3) * jitter("wild", t)},
        {SCORE: lambda t: 0.4 + 0.02 * jitter("calm", t)},
    ),
    "collapse-at-once": Case(
        {
            "entropy/policy": lambda t: 3.0 if t < 12 else 0.0,
            SCORE: level(0.1, 0.1),
            NORM: lambda t: 0.5 if t < 12 else 0.0,
        },
        {"entropy/policy": ramp(3.0, 2.5), SCORE: LEARNS, NORM: level(0.5)},
    ),
}
