"""What a description says a number is where a training, a batch or a comparison begins, held against such steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from .verdicts import HELD, Sight, StepVerdict, refused

if TYPE_CHECKING:
    from ..lint.sentences import Sentence
    from ..lint.stated_values import StatedValue
    from .shown_numbers import StepNumber

__all__ = ["stated_verdict"]

_NEAR = 0.1
"""How far from a value the mean of a number over steps may lie that is said to be near it, beside its error."""
_ROUNDED = 1e-4
"""How far a number may lie from a value that it is said to have: transformers rounds to four decimals."""


def stated_verdict(sentence: Sentence, sight: Sight) -> StepVerdict:
    """Judge a stated value: every way to compute the number has it in each step of its situation, or is near it."""
    said: StatedValue = sentence.says
    seen = False
    for carrier in sight.usable(sentence.told):
        if any(isinstance(value, int | float) and not isinstance(value, bool) for value in carrier.settings.values()):
            continue  # a threshold that nobody takes makes another number of many
        # A description speaks of the metric, whatever a key makes of it.
        plain = carrier._replace(recipe=carrier.recipe._replace(scale=1.0, offset=0.0))
        shown = [one for one in sight.numbers.all([plain], said.situations) if not math.isnan(one.value)]
        seen = seen or bool(shown)
        for one in _far(shown, said.number) if said.is_near else shown:
            if said.is_near or abs(one.value - said.number) > _ROUNDED * max(1.0, abs(said.number)):
                return refused(f"{one}, and not {'near ' * said.is_near}{said.number:.6g}")
    return HELD if seen else sight.nothing(sentence.told)


def _far(shown: list[StepNumber], number: float) -> list[StepNumber]:
    """Return the number of a step if the mean over all of them is not near a value; single steps are small."""
    if not shown:
        return []
    values = [one.value for one in shown]
    mean = sum(values) / len(values)
    error = math.sqrt(sum((value - mean) ** 2 for value in values)) / len(values)
    return [max(shown, key=lambda one: abs(one.value - number))] if abs(mean - number) > _NEAR + 3 * error else []
