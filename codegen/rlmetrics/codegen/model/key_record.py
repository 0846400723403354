"""What is said of a key, and of how its number is computed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from .actions import WrittenValue
from .base import Allow, Level, Operation, Ranges, SpecReading, Strict, Text

Mode = Literal["train", "eval"]
"""What a trainer was doing when it logged."""

Occasion = Literal[
    "step",
    "optimizer_step",
    "update",
    "round",
    "generation",
    "evaluation",
    "call",
    "end",
    "some_steps",
    "unstated",
]
"""What a new value of a key comes with; ``unstated`` where nobody has looked it up."""

Snapshot = Literal["current", "old", "rollout", "reference"]
"""Which policy (or value) parameters were in place when the number was computed."""


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Notes = Annotated[list[Text], BeforeValidator(_listed, json_schema_input_type=Text | list[Text])]
"""A note, or several of them."""


def _without_metrics(value: Any) -> Any:
    return dict.fromkeys(value) if isinstance(value, list) else value


Family = Annotated[
    dict[str, Text | None],
    BeforeValidator(_without_metrics, json_schema_input_type=dict[str, Text | None] | list[Text]),
]
"""Keys with the metric of each, or keys of which none has a metric of its own."""


class SignatureFields(Strict):
    """How one code computes its number. What is left out comes from the profile; beyond that see `as_defined`."""

    metric: Text | None = None
    as_defined: bool | None = Field(
        default=None,
        description="Whether what is not said of population, reduction and span is as the metric defines it: true "
        "states it, false says that nobody has looked. If left out, the file says it.",
    )
    population: Text | None = Field(default=None, description="The tokens or sequences counted, before `without`.")
    without: list[Text] = Field(default=[], description="What is left out of the population; see signatures.yaml.")
    snapshot: Snapshot | None = None
    reduction: dict[Level, Operation] = {}
    span: Text | None = Field(default=None, description="What a timer or counter includes, in words.")
    lag: int | None = Field(default=None, description="Whose step the value belongs to: -1 is the step before.")
    scale: float | str | None = Field(
        default=None,
        description="logged = scale * metric + offset; a number or an expression of configuration keys. The scales of "
        "all facts that hold are multiplied.",
    )
    offset: float | str | None = None
    traits: list[Text] = Field(default=[], description="Added to those of the profile; see signatures.yaml.")
    gathered: Level | None = Field(
        default=None,
        description="The level in each of whose parts processes are put together, to one number, before its parts are; "
        "in the end, if left out.",
    )
    constant_when: list[Text] = []
    reproduced_by: Text | None = Field(
        default=None,
        description="The formula variant that gives this code's number, where the plain one does not. It belongs to "
        "the metric that stands with it.",
    )


class Profile(SignatureFields):
    """A named way of reducing that many keys of a component share."""

    releases: Ranges | None = None
    brief: Text
    older: dict[str, Text] = Field(
        default={}, description="Releases in which records with this profile have another one, and which."
    )


Citation = Text | dict[str, Text]
"""A guide and the heading in it, or which one in which releases."""

CITED = "A guide of the framework and the heading in it, as `logging # PPO Logging`; by releases where they differ."


class GuideStatement(Strict):
    """What the framework's own guide says where it differs from the code, or adds to it."""

    releases: Ranges | None = None
    says: Text
    code: Text | None = Field(default=None, description="What the code does instead, where they differ.")
    guide: Citation | None = Field(default=None, description=f"{CITED} The file's `guide`, if left out.")

    @property
    def cited(self) -> str | None:
        """The one guide of a statement that is written out; None where nothing names any."""
        return self.guide if isinstance(self.guide, str) else None


class Piece(SignatureFields):
    """What a record or a fact can say about a key."""

    profile: Text | None = None
    logged_when: Text | None = Field(default=None, description="A guard; all of a key's must hold for it to be logged.")
    condition: Text | None = Field(default=None, description="The condition in words, where no guard can say it.")
    logged_by_default: bool | None = Field(
        default=None,
        description="With `condition`; a guard answers it. False in a record that has a condition, if left out.",
    )
    fails: Text | None = Field(
        default=None,
        description="Why nothing is ever logged although the code would log it: an error on the way.",
    )
    logged_by: Literal["framework", "user"] | None = Field(
        default=None,
        description="user: the framework's code returns the number under this key, but no trainer of its own logs it.",
    )
    kind: Literal["scalar", "distribution", "counter", "text"] | None = Field(
        default=None, description="Where not the metric's."
    )
    preferred: bool | None = Field(
        default=None, description="Whether a number goes to this key where several of the target are equally good."
    )
    bind: dict[str, str | list[WrittenValue]] = Field(
        default={},
        description="Defaults of placeholders when this is a target, and what parameters of the metric's function are "
        "taken from: an expression over settings, or several with guards.",
    )
    route: Text | None = Field(
        default=None, description="The route to the trackers if this key does not take the component's, such as direct."
    )
    every: Occasion | None = Field(
        default=None, description="What a new value comes with, if not with what the file's `tracking` says."
    )
    axis: Text | None = Field(
        default=None, description="The x-axis of a key that goes another route than the component's."
    )
    notes: Notes = Field(default=[], description="What else there is to know, a sentence or two each.")
    groups: list[Text] = Field(
        default=[],
        description="Groups of facts that hold here, too: of this file, of those that it extends or of framework.yaml.",
    )
    documented: list[GuideStatement] = []
    reads: list[SpecReading] = Field(default=[], description="What certain values mean here, 0 or 1 for instance.")
    at: list[Text] = Field(default=[], description="Anchors: where the source shows this.")


