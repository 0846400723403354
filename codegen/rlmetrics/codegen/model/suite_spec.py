"""Which metrics are fused for a trainer: ``spec/suites/<name>.yaml``."""

from __future__ import annotations

from pydantic import Field

from .base import Allow, Strict, Text

__all__ = ["SuiteFile"]


class SuiteFile(Strict):
    """Metrics that one kind of trainer computes together; they become a class of ``rlmetrics.suites``."""

    suite: Text
    name: Text = Field(description="The class, such as PPOSuite.")
    brief: Text
    description: Text
    parameters: dict[str, bool | int | float] = Field(
        default={}, description="Defaults of this suite, where those of its metrics differ or do not fit."
    )
    metrics: list[Text] = Field(min_length=1, description="Ids of metrics, or metric@variant.")
    names: dict[str, Text] = Field(
        default={}, description="What results are called, if not by their metric's id or metric@variant."
    )
    allow: list[Allow] = []
