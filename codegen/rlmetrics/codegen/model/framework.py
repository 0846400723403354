"""A package whose releases log metrics: ``spec/frameworks/<framework>/framework.yaml``."""

from __future__ import annotations

from pydantic import Field, model_validator

from .audit_settings import AuditSettings
from .base import Allow, Ranges, Strict, Text
from .component_file import SINGLE, Guard, Placeholder, Single, TrackingKind
from .config_key import ConfigKey, SettingSources
from .convention import LogMarks
from .derivation import Derivation
from .key_record import Fact, Profile


class Release(Strict):
    """A release on PyPI."""

    release: Text
    date: Text


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
    single: Single = Field(default={}, description=f"{SINGLE} For components that do not say it.")
    audit: AuditSettings = Field(default=AuditSettings(), description="How its source code is read for what it logs.")
    allow: list[Allow] = []

    @model_validator(mode="after")
    def _says_its_settings(self) -> Framework:
        alike = next((name for name, key in self.config.items() if key.like is not None), None)
        if alike is not None:
            msg = f"`like` is for settings of single files; say here what `{alike}` is"
            raise ValueError(msg)
        return self
