"""What trackers do to names: ``spec/trackers/``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .base import Allow, ClaimSource, EvidenceLine, Strict, Text


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