class Fact(Piece):
    """What holds of a key in some releases, modes and configurations.

    No order among facts matters: what they add adds up, and what they set may be set by one at a time.
    """

    name: Text | None = Field(default=None, description="So that a file that extends this one can `replace` it.")
    releases: Ranges | None = Field(default=None, description="All releases of the record, if left out.")
    modes: list[Mode] | None = Field(default=None, description="All modes of the record, if left out.")
    when: Text | None = Field(default=None, description="A guard; the fact holds in configurations that satisfy it.")

    def says_something(self) -> bool:
        """Tell whether it says more than where it holds, groups not counted."""
        said = self.model_fields_set - {"name", "releases", "modes", "when", "at", "keys", "groups", "facts"}
        return any(getattr(self, name) not in (None, [], {}) for name in said)

    @model_validator(mode="after")
    def _says_anything(self) -> Fact:
        if not self.says_something() and not self.groups and not getattr(self, "facts", []):
            msg = "a fact must say something, such as `traits`, `metric` or `notes`"
            raise ValueError(msg)
        return self


class SharedFact(Fact):
    """A fact about several keys, own ones and those of extended files."""

    keys: list[Text] | None = Field(
        default=None,
        min_length=1,
        description="As this file or the extended ones spell them, with `*` for any text; every key, if left out.",
    )
    facts: list[Fact] = Field(default=[], description="Several facts about these keys, instead of one.")

    @model_validator(mode="after")
    def _says_one_or_several(self) -> SharedFact:
        if self.facts and self.says_something():
            msg = "what it says and `facts` exclude each other; write another item of `facts`"
            raise ValueError(msg)
        return self


class Copy(Strict):
    """A key that says the same as another one of its record, with modes or a condition of its own."""

    of: Text | None = Field(default=None, description="The key of the family that it copies; the first, if left out.")
    modes: list[Mode] | None = None
    condition: Text | None = None
    logged_by_default: bool | None = None


class Renamed(Strict):
    """The name that a key has in some releases, in place of its own."""

    of: Text | None = Field(default=None, description="The key of the record that it names; the first, if left out.")
    releases: Ranges


class Record(Piece):
    """Everything that is known of one key, or of several that differ in little more than their name."""

    like: Text | None = Field(
        default=None,
        description="Another record of this file, or a file of the framework whose record of this name says the same, "
        "with anchors of this file. Traits, notes, facts and other lists are added to its own; anything else that is "
        "said here takes its place.",
    )
    instead: dict[str, Text] = Field(
        default={}, description="With `like`: how keys of the other family begin, and how they begin here."
    )
    releases: Ranges | dict[Mode, Ranges] | None = Field(
        default=None, description="All described releases of the file, if left out; by mode where they differ."
    )
    modes: list[Mode] | None = Field(default=None, description="Defaults to the file's.")
    logged: Literal["never"] | None = Field(
        default=None, description="never: a key of an extended file that this one does not log; needs `reason`."
    )
    reason: Text | None = None
    family: Family = Field(
        default={},
        description="Keys that the record describes, with the metric of each, or a list of those that it never logs, "
        "in which `*` stands for any text; the record's own name counts only if it is among them.",
    )
    also: dict[str, Copy] = Field(default={}, description="Further keys that say the same.")
    renamed: dict[str, Renamed] = Field(
        default={}, description="Names that a key has in other releases, with these; everything else goes on to hold."
    )
    facts: list[Fact] = []
    allow: list[Allow] = []

    @model_validator(mode="after")
    def _has_reason(self) -> Record:
        if (self.logged is None) != (self.reason is None):
            msg = "`logged: never` and `reason` belong together"
            raise ValueError(msg)
        if self.logged is None and any("*" in key for key in self.family):
            msg = "only with `logged: never` does `*` stand for any text"
            raise ValueError(msg)
        return self
