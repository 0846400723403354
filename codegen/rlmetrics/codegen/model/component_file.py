"""One trainer or part of a program: ``spec/frameworks/<framework>/<name>.yaml``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field, model_validator

from .actions import BoundParameter
from .base import Allow, ClaimSource, Part, Ranges, Strict, Text
from .config_key import ConfigKey, Pinned, Shaping
from .derivation import KeptMethods
from .key_record import CITED, Citation, Fact, Mode, Occasion, Profile, Record, SharedFact


class Placeholder(Strict):
    """A variable part of a key."""

    brief: Text
    pattern: Text = Field(description="Regular expression for one value, such as [^/]+ ; bounded where possible.")
    examples: list[Text] = Field(min_length=1)
    open: bool = Field(default=False, description="True where users choose the whole name freely.")


class Guard(Strict):
    """A named condition in some releases; outside them it does not hold."""

    releases: Ranges | None = None
    when: Text


Single = dict[Part, Text | list[Guard]]
"""When there is only one of a part, so that how parts are put together cannot show."""

SINGLE = (
    "Guards: when there is one part at a level, such as `rank: world_size == 1`; `update`: one optimizer step per "
    "batch. `unknown` stands for what no setting says."
)


class UnloggedKey(Strict):
    """What a guide says of a key that is never logged."""

    says: Text
    instead: Text = Field(description="What to look at instead.")


class Unlogged(Strict):
    """Keys that a guide lists although these releases never log them."""

    releases: Ranges
    guide: Text = Field(description="A guide of the framework and the heading in it.")
    keys: dict[str, UnloggedKey] = Field(min_length=1)


class ReportedFault(Strict):
    """An issue or pull request of the framework about what it logs under some keys, as it was read on a day.

    That the number is as it says is a matter of the records, each with its proof; this says only who else knows.
    """

    keys: list[Text] = Field(min_length=1, description="Without the prefix of a mode, with `*` for any text.")
    releases: Ranges = Field(description="In which releases the numbers are so.")
    number: int = Field(gt=0, description="Of the issue or pull request.")
    pull: bool = Field(default=False, description="Whether it is a pull request.")
    says: Text = Field(description="What it is about, in our words.")
    state: Literal["open", "closed", "merged"] = Field(description="As it was on that day.")
    fixed: Text | None = Field(default=None, description="The first release in which it is no longer so.")
    by: int | None = Field(default=None, description="The number of the pull request that mended it.")
    read: Text = Field(description="The day up to which it was read, as 2026-09-20.")


class TrackingKind(Strict):
    """How several components hand their dict to trackers; ``{settings}`` stands for the class of their settings."""

    route: Text = Field(description="The route named in the tracker files: such as accelerate and hf_trainer.")
    enable: Text
    x_axis: Text
    in_training: Text | None = None
    every: Occasion = "unstated"
    interval: Text | None = None


class Tracking(Strict):
    """How a component hands its dict to trackers, how a user turns that on, and what the x-axis is."""

    releases: Ranges | None = None
    like: Text | None = Field(
        default=None, description="A kind of tracking of framework.yaml, in place of the next three fields."
    )
    settings: Text | None = Field(default=None, description="What stands for {settings} in it, such as GRPOConfig.")
    route: Text = Field(
        default="", description="The route named in the tracker files: such as accelerate and hf_trainer."
    )
    enable: Text = ""
    x_axis: Text = ""
    in_training: Text | None = Field(
        default=None, description="A sentence more on the axis of what comes with the logs of training."
    )
    every: Occasion = Field(default="unstated", description="What a new value of a key comes with in training.")
    interval: Text | None = Field(default=None, description="The setting that says to how many of these one log comes.")
    sources: list[ClaimSource] = []
    at: list[Text] = []

    @model_validator(mode="after")
    def _says_how(self) -> Tracking:
        said = [name for name in ("route", "enable", "x_axis") if getattr(self, name)]
        if self.like is None and len(said) < 3:
            msg = "`route`, `enable` and `x_axis` belong here, or `like` with a kind of tracking of framework.yaml"
            raise ValueError(msg)
        said += sorted({"in_training", "every", "interval"} & self.model_fields_set)
        if self.like is not None and said:
            msg = f"`like` and `{said[0]}` exclude each other"
            raise ValueError(msg)
        return self


class ComponentRange(Strict):
    """A class (or part) that logs what the file describes, in these releases."""

    name: Text
    releases: Ranges
    module: Text


class ComponentFile(Strict):
    """One trainer or component: ``spec/frameworks/<framework>/<name>.yaml``.

    A file without ``components`` is a fragment: other files take over its keys by naming it in ``extends``.
    """

    title: Text = Field(default="", description="What it is called; as its component, if left out.")
    brief: Text
    as_defined: bool = Field(
        default=False,
        description="Whether its records are as their metrics are defined where they say nothing else of population, "
        "reduction and span. Without it, silence leaves a record unreviewed, and no relation to it is exact.",
    )
    components: list[ComponentRange] = []
    program: Text | None = Field(
        default=None,
        description="What the components run in, where several files describe one run; by default each component is a "
        "program of its own, like a trainer.",
    )
    extends: list[Text] = Field(
        default=[],
        description="Files (by stem) whose keys, shared facts and profiles apply here too; an own record of a key, in "
        "the same release and mode, takes the place of theirs. In a framework that derives from another one, "
        "`trl/grpo_trainer` names a file of that one.",
    )
    overrides: list[Text] = Field(
        default=[],
        description="Methods of extended classes that are replaced in a way that reading classes does not show, such "
        "as by assignment; `*` for all of them. What they write is unreviewed here unless `kept` names it.",
    )
    kept: list[KeptMethods] = Field(
        default=[], description="Methods that replace those of an extended class and leave keys as they are."
    )
    modes: list[Mode] = ["train"]
    eval_prefix: Text = "eval_"
    tracking: list[Tracking] = []
    config: dict[str, ConfigKey] = {}
    shaping: dict[str, Shaping] = Field(
        default={}, description="Settings that move curves without changing what their keys mean."
    )
    placeholders: dict[str, Placeholder] = {}
    profiles: dict[str, Profile] = {}
    names: dict[str, Text] = Field(default={}, description="Short names of configuration keys, for this file.")
    guards: dict[str, Text | list[Guard]] = Field(
        default={}, description="Named conditions: an expression, or several with their releases."
    )
    groups: dict[str, list[Fact]] = Field(
        default={}, description="Facts that records, facts and shared entries refer to by the name of their group."
    )
    single: Single = Field(default={}, description=SINGLE)
    bind: dict[str, Text | float | int | list[BoundParameter]] = Field(
        default={}, description="What parameters of functions are taken from, unless a record says otherwise."
    )
    pinned: list[Pinned] = Field(default=[], description="Settings of extended files that this component never has.")
    keys: dict[str, Record | list[Record]] = Field(
        default={}, description="A record for each key; a list where several places write the key."
    )
    shared: list[SharedFact] = Field(
        default=[], description="Facts about several keys of this file and of those that it extends."
    )
    replace: list[Text] = Field(default=[], description="Named facts of extended files that do not hold here.")
    guide: Citation | None = Field(default=None, description=f"{CITED} For each entry of `documented` without one.")
    unlogged: list[Unlogged] = []
    reports: list[ReportedFault] = Field(
        default=[], description="What the framework's authors were told about its numbers."
    )
    anchors: dict[str, Text] = Field(
        default={},
        description="Where claims stand that no lock knows, as in an overlay: names of anchors, separated by commas, "
        "and the symbol of each.",
    )
    watch: list[Text] = Field(
        default=[], description="Further symbols on which the meaning of the keys depends, such as other programs."
    )
    allow: list[Allow] = []

    @model_validator(mode="before")
    @classmethod
    def _called(cls, said: Any) -> Any:
        """Call a file as its component, unless it has a title."""
        first = (said.get("components") or [None])[0] if isinstance(said, dict) and "title" not in said else None
        name = first.get("name") if isinstance(first, dict) else getattr(first, "name", None)
        return {**said, "title": name} if isinstance(name, str) else said

    @model_validator(mode="after")
    def _is_called(self) -> ComponentFile:
        if not self.title:
            msg = "a file without components needs a `title`"
            raise ValueError(msg)
        return self

    def records(self) -> Iterator[tuple[str, int, Record]]:
        """Yield every record with its name in the file and its place among the records of that name."""
        for key, records in self.keys.items():
            for index, record in enumerate([records] if isinstance(records, Record) else records):
                yield key, index, record
