"""How a framework is built on another one, whose keys its own trainers log unless they write them otherwise."""

from __future__ import annotations

from pydantic import Field

from .base import Ranges, Strict, Text

__all__ = ["Derivation", "KeptMethods"]


class Derivation(Strict):
    """The framework whose trainers others are made of, and which releases of it run under which release."""

    from_: Text = Field(alias="from", description="The framework that is extended, such as trl.")
    base: dict[str, Ranges] = Field(
        min_length=1,
        description="For each release the release of the other framework under it, or those that it accepts. Where it "
        "accepts several, a release of both is written like a local version: 4.6.0+trl0.24.0.",
    )


class KeptMethods(Strict):
    """Methods that a class has in place of those that it extends, and that leave what these write as it is."""

    methods: list[Text] = Field(min_length=1, description="Names of methods, without their class.")
    keys: list[Text] | None = Field(
        default=None,
        min_length=1,
        description="Keys of extended files that somebody has read in both, `*` for any text; every key, if left out.",
    )
    releases: Ranges | None = None
    at: list[Text] = Field(default=[], description="Anchors: where the source shows this.")
