"""How runs are judged: rules and diagnoses, in ``spec/health``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Allow, ClaimSource, Strict, Text

Cause = Literal[
    "non_finite",
    "no_learning_signal",
    "engine_mismatch",
    "stale_rollouts",
    "update_too_large",
    "kl_explosion",
    "entropy_collapse",
    "entropy_explosion",
    "length_exploit",
    "truncation",
    "reward_hacking",
    "reward_plateau",
    "held_out_divergence",
    "component_farming",
    "critic_failure",
    "kl_controller",
    "gradient_pathology",
    "preference_degeneration",
    "throughput",
    "logging_gap",
    "release_defect",
    "other",
]
"""What can be wrong with a run; a closed list, since programs read it."""

Facet = Text | list[Text] | None


class MetricSelector(Strict):
    """Metrics by what they are. A facet that is left out may have any value; a list offers several."""

    quantity: Text
    unit: Facet = None
    of: Facet = None
    extent: Facet = None
    estimator: Facet = None
    policy: Facet = None
    statistic: Facet = None
    distributions: list[Text] | None = Field(default=None, description="Both sides of a divergence, in order.")


class Remark(Strict):
    """What is said where a rule only remarks: no more than the condition of that level holds."""

    title: Text
    message: Text


class HealthRule(Strict):
    """A rule: on which curves, what must not hold, for how long, and where that comes from."""

    id: Text
    title: Text
    cause: Cause
    judges: list[Text | MetricSelector] = Field(
        default=[], description="Metrics by name, or by quantity, unit and extent."
    )
    besides: dict[Text, Text] = Field(default={}, description="Metrics that a selector finds and the rule leaves out.")
    mode: Literal["train", "eval", "held_out"] = "train"
    curves: dict[Text, Literal["sibling", "held_out"] | list[Text]] = Field(
        default={}, alias="with", description="Further curves that conditions name: metrics, the first that is logged."
    )
    optional: list[Text] = Field(default=[], description="Those of them that need not be logged.")
    info: Text | None = None
    warning: Text | None = None
    error: Text | None = None
    special: Literal["non_finite", "skipped_steps", "no_reward", "zeros_for_nan", "log_gap"] | None = Field(
        default=None, description="What the evaluator finds itself."
    )
    despite: Text | None = Field(
        default=None, description="Why it holds although a release computes the number with a known fault."
    )
    when: Text | None = Field(default=None, description="A guard over the configuration.")
    shows: Text | None = Field(
        default=None, description="The number that a finding shows, where that is not the last value: a word of `x`."
    )
    steps: int = Field(default=1, ge=1, description="For how many optimizer steps a condition must hold.")
    warm_up: int = Field(default=0, ge=0, description="Optimizer steps at the start that are not judged.")
    points: int = Field(default=1, ge=1, description="Logged points that are needed before anything is said.")
    message: Text
    remark: Remark | None = Field(
        default=None, description="Title and message at level info, where its condition holds for less than they say."
    )
    advice: Text
    basis: Literal["documented", "observed", "folklore"]
    named: list[float] = Field(
        default=[], strict=False, description="The bounds that the sources of a documented rule name: all that it has."
    )
    sources: list[ClaimSource] = []
    allow: list[Allow] = []

    @property
    def tiers(self) -> dict[str, str]:
        """The conditions by level, the worst first."""
        tiers = {level: getattr(self, level) for level in ("error", "warning", "info")}
        return {level: " ".join(text.split()) for level, text in tiers.items() if text is not None}


class SpecDiagnosis(Strict):
    """Joins what rules find into one explanation."""

    id: Text
    cause: Cause
    title: Text
    all_of: list[Text] = Field(default=[], description="Rules that must all have found something.")
    any_of: list[Text] = Field(default=[], description="Rules of which one must have.")
    none_of: list[Text] = Field(default=[], description="Rules that must not have.")
    explains: list[Text] = Field(default=[], description="Rules whose findings follow from this.")
    rank: int = Field(default=50, ge=0, le=100, description="Its place upstream: smaller ones cause larger ones.")
    confidence: float = Field(default=0.7, gt=0, le=1)
    level: Literal["info", "warning", "error"] | None = Field(
        default=None, description="Its level, where the findings that make it are worth more together."
    )
    message: Text
    checks: list[Text] = Field(min_length=1, description="What to check or try, in order.")
    sources: list[ClaimSource] = []


class HealthFile(Strict):
    """A file of ``spec/health``."""

    title: Text
    brief: Text
    rules: list[HealthRule] = []
    diagnoses: list[SpecDiagnosis] = []
    allow: list[Allow] = []
