"""Names that a convention outside the frameworks gives to metrics: ``spec/conventions/<name>.yaml``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Allow, ClaimSource, Strict, Text

__all__ = ["Convention", "ConventionName", "KnownBy", "LogMarks"]


class ConventionName(Strict):
    """One name of a convention."""

    name: Text
    metric: Text
    instrument: Literal["gauge", "counter", "histogram"] = "gauge"
    unit: Text = Field(default="1", description="As the convention writes it.")
    scale: float = Field(
        default=1.0, description="What a number of the metric, in the metric's unit, is multiplied by."
    )
    note: Text | None = Field(default=None, description="Of a library's name what it is there and how it differs.")


class LogMarks(Strict):
    """By what a log is known to be of one framework."""

    keys: list[Text] = Field(
        default=[], description="Keys and templates that it logs and no other described framework: each tells it."
    )
    own_log: list[Text] = Field(
        default=[],
        description="Keys of a log of its own form alone, which keeps few of the trainer's.",
    )
    also: list[Text] = Field(default=[], description="Further keys and templates of it, which others log too.")
    together: list[list[Text]] = Field(
        default=[], description="Keys that no release of a described trainer logs together: all of them tell it."
    )
    settings: list[Text] = Field(default=[], description="Names of recorded settings that nothing else has.")
    added_settings: list[Text] = Field(
        default=[],
        description="Those of them that it adds to the arguments of each trainer: a run that recorded all arguments "
        "without one is not its.",
    )
    kept: dict[Text, Text] = Field(
        default={},
        description="Keys of its trainers that its own log keeps wherever they are logged, each with its name there.",
    )
    not_described: dict[Text, Text] = Field(
        default={},
        description="Keys of its own log that only a trainer of it writes that is not described, each with that "
        "trainer's name.",
    )
    tags: list[Text] = Field(default=[], description="Tags that it writes into model cards.")
    alike: bool = Field(
        default=False,
        description="Whether a run of it may log its base's keys alone, so that no key tells the two apart.",
    )


class KnownBy(LogMarks):
    """By what a log is known to be of a framework that the spec does not describe."""

    framework: Text = Field(description="What the framework is called in answers.")
    built_on: Text | None = Field(
        default=None,
        description="The described framework whose trainers it runs: a log with their keys is judged as theirs.",
    )


class Convention(Strict):
    """A convention without releases and without code: a target for names, not a source of numbers."""

    convention: Text
    title: Text
    brief: Text
    version: Text = Field(description="The state that is described, such as the date of a proposal.")
    sources: list[ClaimSource] = Field(min_length=1)
    search: bool = Field(
        default=False, description="Names of a library that people search by: each says how it differs; no target."
    )
    known_by: KnownBy | None = Field(
        default=None, description="By what a log of a framework is known that is not described; no target."
    )
    traits: list[Text] = Field(default=[], description="Of every number that it names; see signatures.yaml.")
    names: list[ConventionName] = Field(min_length=1)
    allow: list[Allow] = []
