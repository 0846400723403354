"""Settings of trainers and scripts: what they can be, and their defaults."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import Field, model_validator

from .base import Level, Ranges, Strict, Text


class Default(Strict):
    """A configuration key's default in some releases."""

    releases: Ranges | None = Field(default=None, description="Every release that has the key, if left out.")
    value: bool | int | float | str | None
    symbol: Text | None = Field(default=None, description="The class or function in which the default stands.")


SettingType = Literal["bool", "int", "float", "str", "choice"]
"""What a setting can be."""


class FormerName(Strict):
    """What a setting was called before."""

    name: Text
    releases: Ranges | None = Field(
        default=None, description="Those that still take a value under the former name and set this one to it, if any."
    )


class ConfigKey(Strict):
    """A configuration key that decides what is logged or how."""

    like: Text | None = Field(
        default=None, description="A file of the framework whose setting of this name is the same, and nothing else."
    )
    brief: Text = ""
    type: SettingType | None = Field(
        default=None, description="What it can be, where neither its choices nor its defaults show it."
    )
    choices: list[str] = []
    defaults: list[Default] = Field(
        default=[], description="What the locks cannot tell; a default that a class has stands there."
    )
    formerly: FormerName | None = Field(
        default=None, description="Its name in earlier releases, where nothing but the name changed."
    )
    limits: list[Text] = Field(
        default=[],
        description="Metrics of which no value is above it, as no response is longer than the longest allowed.",
    )
    unless: Text | None = Field(default=None, description="Where they can be all the same, in words.")

    @model_validator(mode="after")
    def _says_what(self) -> ConfigKey:
        if (self.like is None) != bool(self.brief) or (self.like is not None and self.model_fields_set != {"like"}):
            msg = "`brief` and what else there is to say belong here, or `like` alone, with a file that says it"
            raise ValueError(msg)
        return self

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
    settled: Text | None = Field(
        default=None, description="What a default of null becomes, where the constructor settles it, in few words."
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


class Pinned(Strict):
    """Settings that a component does not take, with the value that its base class then sees."""

    releases: Ranges | None = None
    settings: dict[str, bool | int | float | str | None] = Field(min_length=1)
    at: list[Text] = []


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
