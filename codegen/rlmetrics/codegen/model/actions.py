"""What a code does to a number beside the formula of its metric, in closed words that can be executed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from .base import Level, Ranges, Strict, Text

__all__ = ["BoundParameter", "Does", "TraitActions", "WrittenValue"]

_Guarded = Field(
    default=None, description="A guard over settings; where it does not hold, the code does nothing of the kind."
)


class _Action(Strict):
    when: Text | None = _Guarded


class Empty(_Action):
    """What stands for a part in which nothing counts."""

    level: Literal["sequence"] | None = Field(
        default=None,
        description="sequence: a response without a counted token; without it, whatever one call covers.",
    )
    as_: Literal[0, 1, -1, "nan", "skip"] = Field(
        alias="as",
        description="The value; skip leaves the part out: with level the response, without it every value that is NaN.",
    )


class Single(_Action):
    """What is logged of a single response, which has no spread."""

    as_: Literal[0, "nan"] = Field(alias="as")


class Round(_Action):
    """How the result is written."""

    digits: int = Field(ge=0, le=12, description="Decimals that are left.")
    towards: Literal["nearest", "zero"] = "nearest"


class Scale(_Action):
    """What the result is multiplied by."""

    by: Text = Field(
        description="An expression over settings and numbers of parts, such as `1 / ranks` or `micro_batches`."
    )


class Times(_Action):
    """A weight of each token, in a formula of which every term is a multiple of one of its inputs."""

    input: Text
    into: Text = Field(description="The input that takes the weight.")
    as_: Literal["each", "geometric_mean"] = Field(
        default="each", alias="as", description="each: of each token. geometric_mean: one for each response."
    )


class Plus(_Action):
    """A further term, which the caller may hand over; a model without it adds nothing."""

    input: Text


class Clamp(_Action):
    """A difference of two inputs that is bounded before it is used."""

    difference: list[list[Text]] = Field(description="Pairs of inputs, the minuend first; the other one is moved.")
    to: float = Field(description="Its largest size.")


class Alike(_Action):
    """A difference of two inputs that is the same on all tokens of a response before it is used."""

    difference: list[Text] = Field(min_length=2, max_length=2, description="Two inputs, the minuend first.")
    as_: Literal["sum", "share"] = Field(
        alias="as", description="sum: that of the response's tokens. share: their mean, cut into as many equal parts."
    )


class Nonfinite(_Action):
    """What stands for a value that is NaN or infinite."""

    as_: Literal["mean_so_far", "skip"] = Field(alias="as")


class Fold(_Action):
    """How the parts of a level become one number, whatever the reduction says."""

    level: Level
    as_: Literal["mean", "sum", "max", "min", "first", "last", "pool", "elements"] = Field(
        alias="as", description="elements: the tensors of the parts are averaged element by element before the formula."
    )


class Weigh(_Action):
    """By what parts of a mean are weighted in place of counting alike."""

    by: Text = Field(description="An input that the caller may hand over; without it, the number of responses.")


class Spread(_Action):
    """What a standard deviation divides by."""

    ddof: Literal[0] = Field(description="0: the number of values, in place of one less.")


class Always(_Action):
    """A value that is logged whatever the tensors."""

    as_: float = Field(alias="as", strict=False)


class ShownNan(_Action):
    """What is written where the result is NaN."""

    as_: float = Field(alias="as", strict=False)


class TraitActions(Strict):
    """Actions by name; all are done."""

    empty: Empty | None = None
    single: Single | None = None
    round: Round | None = None
    scale: Scale | None = None
    times: Times | None = None
    plus: Plus | None = None
    clamp: Clamp | None = None
    alike: Alike | None = None
    nonfinite: Nonfinite | None = None
    fold: Fold | None = None
    weigh: Weigh | None = None
    spread: Spread | None = None
    constant: Always | None = None
    nan: ShownNan | None = None

    @model_validator(mode="after")
    def _does_something(self) -> TraitActions:
        if not self.model_fields_set:
            msg = "write an action, such as `empty: {as: 0}`, or one of given, held, parted, unseen"
            raise ValueError(msg)
        return self


Does = Literal["given", "held", "parted", "unseen"] | TraitActions
"""given: it says what tensors hold that the caller hands over. held: function, population, reduction or scale do it.
parted: a reduction over micro-batches does it, and nothing where all of them are taken at once. unseen: no tensor
shows it."""


class WrittenValue(Strict):
    """A value that a parameter takes under some settings."""

    when: Text | None = Field(default=None, description="A guard; the first that holds counts.")
    value: Text | float | int = Field(
        description="A number or an expression over settings. `given`: the caller hands it over; no setting says it."
    )
    default: float | int | None = Field(
        default=None, description="The value where no setting says one, as the code of the framework has it."
    )

    part: Literal[0, 1] | None = Field(
        default=None, description="Which of the two numbers it is that the setting joins by an underscore."
    )


class BoundParameter(WrittenValue):
    """What a parameter is taken from in some releases."""

    releases: Ranges | None = None
