"""The vocabulary of signatures: ``spec/signatures.yaml``. Relations between entries are computed from it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .actions import Does
from .base import Grade, Level, Operation, SpecReading, Strict, Text


class Trait(Strict):
    """One way in which a code's number can depart from the plain definition of its metric."""

    facet: Literal["population", "estimator", "reduction", "timing", "weights", "defect", "transform"]
    what: Text = Field(description="What differs, as a sentence that stands alone in a report.")
    grade: Grade
    vanishes_when: Text | None = None
    brief: Text | None = Field(default=None, description="What holds of a number with it, as short as it can be said.")
    otherwise: Text | None = Field(default=None, description="What holds of a number without it, as short.")
    effect: Literal["higher", "lower", "noisier", "smoother", "unit"] | None = Field(
        default=None,
        description="How the curve with it stands to the one without, where that is certain; `unit`: another one.",
    )
    vanishes_if: Text | dict[str, Text] | None = Field(
        default=None,
        description="The same as a guard over settings, or one for each framework. Settings that a component lacks "
        "count as unknown, `unknown` stands for what no setting says, `single.rank` and the like for what the "
        "component says of a level, `single.update` for one optimizer step per batch.",
    )
    correction: Text | None = Field(default=None, description="How to undo it, where that is possible.")
    weighs: dict[Level, Text] = Field(
        default={}, description="By what parts of a level are weighted that a `mean` would count alike, in the plural."
    )
    touches: list[Text] = Field(
        default=[],
        description="Inputs one of which a formula has that can have it, such as `ref_*`, or traits that bring one.",
    )
    excludes: list[Text] = Field(
        default=[], description="Patterns of what the texts of a metric cannot say that such a code computes."
    )
    reads: list[SpecReading] = Field(default=[], description="What certain values can mean because of it.")
    does: Does | None = Field(
        default=None,
        description="What a code with it does beside the formula. given: it says what tensors hold that the caller "
        "hands over; held: function, population, reduction or scale do it; unseen: no tensor shows it; or actions.",
    )


class Population(Strict):
    """A set of tokens or sequences, described by how it departs from the plain one of its domain."""

    domain: Literal["token", "sequence", "group", "batch"]
    brief: Text
    words: Text = Field(description="The same in a sentence: 'all response tokens'.")
    traits: list[Text] = Field(default=[], description="What distinguishes it; empty for the plain population.")
    of: Text | None = Field(default=None, description="The wider population of which it is a part.")
    without: list[Text] = Field(default=[], description="What is left out of that.")


class Left(Strict):
    """What can be left out of a population, such as the tokens that tools wrote."""

    brief: Text
    trait: Text = Field(description="The trait of numbers without it.")
    shares: list[Text] = Field(default=[], description="Metrics that say how large a share of the responses it is.")


class ReductionLevel(Strict):
    """One level at which numbers are put together: all that the project knows of it."""

    brief: Text
    vanishes_when: Text = Field(description="When a difference at this level cannot show, such as 'one rank'.")
    parts: Text = Field(description="Its parts in a sentence, such as 'micro-batches'.")
    whole: Text = Field(description="What all parts together are, such as 'a mini-batch'.")
    cut_by: Literal["data", "training", "machine"] = Field(
        default="data",
        description="What decides how many parts there are: the data, settings of training, which an evaluation does "
        "not follow, or the machine. Unless it is the data, guards under `single` can say when there is one part.",
    )
    lies: Literal["within", "across", "apart"] = Field(
        default="within",
        description="within: inside one part of the next level; across: over all of them, as processes are; apart: "
        "each a number of its own that a log puts together, as steps are.",
    )
    uneven: bool = Field(
        default=False, description="Its parts differ in size, so that a mean of their means is not the mean over all."
    )


class AnswerWords(Strict):
    """Short words of which answers make their sentences."""

    operations: dict[Operation, Text]
    policies: dict[str, Text] = Field(description="Sides of a divergence, such as 'policy that sampled'.")
    snapshots: dict[str, Text] = Field(description="Whose parameters computed a number.")
    moments: dict[str, Text] = Field(description="When a policy was as a number sees it, such as 'before the update'.")
    divergences: list[Text] = Field(description="Quantities that are told by their two policies.")
    extents: dict[str, Text] = Field(description="What one value covers, such as 'per token'.")
    estimators: dict[str, Text] = Field(description="How something is estimated, such as 'by k1, the mean log-ratio'.")
    statistics: dict[str, Text] = Field(description="What a number is of its parts, such as 'the largest'.")


class Signatures(Strict):
    """``spec/signatures.yaml``."""

    levels: dict[str, ReductionLevel] = Field(description="Innermost first.")
    operations: dict[Operation, Text]
    grades: dict[str, Grade] = Field(
        description="Grade of two different operations at one level: 'mean/pool', names sorted; 'default' for the rest."
    )
    snapshot_grade: Grade
    snapshot_vanishes_when: Text
    generic_quantities: list[Text] = Field(
        default=[],
        description="Quantities that say little without `of`: metrics of one are confused only if `of` is equal.",
    )
    bookkeeping_quantities: list[Text] = Field(
        default=[], description="What says how a run goes along, not what it learns, such as timers; told last."
    )
    populations: dict[str, Population]
    without: dict[str, Left] = {}
    words: AnswerWords
    traits: dict[str, Trait]
