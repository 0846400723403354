"""How releases spell metrics: ``spec/frameworks/<framework>/``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from .base import Allow, Evidence, Level, Operation, Ranges, Source, Strict, Text

Snapshot = Literal["current", "old", "rollout", "reference"]
"""Which policy (or value) parameters were in place when the number was computed."""


class Release(Strict):
    """A release on PyPI."""

    release: Text
    date: Text


class Default(Strict):
    """A configuration key's default in some releases."""

    releases: Ranges | None = Field(default=None, description="Every release that has the key, if left out.")
    value: bool | int | float | str | None
    evidence: list[Evidence] = []


class ConfigKey(Strict):
    """A configuration key that decides what is logged or how."""

    brief: Text
    type: Literal["bool", "int", "float", "str", "choice"]
    choices: list[str] = []
    defaults: list[Default]


class Placeholder(Strict):
    """A variable part of a key."""

    brief: Text
    pattern: Text = Field(description="Regular expression for one value, such as [^/]+ ; bounded where possible.")
    examples: list[Text] = Field(min_length=1)
    open: bool = Field(default=False, description="True where users choose the whole name freely.")


class SignatureFields(Strict):
    """How one code computes its number. What is left out comes from the profile, then from the metric."""

    metric: Text | None = None
    population: Text | None = None
    snapshot: Snapshot | None = None
    reduction: dict[Level, Operation] = {}
    span: Text | None = Field(default=None, description="What a timer or counter includes, in words.")
    lag: int | None = Field(default=None, description="Whose step the value belongs to: -1 is the step before.")
    scale: float | str | None = Field(
        default=None, description="logged = scale * metric + offset; a number or an expression of configuration keys."
    )
    offset: float | str | None = None
    traits: list[Text] = Field(default=[], description="Added to those of the profile; see signatures.yaml.")
    constant_when: list[Text] = []
    reproduced_by: Text | None = Field(
        default=None,
        description="The formula variant that gives this code's number, where the plain one does not.",
    )


class Profile(SignatureFields):
    """A named way of reducing that many emissions of a component share."""

    releases: Ranges | None = None
    brief: Text


class Variant(SignatureFields):
    """What differs when the configuration satisfies ``when``."""

    when: Text
    name: Text
    profile: Text | None = None
    evidence: list[Evidence] = []


class Documented(Strict):
    """What the framework's own guide says where it differs from the code, or adds to it."""

    releases: Ranges | None = None
    says: Text
    code: Text | None = Field(default=None, description="What the code does instead, where they differ.")
    source: Source


class Emission(SignatureFields):
    """One key of one component over a range of releases."""

    key: Text
    profile: Text | None = None
    releases: Ranges | None = Field(default=None, description="All described releases of the file, if left out.")
    modes: list[Literal["train", "eval"]] | None = Field(default=None, description="Defaults to the file's.")
    when: Text | None = Field(default=None, description="Guard over configuration keys: logged only then.")
    condition: Text | None = Field(default=None, description="The condition in words, where no guard can say it.")
    logged_by_default: bool | None = Field(default=None, description="Needed with `condition`; a guard answers it.")
    logged_by: Literal["framework", "user"] = Field(
        default="framework",
        description="user: the framework's code returns the number under this key, but no trainer of its own logs it.",
    )
    kind: Literal["scalar", "distribution", "counter", "text"] | None = Field(
        default=None, description="Where not the metric's."
    )
    bind: dict[str, str] = Field(default={}, description="Defaults of placeholders when this is a target.")
    route: Text | None = Field(
        default=None, description="The route to the trackers if this key does not take the component's, such as direct."
    )
    exhaustive: bool = Field(
        default=False,
        description="One variant holds whenever the key is logged: what the record says without any never occurs.",
    )
    variants: list[Variant] = []
    documented: list[Documented] = []
    evidence: list[Evidence] = Field(min_length=1)
    note: Text | None = None
    allow: list[Allow] = []


class Unlogged(Strict):
    """A key that a guide lists although these releases never log it."""

    key: Text
    releases: Ranges
    says: Text
    instead: Text = Field(description="What to look at instead.")
    source: Source


class Omission(Strict):
    """A key of an extended file that this component does not log."""

    key: Text
    releases: Ranges | None = Field(default=None, description="All described releases of the file, if left out.")
    modes: list[Literal["train", "eval"]] | None = Field(default=None, description="Both, if left out.")
    reason: Text = Field(description="Why the component does not log it.")
    evidence: list[Evidence] = Field(min_length=1)


