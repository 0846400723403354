"""How releases spell metrics: ``spec/frameworks/<framework>/``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from .actions import BoundParameter, WrittenValue
from .audit_settings import AuditSettings
from .base import Allow, ClaimSource, EvidenceLine, Level, Operation, Part, Ranges, SpecReading, Strict, Text
from .convention import LogMarks
from .derivation import Derivation, KeptMethods

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


class Release(Strict):
    """A release on PyPI."""

    release: Text
    date: Text


class Default(Strict):
    """A configuration key's default in some releases."""

    releases: Ranges | None = Field(default=None, description="Every release that has the key, if left out.")
    value: bool | int | float | str | None
    symbol: Text | None = Field(default=None, description="The class or function in which the default stands.")


SettingType = Literal["bool", "int", "float", "str", "choice"]
"""What a setting can be."""


class ConfigKey(Strict):
    """A configuration key that decides what is logged or how."""

    brief: Text
    type: SettingType | None = Field(
        default=None, description="What it can be, where neither its choices nor its defaults show it."
    )
    choices: list[str] = []
    defaults: list[Default] = Field(
        default=[], description="What the locks cannot tell; a default that a class has stands there."
    )
    limits: list[Text] = Field(
        default=[],
        description="Metrics of which no value is above it, as no response is longer than the longest allowed.",
    )
    unless: Text | None = Field(default=None, description="Where they can be all the same, in words.")

    def fits(self, value: object) -> bool:
        """Tell whether the setting can have a value."""
        if self.type == "choice":
            return value in self.choices
        if self.type == "bool":
            return isinstance(value, bool)
        if self.type == "str":
            return isinstance(value, str)
        if self.type is None:
            return True
        return isinstance(value, (int, float)) and not isinstance(value, bool)

    def typed(self, values: Iterable[object]) -> ConfigKey:
        """Return the setting with the type that its choices, or its defaults and these further ones, show."""
        if self.type is not None:
            return self
        known = [value for value in (*(item.value for item in self.defaults), *values) if value is not None]
        shown: list[SettingType] = [
            *(["choice"] if self.choices else []),  # type: ignore[list-item]
            *(name for name, kinds in _TYPES.items() if known and {type(value) for value in known} <= kinds),
        ]
        return self.model_copy(update={"type": shown[0]}) if shown else self


_TYPES: dict[SettingType, set[type]] = {"bool": {bool}, "int": {int}, "float": {int, float}, "str": {str}}


class Shaping(Strict):
    """A setting that moves curves without changing what their keys mean, such as how many steps a log averages.

    The defaults of the framework's own classes are those that the locks found; what stands here is what a changed one
    does, and what holds where these classes say nothing.
    """

    says: Text | None = Field(default=None, description="What one sees, with {before} and {after} for the two values.")
    switched_off: Text | None = Field(default=None, description="The same where the new value is 0, false or null.")
    keys: list[Text] = Field(default=[], description="The keys whose values it moves, without the prefix of a mode.")
    level: Level | None = Field(
        default=None, description="It moves every key whose parts at this level are put together, such as `window`."
    )
    base: list[Default] = Field(
        default=[], description="Defaults of another package's class, where the framework's own class says nothing."
    )

    @model_validator(mode="after")
    def _moves_something(self) -> Shaping:
        if bool(self.says) != (bool(self.keys) or self.level is not None):
            msg = "`says` and what it moves, `keys` or `level`, belong together"
            raise ValueError(msg)
        return self


class Placeholder(Strict):
    """A variable part of a key."""

    brief: Text
    pattern: Text = Field(description="Regular expression for one value, such as [^/]+ ; bounded where possible.")
    examples: list[Text] = Field(min_length=1)
    open: bool = Field(default=False, description="True where users choose the whole name freely.")


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

_CITED = "A guide of the framework and the heading in it, as `logging # PPO Logging`; by releases where they differ."


