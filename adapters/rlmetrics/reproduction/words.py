"""The closed words by which the spec says what a code does to a number beside the formula of its metric.

A trait of ``spec/signatures.yaml`` has ``does``: one of the four words below, or actions by name. An action stands in
the tables as ``{"empty": {"as": 0}}``; its fields are those of `rlmetrics.codegen.model.actions`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["GIVEN", "HELD", "PARTED", "UNSEEN", "Action", "actions_of"]

GIVEN = "given"
"""The trait says what the tensors hold that the caller hands over: nothing is left to do."""

HELD = "held"
"""The function, the population, a reduction or a scale beside it does all that the trait says."""

PARTED = "parted"
"""As `HELD` where micro-batches are put together one by one; where one call takes all of them, none is seen alone."""

UNSEEN = "unseen"
"""The trait changes the number by something that no tensor shows, such as a clock."""


class Action(NamedTuple):
    """One thing that a code does to a number.

    Attributes:
        word: ``empty``, ``single``, ``round``, ``scale``, ``times``, ``plus``, ``clamp``, ``alike``, ``nonfinite``,
            ``fold``, ``weigh``, ``spread``, ``constant`` or ``nan``.
        said: What the spec says about it.
        trait: The trait that says so.
    """

    word: str
    said: Mapping[str, Any]
    trait: str


def actions_of(trait: str, does: Mapping[str, Any], holds: Callable[[str], bool | None]) -> Sequence[Action] | None:
    """Return the actions of a trait under settings; None if nothing tells whether one of them is done.

    Args:
        trait: The trait.
        does: Its actions as the tables have them.
        holds: Answers guards.
    """
    actions = []
    for word, said in does.items():
        when = said.get("when")
        answer = True if when is None else holds(when)
        if answer is None:
            return None
        if answer:
            actions.append(Action(word, said, trait))
    return actions
