"""What every part of the spec shares: strictness, sources, evidence, release ranges."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    model_validator,
)
from pydantic_core import CoreSchema

LOCAL_PREFIX = "x-"
"""Fields with this prefix hold local facts; the model ignores them wherever they stand."""


def _forbid_blank(text: str) -> str:
    if not text.strip():
        msg = "must not be blank"
        raise ValueError(msg)
    return text


Text = Annotated[str, AfterValidator(_forbid_blank)]
"""A sentence or name that must not be blank."""

Ranges = str | list[str]
"""Releases: ``0.12.2``, ``0.3.0..0.11.4`` (both ends included), ``1.0.0..`` or a list of these."""

Level = Annotated[str, Field(json_schema_extra={"x-names": "levels"})]
"""The name of a level at which numbers are reduced; ``spec/signatures.yaml`` defines them."""

Part = Annotated[str, Field(json_schema_extra={"x-names": "parts"})]
"""What a value may be made of several of: a level of reduction, or optimizer steps on one batch (``update``)."""

Operation = Literal["pool", "mean", "sum", "max", "min", "std", "first", "last", "none"]
"""How the numbers of one level become one: ``pool`` is exact over the union (sum over sum); ``mean`` weights
parts equally; ``first`` keeps only one part (rank 0); ``none`` means that the level does not occur."""

Grade = Literal["minor", "biased", "incomparable"]
"""How much a difference hurts: ``incomparable`` forbids translation."""


Situation = Literal[
    "all_ended",
    "all_truncated",
    "critic_exact",
    "engines_agree",
    "engines_far_apart",
    "equal_lengths",
    "far_beyond_clip",
    "gradient_not_finite",
    "gradient_zero",
    "groups_tied",
    "not_reported",
    "nothing_counted",
    "pairs_alike",
    "pairs_separated",
    "policy_certain",
    "policy_is_reference",
    "policy_unchanged",
    "returns_alike",
    "rewards_equal",
    "rewards_zero",
    "usual",
]
"""What is so in a step of a run beside what is usual; `rlmetrics.codegen.judge.reference_steps` draws such steps."""


class Strict(BaseModel):
    """A node of the spec: immutable, and unknown fields are errors unless they start with ``x-``."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _drop_local_facts(cls, data: Any) -> Any:
        if isinstance(data, dict) and any(isinstance(k, str) and k.startswith(LOCAL_PREFIX) for k in data):
            return {k: v for k, v in data.items() if not (isinstance(k, str) and k.startswith(LOCAL_PREFIX))}
        return data


class EvidenceLine(Strict):
    """A line of a released package that shows a fact."""

    release: Text = Field(description="The release of the package in which the line stands.")
    path: Text = Field(description="Path inside the wheel, such as trl/trainer/ppo_trainer.py.")
    line: int = Field(ge=1)
    symbol: Text = Field(description="The enclosing class and function, such as PPOTrainer.loss.")
    shows: Literal["key", "value", "reduction", "condition", "default", "span"] = Field(
        default="key", description="What the line shows: the logged key, the computed value, its reduction …"
    )
    note: Text | None = None


class ClaimSource(Strict):
    """Where a claim comes from: a document, a paper, or a line of a release; or its name in ``spec/sources.yaml``."""

    title: Text
    url: Text | None = None
    release: Text | None = Field(default=None, description="The framework release the document belongs to.")
    path: Text | None = None
    line: int | None = Field(default=None, ge=1)

    @model_validator(mode="wrap")
    @classmethod
    def _take_name(cls, data: Any, handler: ModelWrapValidatorHandler[ClaimSource]) -> ClaimSource:
        named = isinstance(data, str) and data.strip() and cls is ClaimSource
        return CitedSource(title=data) if named else handler(data)

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the schema for editors: a name, or the fields."""
        return {"anyOf": [{"type": "string", "x-names": "sources"}, handler(core_schema)]}


class CitedSource(ClaimSource):
    """The name of a source, in place of which `rlmetrics.codegen.loader.cited_sources` puts the source."""


class Beside(Strict):
    """What another metric of the same row must be."""

    metric: Text
    value: float | str = Field(description="As the value of a reading, on the metric's own axis.")


class SpecReading(Strict):
    """What a certain value of a number tells its reader. ``{value}`` in a text stands for the value as it was given."""

    value: float | str = Field(
        description="The value: a number (0, 0.5), a bound ('< 0', '>= 10'), a range ('0.69..0.70', with both ends), "
        "nan (infinities, too), or null."
    )
    level: Literal["expected", "info", "warning", "error"] = Field(
        description="expected: nothing is wrong; info: depends, worth a look; warning, error: something is wrong."
    )
    says: Text = Field(description="What it means, in one or two sentences; the first is the answer.")
    why: Text | None = Field(default=None, description="How the value comes about.")
    worry: Text | None = Field(default=None, description="What would make it a bad sign, after `worry if`.")
    watch: Text | None = Field(default=None, description="What to look at instead or besides.")
    follows: tuple[Text, ...] = Field(
        default=(),
        strict=False,
        description="Metrics of which a bad value in the same row explains this one, and takes its place.",
    )
    beside: tuple[Beside, ...] = Field(
        default=(),
        strict=False,
        description="What the same row must show for this to be said, in place of what asks nothing of the row.",
    )
    shown_by: tuple[Situation, ...] = Field(
        default=(),
        strict=False,
        exclude=True,
        description="What is so, all at once, in steps that have the value; `rlmetrics judge` draws such steps.",
    )


class Allow(Strict):
    """Silences one lint check at this place, with the reason."""

    check: Text
    reason: Text


class SourceTable(Strict):
    """``spec/sources.yaml``: what is cited more than once."""

    sources: dict[str, ClaimSource]
