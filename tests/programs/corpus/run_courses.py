"""How a training goes: values that nobody logs, from which the trainers of this corpus compute what they log.

A course gives each quantity a start, an end and noise. What goes wrong is an event: from its step on, a quantity walks
to another value. Batches are drawn, so that means, spreads, shares and limits fit each other as they do in reality.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Batch", "Course", "Event", "Score", "draw_batch", "draw_pairs", "mean", "std"]

NAN = math.nan


def mean(values: Sequence[float]) -> float:
    """Return the mean of ``values``, or 0 of nothing."""
    return sum(values) / len(values) if values else 0.0


def std(values: list[float]) -> float:
    """Return the spread of ``values`` as ``torch.std`` does: over n - 1."""
    if len(values) < 2:
        return 0.0
    middle = mean(values)
    return math.sqrt(sum((value - middle) ** 2 for value in values) / (len(values) - 1))


@dataclass(frozen=True)
class Event:
    """From step ``at`` on, ``what`` walks to ``to`` within ``over`` steps; until step ``until``, if that is given."""

    what: str
    at: int
    to: float
    over: int = 1
    until: int | None = None


@dataclass(frozen=True)
class Course:
    """The course of one training of ``steps`` optimizer steps.

    ``values`` gives (start, end, relative noise) for each quantity; quantities walk from start to end and slow down.
    """

    steps: int
    values: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    def at(self, what: str, step: int, rng: random.Random, default: tuple[float, float, float]) -> float:
        """Return the value of ``what`` at ``step``."""
        start, end, noise = self.values.get(what, default)

        def smooth(place: int) -> float:
            return start + (end - start) * (1 - math.exp(-3 * place / self.steps)) / (1 - math.exp(-3))

        value = smooth(step)
        for event in self.events:
            if event.what == what and step >= event.at and (event.until is None or step < event.until):
                left = smooth(event.at)
                value = left + (event.to - left) * min(1.0, (step - event.at + 1) / event.over)
        return value * (1 + noise * rng.gauss(0, 1)) if noise else value


@dataclass(frozen=True)
class Score:
    """A reward function: a success of ``scale``, a format, a length in ``scale`` a token, or a learned score."""

    name: str
    what: str = "success"
    scale: float = 1.0


@dataclass
class Batch:
    """What one step sampled: lengths and scores of all responses, grouped by prompt, and the quantities of the step."""

    lengths: list[int]
    limit: int
    cut: list[bool]
    scores: dict[str, list[float]]
    groups: int
    values: dict[str, float]

    @property
    def rewards(self) -> list[float]:
        """The sum of all reward functions, for each response."""
        return [sum(each) for each in zip(*self.scores.values(), strict=True)]

    @property
    def group_stds(self) -> list[float]:
        """The spread of rewards within each prompt."""
        rewards, size = self.rewards, len(self.lengths) // self.groups
        return [std(rewards[first : first + size]) for first in range(0, len(rewards), size)]


def draw_batch(
    course: Course, step: int, rng: random.Random, scores: list[Score], groups: int, generations: int, limit: int
) -> Batch:
    """Sample ``groups`` prompts with ``generations`` responses each, as the model of ``step`` would answer them."""

    def now(what: str, *default: float) -> float:
        return course.at(what, step, rng, (*default,))  # type: ignore[arg-type]

    success, hard = min(1.0, max(0.0, now("success", 0.3, 0.6, 0.0))), now("hard", 1.2, 1.2, 0.0)
    form, typical = now("format", 0.7, 0.98, 0.0), now("length", 0.3 * limit, 0.35 * limit, 0.02)
    wide, learned = now("wide", 0.35, 0.35, 0.0), now("learned", 0.0, 1.0, 0.0)
    found = Batch([], limit, [], {score.name: [] for score in scores}, groups, {})
    for _ in range(groups):
        # Prompts are easy or hard: the odds of a success differ between them.
        odds = math.log(max(success, 1e-9) / max(1 - success, 1e-9)) + rng.gauss(0, hard)
        chance = 1 / (1 + math.exp(-max(-50.0, min(50.0, odds)))) if 0 < success < 1 else success
        for _ in range(generations):
            length = max(1, round(typical * math.exp(rng.gauss(0, wide))))
            found.cut.append(length >= limit)
            found.lengths.append(min(length, limit))
            right = rng.random() < chance and not found.cut[-1]
            formed = rng.random() < form and not found.cut[-1]
            for score in scores:
                value = {
                    "success": float(right),
                    "format": float(formed),
                    "length": found.lengths[-1],
                    "learned": learned + 0.6 * rng.gauss(0, 1) * now("fine", 1.0, 1.0, 0.0),
                }[score.what]
                found.scores[score.name].append(value * score.scale)
    found.values = {
        "entropy": now("entropy", 0.5, 0.3, 0.05),
        "kl": now("kl", 2e-4, 0.02, 0.15),
        "grad": now("grad", 0.25, 0.2, 0.15),
        "clip": now("clip", 0.0, 0.0, 0.3),
        "explained": now("explained", 0.1, 0.7, 0.02),
        "value_loss": now("value_loss", 0.6, 0.15, 0.1),
        "nan": now("nan", 0.0, 0.0, 0.0),
        "none": now("none", 0.0, 0.0, 0.0),
        "drift": now("drift", 3e-4, 3e-4, 0.2),
        "slow": now("slow", 1.0, 1.0, 0.0),
        "mismatch": now("mismatch", 0.01, 0.012, 0.1),
        "coefficient": now("coefficient", 0.2, 0.2, 0.0),
    }
    return found


def draw_pairs(course: Course, step: int, rng: random.Random, pairs: int) -> dict[str, Any]:
    """Sample the implicit rewards of ``pairs`` pairs, and the loss that follows from them."""
    spread = course.at("spread", step, rng, (0.02, 1.2, 0.0))
    better = course.at("chosen", step, rng, (0.0, 0.4, 0.0))
    worse = course.at("rejected", step, rng, (0.0, -1.4, 0.0))
    chosen = [better + spread * rng.gauss(0, 1) for _ in range(pairs)]
    rejected = [worse + spread * rng.gauss(0, 1) for _ in range(pairs)]
    margins = [one - other for one, other in zip(chosen, rejected, strict=True)]
    if course.at("nan", step, rng, (0.0, 0.0, 0.0)):
        chosen, rejected, margins = [NAN], [NAN], [NAN]
    losses = [m if math.isnan(m) else math.log1p(math.exp(-m)) if m > -30 else -m for m in margins]
    return {
        "loss": mean(losses),
        "chosen": mean(chosen),
        "rejected": mean(rejected),
        "accuracy": mean([float(m > 0) for m in margins]),
        "margin": mean(margins),
        "grad": course.at("grad", step, rng, (6.0, 3.0, 0.2)) * min(1.0, 0.05 + mean(losses)),
    }
