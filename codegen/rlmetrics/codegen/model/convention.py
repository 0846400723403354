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
    instrument: Literal["gauge", "counter", "histogram"]
    unit: Text = Field(description="As the convention writes it.")
    note: Text | None = None


class Convention(Strict):
    """A convention without releases and without code: a target for names, not a source of numbers."""

    convention: Text
    title: Text
    brief: Text
    version: Text = Field(description="The state that is described, such as the date of a proposal.")
    sources: list[ClaimSource] = Field(min_length=1)
    traits: list[Text] = Field(default=[], description="Of every number that it names; see signatures.yaml.")
    names: list[ConventionName] = Field(min_length=1)
    allow: list[Allow] = []
