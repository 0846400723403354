"""Names that a convention outside the frameworks gives to metrics: ``spec/conventions/<name>.yaml``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Allow, ClaimSource, Strict, Text

__all__ = ["Convention", "ConventionName"]


class ConventionName(Strict):
    """One name of a convention."""

    name: Text
    metric: Text
    instrument: Literal["gauge", "counter", "histogram"] = "gauge"
    unit: Text = Field(default="1", description="As the convention writes it.")
    note: Text | None = Field(default=None, description="Of a library's name what it is there and how it differs.")


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
    traits: list[Text] = Field(default=[], description="Of every number that it names; see signatures.yaml.")
    names: list[ConventionName] = Field(min_length=1)
    allow: list[Allow] = []
