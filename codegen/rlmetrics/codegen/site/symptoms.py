"""What somebody sees who looks at the curves of a sick run, and the rules that see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["GROUPS", "SYMPTOMS", "Symptom"]


@dataclass(frozen=True)
class Symptom:
    """What somebody sees.

    Attributes:
        id: Its place on the page.
        group: The curve at which it is seen.
        words: The same in a few words.
        rules: The rules that look for it.
    """

    id: str
    group: str
    words: str
    rules: Sequence[str]


SYMPTOMS: Sequence[Symptom] = (
    Symptom(
        "see-reward-stuck",
        "Reward",
        "does not move from the start",
        ("reward-stuck-at-minimum", "reward-never-moves", "rewards-all-equal"),
    ),
    Symptom(
        "see-reward-flat",
        "Reward",
        "has stopped rising",
        ("reward-plateau", "no-improvement", "reward-negative-without-improvement", "win-rate-against-self"),
    ),
    Symptom(
        "see-reward-falls", "Reward", "falls, or swings ever more", ("reward-falling", "fluctuation-does-not-shrink")
    ),
    Symptom(
        "see-reward-hacked",
        "Reward",
        "rises, and the model gets worse",
        ("held-out-falls", "held-out-falls-behind", "over-optimised", "component-farmed"),
    ),
    Symptom(
        "see-no-spread",
        "Reward",
        "is the same within each group",
        ("no-reward-spread", "reward-spread-gone"),
    ),
    Symptom(
        "see-kl-explodes",
        "KL divergence",
        "explodes",
        ("kl-explosion", "kl-sum-explosion", "kl-drastic", "kl-jump", "divergence-at-once", "kl-coefficient-rising"),
    ),
    Symptom(
        "see-kl-odd",
        "KL divergence",
        "is negative, or not 0 at the start",
        (
            "reference-kl-negative",
            "reference-kl-not-positive",
            "impossible-divergence",
            "reference-far-at-start",
            "reference-far-at-start-sum",
        ),
    ),
    Symptom("see-kl-still", "KL divergence", "stays at 0: the policy hardly moves", ("kl-slow", "update-slow")),
    Symptom(
        "see-entropy-falls",
        "Entropy",
        "collapses",
        (
            "entropy-collapse",
            "entropy-gone",
            "surprisal-collapse",
            "entropy-falling-fast",
            "collapse-at-once",
            "entropy-stuck",
        ),
    ),
    Symptom("see-entropy-grows", "Entropy", "grows without end", ("entropy-explosion", "surprisal-explosion")),
    Symptom(
        "see-nan",
        "Loss and gradient",
        "NaN or infinity",
        (
            "loss-non-finite",
            "gradient-norm-non-finite",
            "score-non-finite",
            "value-loss-non-finite",
            "divergence-non-finite",
            "margin-non-finite",
            "reward-without-number",
        ),
    ),
    Symptom(
        "see-zero",
        "Loss and gradient",
        "exactly 0",
        (
            "loss-stuck-at-zero",
            "gradient-norm-vanishing",
            "advantages-all-zero",
            "advantage-mean-stuck",
            "learning-rate-zero",
            "self-distillation-inactive",
            "no-target-tokens",
            "signal-lost-at-once",
        ),
    ),
    Symptom(
        "see-spikes",
        "Loss and gradient",
        "jumps, or far too large",
        ("gradient-spikes", "gradient-norm-high", "loss-spikes", "supervised-loss-explodes"),
    ),
    Symptom(
        "see-clipping",
        "Loss and gradient",
        "ratio or clip fraction too high",
        (
            "approx-kl-drastic",
            "clip-fraction-high",
            "ratio-too-high",
            "ratio-hopeless",
            "ratio-too-low",
            "cispo-cap-below-one",
        ),
    ),
    Symptom("see-longer", "Responses", "get longer and longer", ("length-exploit", "length-grows")),
    Symptom(
        "see-cut",
        "Responses",
        "are cut off, or never end",
        ("truncation-high", "truncation-rising", "nothing-ends", "no-end-tokens", "length-never-varies"),
    ),
    Symptom("see-shorter", "Responses", "get short or empty", ("length-collapse", "responses-aborted")),
    Symptom(
        "see-critic",
        "Critic",
        "value loss grows, or explains nothing",
        (
            "value-loss-growing",
            "value-loss-spike",
            "explained-variance-negative",
            "explained-variance-mse-negative",
            "critic-constant",
        ),
    ),
    Symptom(
        "see-pairs",
        "Preference pairs",
        "are not learnt",
        (
            "preference-accuracy-chance",
            "preference-margin-negative",
            "preference-loss-above-start",
            "implicit-rewards-zero",
            "reference-is-another",
            "length-normalised-accuracy-chance",
            "log-odds-negative",
        ),
    ),
    Symptom(
        "see-chosen",
        "Preference pairs",
        "chosen responses become unlikely",
        (
            "chosen-reward-falling",
            "logprob-gap-is-length",
            "chosen-logprob-crashes",
            "preferred-responses-unlikely",
            "margin-without-accuracy",
            "preference-accuracy-saturated",
        ),
    ),
    Symptom(
        "see-engine",
        "Rollouts",
        "engine and trainer disagree",
        (
            "sampling-mismatch",
            "sampling-mismatch-growing",
            "rollout-divergence",
            "rollout-weight-off",
            "rollout-weight-spread",
            "effective-sample-low",
            "rollout-chi-squared",
            "rollout-veto",
            "rollout-trainer-decorrelated",
            "rejection-too-much",
        ),
    ),
    Symptom("see-stale", "Rollouts", "samples are old, or dropped", ("rollouts-stale", "samples-dropped")),
    Symptom(
        "see-slow",
        "Machine",
        "steps get slower, memory grows",
        ("step-time-growing", "throughput-falling", "host-memory-leak"),
    ),
    Symptom("see-gaps", "Machine", "steps are missing from the log", ("log-gap",)),
)
"""Every rule stands in one of them; those that none names are shown with the rules of their cause."""

GROUPS: Sequence[str] = tuple(dict.fromkeys(symptom.group for symptom in SYMPTOMS))
"""The curves, in the order of the page."""
