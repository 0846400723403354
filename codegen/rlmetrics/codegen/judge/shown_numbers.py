"""The numbers that carriers have in reference steps: computed once, and rounded as logs round them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from ..model import Situation
from .carriers import Carrier, identity_of
from .plain_numbers import Kept, NotComputableError, logged_number
from .reference_steps import ReferenceStep, hangs_together, steps

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables
    from rlmetrics.reproduction.recipes import Recipe

__all__ = ["ROUNDING", "SITUATIONS", "USUAL", "StepNumber", "StepNumbers"]

ROUNDING = 1e-6
_DIGITS = 6

Situations = frozenset[Situation]

USUAL: Situations = frozenset()
SITUATIONS = [USUAL] + [frozenset[Situation]([one]) for one in get_args(Situation) if one != "usual"]


class StepNumber(NamedTuple):
    """The number that a step has.

    Attributes:
        value: As it is logged, rounded to six decimals.
        step: The step.
        carrier: How it is computed.
        exact: The number before it is rounded.
    """

    value: float
    step: ReferenceStep
    carrier: Carrier
    exact: float

    def __str__(self) -> str:
        return f"{self.carrier.at} is {self.value:.6g} in the step ({self.step.name})"


class StepNumbers:
    """Numbers of steps.

    Args:
        tables: The spec.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._numbers: dict[tuple[str, Situations], tuple[tuple[ReferenceStep, float], ...] | None] = {}
        self._kept: Kept = {}
        self._failing: dict[str, str | None] = {}
        self._with_values: dict[tuple[str, str], bool] = {}

    def is_usable(self, carrier: Carrier) -> bool:
        """Tell whether steps show the number of a carrier: all of its inputs hang together with the rest of a step."""
        return self.why_not(carrier) is None

    def why_not(self, carrier: Carrier) -> str | None:
        """Return why no step shows the number of a carrier; None if some do."""
        recipe = carrier.recipe
        if recipe.function is None:
            return "no formula computes it from tensors"
        if not carrier.is_judged:
            left = [item for item in recipe.left_out if item.changes]
            return f"no tensor shows all that changes it: {left[-1].says}"
        inputs = self._tables.reproduction["FUNCTIONS"][recipe.function]["inputs"]
        missing = sorted(set(inputs) - hangs_together())
        if missing:
            return f"no step has {', '.join(missing)}"
        return self._fails(recipe)

    def _fails(self, recipe: Recipe) -> str | None:
        asked = identity_of(recipe)
        if asked not in self._failing:
            try:
                logged_number(recipe, self._steps(USUAL)[0], self._tables, self._kept)
                self._failing[asked] = None
            except (NotComputableError, ZeroDivisionError, OverflowError, IndexError) as error:
                self._failing[asked] = str(error) or "plain Python does not compute it"
        return self._failing[asked]

    def some(self, carriers: Sequence[Carrier], holds: Callable[[StepNumber], bool]) -> bool:
        """Tell whether any step has what is asked for; two passes of one policy may differ a little, too."""
        moved = [carrier._replace(one_update=False) for carrier in carriers if carrier.one_update]
        every = [*carriers, *moved]
        return any(holds(shown) for situations in SITUATIONS for shown in self.all(every, situations))

    def all(self, carriers: Sequence[Carrier], situations: Situations) -> Iterator[StepNumber]:
        """Yield the numbers of all carriers in all steps of a situation."""
        for carrier in carriers:
            more: Situations = frozenset({"policy_unchanged"}) if carrier.one_update else USUAL
            for step, value in self.of(carrier.recipe, situations | more) or ():
                if self._fits(carrier, step):
                    yield StepNumber(round(value, _DIGITS) + 0.0, step, carrier, value)

    def _fits(self, carrier: Carrier, step: ReferenceStep) -> bool:
        """Tell whether a run of a carrier can have such a step: one with a critic where the values are logged."""
        if not step.cut.has_values:
            return True
        place = carrier.entry.component, carrier.view.source.release
        if place not in self._with_values:
            self._with_values[place] = carrier.component.measures(_OF_VALUES)
        return self._with_values[place] and "groups_tied" not in step.situations

    def of(self, recipe: Recipe, situations: Situations) -> tuple[tuple[ReferenceStep, float], ...] | None:
        """Return the number of a recipe in each step of a situation; None if nothing computes it."""
        asked = identity_of(recipe), situations
        metric = (recipe.function or "").partition("@")[0]
        needs_groups = self._tables.texts.get(metric, {}).get("atom") == "group"
        if asked not in self._numbers:
            try:
                self._numbers[asked] = tuple(
                    (step, logged_number(recipe, step, self._tables, self._kept))
                    for step in self._steps(situations)
                    if step.cut.has_whole_groups or not needs_groups
                )
            except (NotComputableError, ZeroDivisionError, OverflowError, IndexError):
                self._numbers[asked] = None
        return self._numbers[asked]

    def _steps(self, situations: Situations) -> tuple[ReferenceStep, ...]:
        return steps(situations, self._inputs)

    @cached_property
    def _inputs(self) -> tuple[tuple[str, str, str], ...]:
        rows: Mapping[str, Mapping[str, Any]] = self._tables.inputs
        return tuple((name, str(row["domain"]), str(row["dtype"])) for name, row in rows.items())


_OF_VALUES = "value/"
"""What metrics of a critic have in their names."""
