"""What a quantity is: one YAML file per family in ``spec/metrics``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Allow, ClaimSource, Level, Operation, SpecReading, Strict, Text

Domain = Literal["token", "sequence", "group", "vocab", "batch", "scalar"]
"""The axes of an input: token ``[B, T]``, sequence ``[B]``, group ``[G]``, vocab ``[B, T, V]``, batch ``[N]`` (a list
of anything: one number per timer call, per rank …), scalar ``[]``."""


class Input(Strict):
    """One word of the input vocabulary (``spec/inputs.yaml``): the same word means the same tensor everywhere."""

    domain: Domain
    dtype: Literal["float", "bool", "int"]
    brief: Text
    unit: Text | None = None


class Parameter(Strict):
    """A keyword argument of a compute function, such as a clip range."""

    default: bool | int | float | None = Field(default=None, description="None makes the argument required.")
    brief: Text
    source: ClaimSource | None = Field(default=None, description="Where the default comes from.")


class Identity(Strict):
    """The facets that make two numbers the same quantity. No two metrics may have equal facets."""

    quantity: Text = Field(description="What is measured, such as kl_divergence. Metrics that share it are related.")
    of: Text | None = Field(default=None, description="The object measured, such as a reward function or a timer.")
    predicate: Text | None = Field(default=None, description="What is counted, for fractions and counts.")
    estimator: Text | None = Field(default=None, description="k1, k2, k3, full, ppo_clip, gae …")
    distributions: list[Text] | None = Field(default=None, description="Both sides of a divergence, in order.")
    policy: Literal["current", "old", "rollout", "reference"] | None = None
    extent: Text = Field(default="token", description="What one value covers: token, sequence, sequence_sum, batch …")
    statistic: Text = Field(default="mean", description="mean, std, var, max, min, sum, last, distribution …")


class Crucial(Strict):
    """Why this metric is among the first to look at."""

    why: Text
    source: ClaimSource


class FalseFriend(Strict):
    """A metric that looks like this one and is not."""

    metric: Text
    why: Text


class FormulaVariant(Strict):
    """What deliberately departs from the metric's formula and reproduces what some framework logs.

    What is left out is taken from the metric. Its function is named ``<metric>_<variant>``, its registry key
    ``<metric>@<variant>``; records and facts point to it with ``reproduced_by``.
    """

    brief: Text
    same: bool = Field(
        default=False, description="Whether it is the metric's own number from other inputs, and so no difference."
    )
    range: tuple[float | None, float | None] | None = Field(
        default=None, strict=False, description="Where its values lie, if not where those of the metric do."
    )
    inputs: list[Text] | None = None
    parameters: dict[str, Parameter] | None = None
    let: dict[str, Text] | None = None
    formula: Text | None = None
    impl: Text | None = None
    reference: Text | None = None
    population: Text | None = None
    atom: Literal["token", "sequence", "group", "batch"] | None = None
    empty: Literal["nan", "omit", 0] | None = None
    holds: list[Text] = Field(
        default=[],
        description="Traits that its formula already contains, and levels (token, sequence) whose reduction it does.",
    )


class Metric(Strict):
    """A quantity, independent of how any framework spells it."""

    rev: int = Field(default=1, ge=1, description="Raised when the meaning changes.")
    aliases: list[Text] = []
    brief: Text
    description: Text
    unit: Text
    kind: Literal["scalar", "distribution", "counter", "text"] = "scalar"
    range: tuple[float | None, float | None] = Field(default=(None, None), strict=False)
    direction: Literal["higher", "lower", "target", "none"] = "none"
    crucial: Crucial | None = None
    identity: Identity
    population: Text | None = Field(default=None, description="Over which tokens or sequences; see signatures.yaml.")
    inputs: list[Text] = []
    parameters: dict[str, Parameter] = {}
    let: dict[str, Text] = Field(default={}, description="Named sub-expressions, in order.")
    formula: Text | None = None
    impl: Text | None = Field(
        default=None,
        description="module:function, for what no expression can say. With `atom: group` it is a mean over groups, "
        "with `atom: batch` the value of one batch, over which states take the mean.",
    )
    reference: Text | None = Field(default=None, description="module:function, the reference of impl.")
    measured: Text | None = Field(
        default=None,
        description="For what no tensor gives: what is measured, from when to when, on which rank.",
    )
    measured_by: Literal["clock", "counter", "setting", "memory", "text", "state", "program"] | None = Field(
        default=None, description="What gives the number instead; without it, unit and kind tell."
    )
    variants: dict[str, FormulaVariant] = {}
    aggregation: dict[Level, Operation] = {}
    atom: Literal["token", "sequence", "group", "batch"] | None = Field(
        default=None, description="What must not be cut when data is split."
    )
    empty: Literal["nan", "omit", 0] | None = Field(default=None, description="The value over an empty population.")
    holds: list[Text] = Field(
        default=[],
        description="Traits that the formula already contains, and levels (token, sequence) whose reduction it does.",
    )
    nan: Literal["propagate", "skip"] = "propagate"
    references: list[ClaimSource] = []
    false_friends: list[FalseFriend] = []
    reads: list[SpecReading] = Field(default=[], description="What certain values mean wherever this is logged.")
    allow: list[Allow] = []


class Family(Strict):
    """A file of ``spec/metrics``."""

    family: Text
    title: Text
    description: Text
    metrics: dict[str, Metric]
    allow: list[Allow] = []


class Inputs(Strict):
    """``spec/inputs.yaml``."""

    inputs: dict[str, Input]
