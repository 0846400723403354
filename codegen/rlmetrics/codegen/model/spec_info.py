"""The version of the spec, and the names that it gave up: ``spec/spec.yaml``."""

from __future__ import annotations

from pydantic import Field

from .base import Strict, Text


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
