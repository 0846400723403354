"""Makes runs whose ailment is known: curves by canonical name, and the keys by which any release spells them.

Everything is seeded. Each ailment has a healthy twin of the same seed, which is equal up to the onset; look-alikes are
healthy runs that resemble an ailment. Levels are those of papers and of real logs, not those of the rules.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from health_ailments import AILMENTS, FROM_START, LOOK_ALIKES, Row
from rlmetrics.names import open_view

SOURCES = {
    "grpo": ("trl[GRPOTrainer]==1.16.0", "verl==0.9.1", "trl[GRPOTrainer]==0.18.2"),
    "ppo": ("trl[PPOTrainer]==0.11.4", "verl==0.9.1", "trl[PPOTrainer]==0.18.2"),
    "dpo": ("trl[DPOTrainer]==1.16.0", "trl[DPOTrainer]==0.18.2"),
}
"""Where the runs of each family are spelled."""

STEPS, ONSET = 240, 80


@dataclass
class Run:
    """A run.

    Attributes:
        family: ``grpo``, ``ppo`` or ``dpo``.
        scenario: The ailment or look-alike; ``healthy`` for none.
        seed: The seed.
        rows: Values by canonical name; a name may end in ``{placeholder}=value`` pairs after a ``@``.
        causes: Which causes name the ailment; empty for healthy runs.
        onset: The step at which it begins; None for healthy runs.
    """

    family: str
    scenario: str
    seed: int
    rows: list[Row]
    causes: frozenset[str] = frozenset()
    onset: int | None = None
    config: dict[str, Any] = field(default_factory=dict)


def grpo(seed: int, steps: int = STEPS) -> list[Row]:
    """Return a healthy run with groups and no critic."""
    noise = random.Random(f"grpo {seed}")
    top = noise.uniform(0.55, 0.8)
    start = noise.uniform(0.15, 0.3)
    entropy = noise.uniform(0.45, 1.1)
    long = noise.uniform(250, 700)
    rows = []
    for step in range(1, steps + 1):
        share = step / steps
        rate = start + (top - start) / (1 + math.exp(-7 * (share - 0.5)))
        rows.append(
            {
                "step": step,
                "reward/score/mean": rate + noise.gauss(0, 0.025),
                "reward/total/mean": rate + noise.gauss(0, 0.025),
                "reward/std": math.sqrt(rate * (1 - rate)) * 0.7 + noise.gauss(0, 0.015),
                "reward/score/max": 1.0,
                "reward/score/min": 0.0,
                "reward/zero_std_fraction": min(1, max(0, rate**8 + (1 - rate) ** 8 + noise.gauss(0, 0.03))),
                "reward/function/mean@correct": rate + noise.gauss(0, 0.02),
                "reward/function/mean@format": 0.6 + 0.38 * (1 - math.exp(-12 * share)) + noise.gauss(0, 0.01),
                "entropy/policy": entropy * (0.55 + 0.45 * math.exp(-2 * share)) + noise.gauss(0, 0.012),
                "entropy/old_policy": entropy * (0.55 + 0.45 * math.exp(-2 * share)) + noise.gauss(0, 0.012),
                "kl/reference/k3": 0.002 + 0.06 * share**1.2 + abs(noise.gauss(0, 0.002)),
                "kl/old/k1": 0.0006 + abs(noise.gauss(0, 0.0004)),
                "policy/clip_fraction": 0.01 + abs(noise.gauss(0, 0.004)),
                "policy/loss": noise.gauss(0.0, 0.02),
                "loss/total": noise.gauss(0.01, 0.02),
                "optimizer/gradient_norm": 0.35 * math.exp(noise.gauss(0, 0.18)),
                "optimizer/learning_rate": 1e-6,
                "length/response/mean": long * (1 + 0.25 * share) + noise.gauss(0, long * 0.03),
                "length/truncated_fraction": max(0, 0.01 + noise.gauss(0, 0.006)),
                "length/at_limit_fraction": max(0.002, 0.01 + noise.gauss(0, 0.006)),
                "advantage/mean": noise.gauss(0, 0.02),
                "advantage/max": 2.1 + noise.gauss(0, 0.15),
                "advantage/min": -2.1 + noise.gauss(0, 0.15),
                "timing/step": 40 + noise.gauss(0, 1.5),
            }
        )
    return rows


def ppo(seed: int, steps: int = STEPS) -> list[Row]:
    """Return a healthy run with a critic and a learnt reward; divergences are summed over a response."""
    noise = random.Random(f"ppo {seed}")
    gain = noise.uniform(1.0, 2.2)
    entropy = noise.uniform(1.2, 2.2)
    long = noise.uniform(40, 90)
    rows = []
    for step in range(1, steps + 1):
        share = step / steps
        score = -0.4 + gain * (1 - math.exp(-3 * share))
        divergence = 9 * (1 - math.exp(-4 * share))
        rows.append(
            {
                "step": step,
                "reward/score/mean": score + noise.gauss(0, 0.08),
                "reward/total/mean": score - 0.05 * divergence + noise.gauss(0, 0.08),
                "reward/score/std": 0.8 + noise.gauss(0, 0.05),
                "reward/score/max": score + 2 + noise.gauss(0, 0.1),
                "reward/score/min": score - 2 + noise.gauss(0, 0.1),
                "entropy/policy": entropy * (1 - 0.25 * share) + noise.gauss(0, 0.03),
                "entropy/old_policy": entropy * (1 - 0.25 * share) + noise.gauss(0, 0.03),
                "entropy/surprisal_sum": long * entropy * (1 - 0.25 * share) + noise.gauss(0, 2),
                "kl/old_reference_sum/k1": divergence + abs(noise.gauss(0, 0.3)),
                "kl/old_reference/k1": (divergence + abs(noise.gauss(0, 0.3))) / long,
                "kl/reference/k3": (divergence + abs(noise.gauss(0, 0.3))) / long,
                "kl/old/k1": 0.004 + abs(noise.gauss(0, 0.002)),
                "kl/old/k2": 0.004 + abs(noise.gauss(0, 0.002)),
                "kl/coefficient": 0.05,
                "policy/clip_fraction": 0.06 + noise.gauss(0, 0.015),
                "policy/ratio/mean": 1 + noise.gauss(0, 0.01),
                "policy/loss": -0.02 + noise.gauss(0, 0.01),
                "loss/total": 0.05 + noise.gauss(0, 0.02),
                "value/loss": 0.6 * math.exp(-1.2 * share) * math.exp(noise.gauss(0, 0.12)),
                "value/explained_variance": 0.55 * (1 - math.exp(-4 * share)) + noise.gauss(0, 0.06),
                "value/explained_variance_mse": 0.5 * (1 - math.exp(-4 * share)) + noise.gauss(0, 0.08) - 0.05,
                "value/prediction_mean": score + noise.gauss(0, 0.1),
                "return/mean": score + noise.gauss(0, 0.1),
                "optimizer/gradient_norm": 1.1 * math.exp(noise.gauss(0, 0.2)),
                "optimizer/learning_rate": 1.4e-5,
                "length/response/mean": long * (1 + 0.1 * share) + noise.gauss(0, 2),
                "length/truncated_fraction": max(0, 0.03 + noise.gauss(0, 0.01)),
                "length/at_limit_fraction": max(0.01, 0.03 + noise.gauss(0, 0.01)),
                "advantage/mean": noise.gauss(0, 0.02),
                "advantage/max": 2.6 + noise.gauss(0, 0.2),
                "advantage/min": -2.6 + noise.gauss(0, 0.2),
                "timing/step": 18 + noise.gauss(0, 0.6),
            }
        )
    return rows


def dpo(seed: int, steps: int = STEPS) -> list[Row]:
    """Return a healthy run on preference pairs."""
    noise = random.Random(f"dpo {seed}")
    strength = noise.uniform(0.8, 1.6)
    rows = []
    for step in range(1, steps + 1):
        share = step / steps
        margin = strength * (1 - math.exp(-3 * share))
        chosen = -0.12 * margin
        rows.append(
            {
                "step": step,
                "preference/loss/sigmoid": math.log(1 + math.exp(-margin)) + abs(noise.gauss(0, 0.03)),
                "preference/reward/chosen": chosen + noise.gauss(0, 0.05),
                "preference/reward/rejected": chosen - margin + noise.gauss(0, 0.05),
                "preference/reward/margin": margin + noise.gauss(0, 0.06),
                "preference/reward/accuracy": min(1, 0.5 + 0.28 * (1 - math.exp(-4 * share)) + noise.gauss(0, 0.04)),
                "preference/logprob/chosen": -180 + 10 * chosen + noise.gauss(0, 4),
                "preference/logprob/rejected": -190 + 10 * (chosen - margin) + noise.gauss(0, 4),
                "optimizer/gradient_norm": 8 * math.exp(noise.gauss(0, 0.2)),
                "optimizer/learning_rate": 5e-7 * (1 - 0.9 * share),
            }
        )
    return rows


FAMILIES: dict[str, Callable[..., list[Row]]] = {"grpo": grpo, "ppo": ppo, "dpo": dpo}


def simulate(family: str, scenario: str = "healthy", seed: int = 0, steps: int = STEPS, onset: int = ONSET) -> Run:
    """Return a run with canonical names."""
    rows = FAMILIES[family](seed, steps)
    noise = random.Random(f"{scenario} {seed}")
    if scenario == "healthy":
        return Run(family, scenario, seed, rows)
    if scenario in LOOK_ALIKES[family]:
        LOOK_ALIKES[family][scenario](rows, noise)
        return Run(family, scenario, seed, rows)
    inject, causes = AILMENTS[family][scenario]
    inject(rows, onset, noise)
    return Run(family, scenario, seed, rows, causes, 1 if scenario in FROM_START else onset)


@lru_cache(maxsize=64)
def spelling(source: str) -> Mapping[str, str]:
    """Return the key of each metric that a source logs by its own name, with values for placeholders."""
    found: dict[str, str] = {}
    for entry in open_view(source).entries():
        if entry.metric is None or entry.mode != "train" or entry.kind not in ("scalar", "counter"):
            continue
        if entry.metric == "reward/function/mean" or "{" not in entry.key:
            found.setdefault(entry.metric, entry.key)
    return found


def spelled(rows: Iterable[Row], source: str) -> list[dict[str, Any]]:
    """Return rows with the keys of a source; what it does not log is left out."""
    keys = spelling(source)
    made = []
    for row in rows:
        new: dict[str, Any] = {"step": row["step"]}
        for name, value in row.items():
            metric, _, of = name.partition("@")
            if metric in keys:
                key = keys[metric]
                new[key.replace("{reward_func}", of) if of else key] = value
        made.append(new)
    return made


_SIGNS: dict[str, tuple[str, ...]] = {
    "entropy_collapse": ("entropy/policy", "entropy/old_policy", "entropy/surprisal_sum"),
    "entropy_explosion": ("entropy/policy", "entropy/old_policy", "entropy/surprisal_sum"),
    "all_right": ("reward/std", "reward/zero_std_fraction"),
    "length_hack": ("length/response/mean",),
    "truncation": ("length/truncated_fraction", "length/at_limit_fraction"),
    "gradient_spikes": ("optimizer/gradient_norm",),
    "throughput_rot": ("timing/step",),
    "farmed_format": ("reward/function/mean",),
    "dead_critic": ("value/loss",),
    "controller_in_vain": ("kl/coefficient",),
}
"""What an ailment can be told by; one of them must be logged."""


def shows(run: Run, source: str) -> bool:
    """Whether a source logs what the ailment of a run can be told by."""
    return run.scenario not in _SIGNS or (
        any(metric in spelling(source) for metric in _SIGNS[run.scenario])
        and not (run.scenario == "farmed_format" and not source.startswith("trl"))
    )


def all_runs(seeds: Sequence[int]) -> Iterator[Run]:
    """Yield every ailment, look-alike and healthy run for some seeds."""
    for family in FAMILIES:
        for seed in seeds:
            yield simulate(family, "healthy", seed)
            for scenario in (*LOOK_ALIKES[family], *AILMENTS[family]):
                yield simulate(family, scenario, seed)
