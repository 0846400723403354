"""Whether the numbers of reference steps bear a sentence out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..judged_lock import HOLDS, REFUSED, UNSEEN

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

    from ..lint.sentences import Sentence
    from .carriers import Carrier, Carriers
    from .shown_numbers import StepNumbers

__all__ = ["HELD", "Sight", "StepVerdict", "refused", "unseen"]


class StepVerdict(NamedTuple):
    """What steps say of a sentence.

    Attributes:
        answer: ``holds``, ``refused``, or ``unseen`` where no step can show it.
        why: The step and the number that refute it, or why none can tell.
    """

    answer: str
    why: str = ""


HELD = StepVerdict(HOLDS)


def refused(why: object) -> StepVerdict:
    """Return that a step contradicts."""
    return StepVerdict(REFUSED, str(why))


def unseen(why: str) -> StepVerdict:
    """Return that no step tells."""
    return StepVerdict(UNSEEN, why)


class Sight(NamedTuple):
    """What a sentence is held against.

    Attributes:
        tables: The spec.
        carriers: Of which keys sentences are told.
        numbers: What these keys are in reference steps.
    """

    tables: Tables
    carriers: Carriers
    numbers: StepNumbers

    def usable(self, told: str) -> list[Carrier]:
        """Return the carriers of a subject that steps show."""
        return [carrier for carrier in self.carriers.of(told) if self.numbers.is_usable(carrier)]

    def inputs(self, carrier: Carrier) -> Sequence[str]:
        """Return the inputs of the function of a carrier."""
        inputs: Sequence[str] = self.tables.reproduction["FUNCTIONS"][str(carrier.recipe.function)]["inputs"]
        return inputs

    def nothing(self, told: str) -> StepVerdict:
        """Return why steps show none of the carriers of a subject."""
        carriers = self.carriers.of(told)
        if not carriers:
            return unseen("no release logs it under settings that its guards name")
        return unseen(next(filter(None, map(self.numbers.why_not, carriers)), "no step shows its settings"))


Judging = Callable[["Sentence", Sight], StepVerdict]
"""Judges sentences of one kind."""