class Amendment(Strict):
    """What holds for several keys of a component beyond what their records say."""

    keys: list[Text] | None = Field(
        default=None, min_length=1, description="As this file or the extended ones spell them; every key, if left out."
    )
    releases: Ranges | None = Field(default=None, description="All described releases of the file, if left out.")
    modes: list[Literal["train", "eval"]] | None = Field(default=None, description="Both, if left out.")
    traits: list[Text] = Field(default=[], description="Added to those of the records and of their variants.")
    note: Text | None = Field(default=None, description="Added to the notes of the records.")
    constant_when: list[Text] | None = Field(
        default=None, description="Takes the place of the records' own, whose reasons do not hold here."
    )
    when: Text | None = Field(
        default=None, description="A guard that must hold besides those of the records for the keys to be logged."
    )
    drops: list[Text] = Field(
        default=[],
        description="Names of variants and of traits that cannot occur here, such as those of an argument not taken.",
    )
    fails: Text | None = Field(
        default=None,
        description="Why nothing is ever logged although the code would log it: an error on the way.",
    )
    evidence: list[Evidence] = Field(min_length=1)

    @model_validator(mode="after")
    def _says_something(self) -> Amendment:
        said = (self.traits, self.note, self.when, self.drops, self.fails)
        if not any(said) and self.constant_when is None:
            msg = "an amendment needs at least one of `traits`, `note`, `constant_when`, `when`, `drops`, `fails`"
            raise ValueError(msg)
        return self


class Tracking(Strict):
    """How a component hands its dict to trackers, how a user turns that on, and what the x-axis is."""

    releases: Ranges | None = None
    route: Text = Field(description="The route named in the tracker files: accelerate, hf_trainer, verl_tracking …")
    enable: Text
    x_axis: Text
    sources: list[Source] = []
    evidence: list[Evidence] = []


class ComponentRange(Strict):
    """A class (or part) that emits what the file describes, in these releases."""

    name: Text
    releases: Ranges
    module: Text


class ComponentFile(Strict):
    """One trainer or component: ``spec/frameworks/<framework>/<name>.yaml``.

    A file without ``components`` is a fragment: other files take over its emissions by naming it in ``extends``.
    """

    title: Text
    brief: Text
    components: list[ComponentRange] = []
    program: Text | None = Field(
        default=None,
        description="What the components run in, where several files describe one run; by default each component is a "
        "program of its own, like a trainer.",
    )
    extends: list[Text] = Field(
        default=[],
        description="Files (by stem) whose emissions and profiles apply here too; an own record of a key, in the same "
        "release and mode, takes the place of theirs.",
    )
    omits: list[Omission] = Field(default=[], description="Keys of the extended files that are not logged here.")
    amends: list[Amendment] = Field(
        default=[], description="What holds here for several keys, own and taken over, beyond what their records say."
    )
    modes: list[Literal["train", "eval"]] = ["train"]
    eval_prefix: Text = "eval_"
    tracking: list[Tracking] = []
    config: dict[str, ConfigKey] = {}
    placeholders: dict[str, Placeholder] = {}
    profiles: dict[str, Profile] = {}
    emissions: list[Emission] = []
    unlogged: list[Unlogged] = []
    allow: list[Allow] = []


class Framework(Strict):
    """``spec/frameworks/<framework>/framework.yaml``."""

    framework: Text
    title: Text
    package: Text
    brief: Text
    releases: list[Release]
    config: dict[str, ConfigKey] = {}
    placeholders: dict[str, Placeholder] = {}
    allow: list[Allow] = []


class Rewrite(Strict):
    """One substitution on a name; rules apply in order, the first that matches wins where ``stop`` is set."""

    pattern: Text
    replacement: str
    stop: bool = False


class Tracker(Strict):
    """``spec/trackers/<tracker>.yaml``: what a tracker allows in a name and what it does to names."""

    tracker: Text
    title: Text
    allowed: Text = Field(description="Regular expression that a whole name must match to be accepted.")
    max_length: int | None = None
    path_prefix_conflict: bool = Field(default=False, description="Rejects a name that is a path prefix of another.")
    routes: dict[str, list[Rewrite]] = Field(description="Per route, how a logged name becomes the shown one.")
    kinds: list[Literal["scalar", "distribution", "counter", "text"]] = ["scalar", "distribution", "counter", "text"]
    sources: list[Source] = []
    evidence: list[Evidence] = []
    notes: list[Text] = []
    allow: list[Allow] = []


class Rename(Strict):
    """A canonical name that changed, so that our own dashboards translate too."""

    from_: str = Field(alias="from")
    to: Text
    since: Text
    why: Text


class SpecInfo(Strict):
    """``spec/spec.yaml``."""

    version: Text
    renamed: list[Rename] = []
