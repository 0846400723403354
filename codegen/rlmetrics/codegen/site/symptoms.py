"""What somebody sees who looks at the curves of a sick run, and the rules that see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .texts import later

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


_REWARD = later("Reward")
_KL = later("KL divergence")
_ENTROPY = later("Entropy")
_LOSS = later("Loss and gradient")
_RESPONSES = later("Responses")
_CRITIC = later("Critic")
_PAIRS = later("Preference pairs")
_ROLLOUTS = later("Rollouts")
_MACHINE = later("Machine")

SYMPTOMS: Sequence[Symptom] = (
    Symptom(
        "see-reward-stuck",
        _REWARD,
        later("does not move from the start"),
        ("reward-stuck-at-minimum", "reward-never-moves", "rewards-all-equal"),
    ),
    Symptom(
        "see-reward-flat",
        _REWARD,
        later("has stopped rising"),
        ("reward-plateau", "no-improvement", "reward-negative-without-improvement", "win-rate-against-self"),
    ),
    Symptom(
        "see-reward-falls",
        _REWARD,
        later("falls, or swings ever more"),
        ("reward-falling", "fluctuation-does-not-shrink"),
    ),
    Symptom(
        "see-reward-hacked",
        _REWARD,
        later("rises, and the model gets worse"),
        ("held-out-falls", "held-out-falls-behind", "over-optimised", "component-farmed", "overfits", "overfits-pairs"),
    ),
    Symptom(
        "see-no-spread",
        _REWARD,
        later("is the same within each group"),
        ("no-reward-spread", "reward-spread-gone"),
    ),
    Symptom(
        "see-kl-explodes",
        _KL,
        later("explodes"),
        ("kl-explosion", "kl-sum-explosion", "kl-drastic", "kl-jump", "divergence-at-once", "kl-coefficient-rising"),
    ),
    Symptom(
        "see-kl-odd",
        _KL,
        later("is negative, or not 0 at the start"),
        (
            "reference-kl-negative",
            "divergence-below-zero",
            "reference-kl-not-positive",
            "impossible-divergence",
            "reference-far-at-start",
            "reference-far-at-start-sum",
        ),
    ),
    Symptom("see-kl-still", _KL, later("stays at 0: the policy hardly moves"), ("kl-slow", "update-slow")),
    Symptom(
        "see-entropy-falls",
        _ENTROPY,
        later("collapses"),
        (
            "entropy-collapse",
            "entropy-gone",
            "one-response-left",
            "surprisal-collapse",
            "entropy-falling-fast",
            "collapse-at-once",
            "entropy-stuck",
        ),
    ),
    Symptom("see-entropy-grows", _ENTROPY, later("grows without end"), ("entropy-explosion", "surprisal-explosion")),
    Symptom(
        "see-nan",
        _LOSS,
        later("NaN or infinity"),
        (
            "loss-non-finite",
            "gradient-norm-non-finite",
            "score-non-finite",
            "value-loss-non-finite",
            "divergence-non-finite",
            "margin-non-finite",
            "reward-without-number",
            "no-reward-returned",
            "steps-skipped",
            "zeros-for-nan",
        ),
    ),
    Symptom(
        "see-zero",
        _LOSS,
        later("exactly 0"),
        (
            "loss-stuck-at-zero",
            "gradient-norm-vanishing",
            "advantages-all-zero",
            "advantage-mean-stuck",
            "learning-rate-zero",
            "self-distillation-inactive",
            "no-target-tokens",
            "no-supervised-targets",
            "signal-lost-at-once",
        ),
    ),
    Symptom(
        "see-spikes",
        _LOSS,
        later("jumps, or far too large"),
        ("gradient-spikes", "gradient-norm-high", "loss-spikes", "supervised-loss-explodes"),
    ),
    Symptom(
        "see-clipping",
        _LOSS,
        later("ratio or clip fraction too high"),
        (
            "approx-kl-drastic",
            "clip-fraction-high",
            "ratio-too-high",
            "ratio-hopeless",
            "ratio-too-low",
            "cispo-cap-below-one",
        ),
    ),
    Symptom("see-longer", _RESPONSES, later("get longer and longer"), ("length-exploit", "length-grows")),
    Symptom(
        "see-cut",
        _RESPONSES,
        later("are cut off, or never end"),
        (
            "truncation-high",
            "truncation-rising",
            "nothing-ends",
            "no-end-tokens",
            "length-never-varies",
            "none-counted",
        ),
    ),
    Symptom("see-shorter", _RESPONSES, later("get short or empty"), ("length-collapse", "responses-aborted")),
    Symptom(
        "see-critic",
        _CRITIC,
        later("value loss grows, or explains nothing"),
        (
            "value-loss-growing",
            "value-loss-spike",
            "explained-variance-negative",
            "explained-variance-mse-negative",
            "explained-variance-stays-low",
            "critic-constant",
        ),
    ),
    Symptom(
        "see-pairs",
        _PAIRS,
        later("are not learnt"),
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
        _PAIRS,
        later("chosen responses become unlikely"),
        (
            "chosen-reward-falling",
            "desirable-reward-falling",
            "logprob-gap-is-length",
            "chosen-logprob-crashes",
            "preferred-responses-unlikely",
            "margin-without-accuracy",
            "margin-beyond-loss",
            "preference-accuracy-saturated",
        ),
    ),
    Symptom(
        "see-engine",
        _ROLLOUTS,
        later("engine and trainer disagree"),
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
    Symptom("see-stale", _ROLLOUTS, later("samples are old, or dropped"), ("rollouts-stale", "samples-dropped")),
    Symptom(
        "see-slow",
        _MACHINE,
        later("steps get slower, memory grows"),
        ("step-time-growing", "throughput-falling", "host-memory-leak"),
    ),
    Symptom("see-gaps", _MACHINE, later("steps are missing from the log"), ("log-gap",)),
)
"""Every rule stands in one of them; those that none names are shown with the rules of their cause."""

GROUPS: Sequence[str] = tuple(dict.fromkeys(symptom.group for symptom in SYMPTOMS))
"""The curves, in the order of the page."""
