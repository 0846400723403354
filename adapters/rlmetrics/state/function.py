"""What is known about a metric's compute function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from torch import Tensor

from rlmetrics.names.tables.record_display import facts_html, one_line

from .input_checks import Dtype
from .slot_layout import Slot

__all__ = ["MetricFacts", "Number", "registered"]

Number = bool | int | float


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricFacts:
    """What is known about a metric that can be computed from tensors.

    Attributes:
        id: The metric's canonical name, followed by ``@variant`` for a variant.
        brief: What it measures, in one sentence.
        unit: Unit of the result; ``"1"`` for pure numbers.
        kind: What the result is: a scalar ``[]``, or the counts of a distribution.
        atom: What must not be cut when data is split over several updates or states.
        empty: The value over an empty population; ``"omit"`` is NaN here, and is left out of dicts of results.
        inputs: Name, axes and kind of dtype of each tensor, in the order of the function's arguments.
        parameters: Keyword arguments with their defaults; None where there is none.
        formula: The expression that defines the metric, empty if hand-written code does.
        let: The named sub-expressions of the formula, in order.
        slots: What the additive state holds.
        function: Takes the inputs and parameters and returns the result.
        update: Takes the inputs and parameters and returns the packed float64 state of this one batch.
        finalize: Takes a packed state and the parameters named in ``finalize_parameters`` and returns the result.
        finalize_parameters: Names of the parameters that the finaliser needs.
        nan: Whether NaN makes the result NaN or is left out.
        own_reference: The independent reference of a hand-written function.
        over_padding: Whether padding counts too, so that packed tokens, which have none, give another number.
    """

    id: str
    brief: str
    unit: str
    kind: Literal["scalar", "distribution", "counter", "text"]
    atom: Literal["token", "sequence", "group", "batch"]
    empty: Literal["nan", "omit", 0]
    inputs: tuple[tuple[str, tuple[str, ...], Dtype], ...]
    parameters: Mapping[str, Number | None]
    function: Callable[..., Tensor]
    update: Callable[..., Tensor]
    finalize: Callable[..., Tensor]
    slots: tuple[Slot, ...]
    finalize_parameters: tuple[str, ...] = ()
    formula: str = ""
    let: Mapping[str, str] = field(default_factory=dict)
    nan: Literal["propagate", "skip"] = "propagate"
    own_reference: str = ""
    over_padding: bool = False

    @property
    def keeps_values(self) -> bool:
        """Whether a state keeps every value, so that it has no fixed size and no suite takes it."""
        return self.slots[-1].kind == "values"

    def __repr__(self) -> str:
        return one_line(type(self).__name__, f"{self.id}({', '.join(self._arguments)}), {self.unit}")

    def _repr_html_(self) -> str:
        facts: list[tuple[str, object]] = [
            ("measures", self.brief),
            ("unit", self.unit),
            ("inputs", [f"{name}: {dtype}, {' x '.join(axes) or 'scalar'}" for name, axes, dtype in self.inputs]),
            ("parameters", [f"{name} = {value}" for name, value in self.parameters.items()]),
            ("formula", [*(f"{name} = {text}" for name, text in self.let.items()), self.formula]),
        ]
        return facts_html(self.id, facts)

    @property
    def _arguments(self) -> list[str]:
        """The names of the function's arguments."""
        return [*(name for name, _, _ in self.inputs), *self.parameters]


def registered(key: str) -> Any:
    """Return the ``MetricFunction`` of an id from the generated registry; pickled states come back through it."""
    return import_module("rlmetrics.functional").REGISTRY[key]
