"""What one value tells, and how much there is to say of it."""

from __future__ import annotations

from rlmetrics.lazy_dataclasses import dataclass

__all__ = ["BAD", "LEVELS", "Judgement"]

LEVELS = ("plain", "expected", "info", "warning", "error")
"""From a value of which there is nothing to say to one that is certainly wrong."""

BAD = frozenset(LEVELS[-2:])


@dataclass(frozen=True, slots=True)
class Judgement:
    """What one value of a key tells.

    Attributes:
        level: One of `LEVELS`.
        origin: What says so: ``reading``, ``constant``, ``absent``, ``range``, ``limit``, ``health``, ``trait``,
            ``printed`` or ``nothing``.
        says: What it means; the first sentence is the answer.
        why: How the value comes about.
        worry: What would make it a bad sign.
        watch: What to look at instead or besides.
        rule: The health rule or the trait.
        follows: Metrics of which a bad value in the same row explains this one.
    """

    level: str
    origin: str
    says: str
    why: str | None = None
    worry: str | None = None
    watch: str | None = None
    rule: str | None = None
    follows: tuple[str, ...] = ()