class GuideStatement(Strict):
    """What the framework's own guide says where it differs from the code, or adds to it."""

    releases: Ranges | None = None
    says: Text
    code: Text | None = Field(default=None, description="What the code does instead, where they differ.")
    guide: Citation | None = Field(default=None, description=f"{_CITED} The file's `guide`, if left out.")

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
    family: dict[str, Text | None] = Field(
        default={},
        description="Keys that the record describes, with the metric of each; the record's own name counts "
        "only if it is among them.",
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
        return self


class Guard(Strict):
    """A named condition in some releases; outside them it does not hold."""

    releases: Ranges | None = None
    when: Text


Single = dict[Part, Text | list[Guard]]
"""When there is only one of a part, so that how parts are put together cannot show."""

_SINGLE = (
    "Guards: when there is one part at a level, such as `rank: world_size == 1`; `update`: one optimizer step per "
    "batch. `unknown` stands for what no setting says."
)


class Pinned(Strict):
    """Settings that a component does not take, with the value that its base class then sees."""

    releases: Ranges | None = None
    settings: dict[str, bool | int | float | str | None] = Field(min_length=1)
    at: list[Text] = []


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
        said += sorted({"every", "interval"} & self.model_fields_set)
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
    single: Single = Field(default={}, description=_SINGLE)
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
    guide: Citation | None = Field(default=None, description=f"{_CITED} For each entry of `documented` without one.")
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


class Guide(Strict):
    """A page of a framework's own documentation; ``{release}`` in the address stands for a release."""

    title: Text
    path: Text = Field(description="Where it stands in the framework's repository.")
    url: Text | None = None


class Program(Strict):
    """What is started as one run, where a framework has several."""

    brief: Text
    releases: Ranges | None = None
    default: bool = Field(default=False, description="Meant unless another one is named; one of a framework.")
    of: Text | None = Field(default=None, description="Another program all of whose components run here, too.")
    settings: dict[str, bool | int | float | str | None] = Field(
        default={}, description="What its own configuration sets otherwise than the defaults."
    )
    code: list[Text] = Field(
        default=[],
        description="Modules that only it and programs like it run, with `*` for any text: their lines are shown last "
        "where another program runs.",
    )


class Printed(Strict):
    """How releases print the numbers of a row on the console."""

    releases: Ranges
    decimals: int = Field(ge=0, le=17)


class Code(Strict):
    """Where a framework's repository shows the lines of a release."""

    url: Text = Field(description="The address, with ``{release}``, ``{path}`` and ``{line}``.")
    releases: Ranges | None = Field(default=None, description="Those that have a tag; every release, if left out.")

    @model_validator(mode="after")
    def _names_the_line(self) -> Code:
        missing = [part for part in ("{release}", "{path}", "{line}") if part not in self.url]
        if missing:
            msg = f"the address must hold {', '.join(missing)}"
            raise ValueError(msg)
        return self


class SettingSources(Strict):
    """Where all settings of a release stand, so that a setting of which nothing is said is told from a misspelt one."""

    classes: list[Text] = Field(
        default=[], description="Names of dataclasses, with `*` for any text, or a dotted path."
    )
    hydra: Text | None = Field(default=None, description="Name of the folders that hold hydra's configurations.")
    inherited: dict[str, list[Text]] = Field(
        default={}, description="Other packages, each with the names of the dataclasses that the framework's extend."
    )
    around: list[Text] = Field(
        default=[],
        description="Names of its own under which runs record a whole configuration, beside those that all use, such "
        "as `config` and `args`.",
    )


class TranslationExample(Strict):
    """A log to try the translator with."""

    title: Text = Field(description="What the button says.")
    from_: Text = Field(alias="from", description="Its source.")
    to: Text = Field(description="The target that is shown first.")
    text: Text = Field(description="What is pasted: keys, a row, or a line of a console.")


class GitSource(Strict):
    """A repository whose tags are releases."""

    git: Text = Field(description="Its address.")
    tag: Text = Field(default="v{release}", description="The tag of a release, with ``{release}``.")


class PackageNames(Strict):
    """What a package is called, on the index and in imports."""

    package: Text = Field(description="Its name on the package index.")
    imports: Text | None = Field(
        default=None, description="The folder of its code, if that is not named like the package."
    )
    source: GitSource | None = Field(
        default=None, description="Where its releases are, if the package index has none: they are given by hand."
    )

    @property
    def imported(self) -> str:
        """The folder of its code, by which its modules are imported."""
        return self.imports or self.package.replace("-", "_")


class Framework(PackageNames):
    """``spec/frameworks/<framework>/framework.yaml``."""

    framework: Text
    title: Text
    brief: Text
    derives: Derivation | None = Field(
        default=None,
        description="The framework that this one is built on: files of it can be extended, and its profiles, groups, "
        "guards, settings, placeholders and ways of tracking hold here, too.",
    )
    known_by: LogMarks | None = Field(
        default=None,
        description="By what a log is known to be of it, where its trainers log what those of another framework do.",
    )
    code: Code | None = Field(default=None, description="Where its lines are shown; left out where no tag holds them.")
    releases: list[Release] = Field(
        default=[], description="Its releases, the oldest first; those that `dates.lock` has stand before them."
    )
    rank: int | None = Field(
        default=None,
        description="Its place among frameworks in answers and on pages, the smallest first; those without one follow "
        "by name.",
    )
    foremost: list[Text] = Field(
        default=[],
        description="Components from the one that most people use on: answers list them so, and where the logs of two "
        "look alike, the earlier one is taken to be the usual one. Others follow by the name of their file.",
    )
    tasks: dict[str, Text] = Field(
        default={},
        description="What people train with it, such as `grpo` and `sft`, each with the component or program that does "
        "it: one that does the same elsewhere has a page that leads from the one to the other.",
    )
    steps: list[list[Text]] = Field(
        default=[],
        description="Components whose keys, as the last release logs them, tell a step of PPO or GRPO: those of one "
        "trainer or program together.",
    )
    jumps: list[Text] = Field(
        default=[],
        description="Minor releases from which people upgrade far at once, the oldest first: a page leads from the "
        "last patch of each to that of the next, and from the last of them to the newest release.",
    )
    succeeded: dict[str, Text] = Field(
        default={}, description="Components that ended, each with the one that does their work since."
    )
    examples: list[TranslationExample] = Field(
        default=[], description="Logs of it with which the site's translator can be tried."
    )
    prints: list[Printed] = Field(
        default=[], description="With how many decimals a release's console prints numbers, where it rounds them."
    )
    settings: SettingSources | None = Field(default=None, description="Where all settings of a release stand.")
    beside: dict[str, dict[str, Text]] = Field(
        default={},
        description="Other packages whose statements are cited: their releases that locks know, oldest first, with "
        "dates, unless `dates.lock` has them. A release of the framework cites the one that was out when it came out.",
    )
    config: dict[str, ConfigKey] = {}
    placeholders: dict[str, Placeholder] = {}
    profiles: dict[str, Profile] = Field(default={}, description="Profiles of all files that have none of the name.")
    guards: dict[str, Text | list[Guard]] = Field(
        default={}, description="Named conditions for all files that have none of the name."
    )
    groups: dict[str, list[Fact]] = Field(default={}, description="Groups of facts for all files.")
    tracking: dict[str, TrackingKind] = Field(default={}, description="Kinds of tracking that files are `like`.")
    guides: dict[str, Guide] = {}
    programs: dict[str, Program] = {}
    single: Single = Field(default={}, description=f"{_SINGLE} For components that do not say it.")
    audit: AuditSettings = Field(default=AuditSettings(), description="How its source code is read for what it logs.")
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
    stores_nan_as: float | None = Field(
        default=None, description="The number that it stores in place of NaN and infinities, if it does not keep them."
    )
    routes: dict[str, list[Rewrite]] = Field(description="Per route, how a key becomes the shown one.")
    kinds: list[Literal["scalar", "distribution", "counter", "text"]] = ["scalar", "distribution", "counter", "text"]
    sources: list[ClaimSource] = []
    evidence: list[EvidenceLine] = []
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
