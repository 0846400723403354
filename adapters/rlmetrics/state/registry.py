"""What is known about a metric's compute function, and the mapping that finds it by the metric's id."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

import torch
from torch import Tensor

from rlmetrics.answers.notebook import facts_html, one_line

from . import references
from .checks import Dtype
from .layout import Slot
from .metric_state import MetricState

Number = bool | int | float


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricFunction:
    """A metric that can be computed from tensors.

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
        return one_line("MetricFunction", f"{self.id}({', '.join(self._arguments)}), {self.unit}")

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

    def __call__(self, *args: Tensor, **kwargs: Any) -> Tensor:
        """Call the metric's function."""
        return self.function(*args, **kwargs)

    def __reduce__(self) -> tuple[Callable[[str], MetricFunction], tuple[str]]:
        return registered, (self.id,)

    def state(
        self, *, device: torch.device | str | None = None, ids_restart: Number = False, **parameters: Number
    ) -> MetricState:
        """Return an empty state of this metric.

        Args:
            device: Where the state lives; it follows its first update if left out.
            ids_restart: Whether group ids start anew in every update; see :class:`MetricState`.
            parameters: Keyword arguments of the metric's function.

        Raises:
            TypeError: A parameter is unknown, missing or no number.
            ValueError: A parameter lies outside its bounds.
        """
        return MetricState(self, device=device, ids_restart=ids_restart, **parameters)

    def reference(self, *args: Tensor, **kwargs: Any) -> Tensor:
        """Compute the metric a second way: in plain Python, one number after the other, nothing shared with the first.

        It takes what ``function`` takes and returns what it returns. Slow on purpose: tests compare the two.
        """
        return references.evaluate(self, args, kwargs)


class Registry(Mapping[str, MetricFunction]):
    """Finds metric functions by id; a family's module is imported when one of its metrics is asked for."""

    def __init__(self, package: str, index: Mapping[str, str], renamed: Mapping[str, str] | None = None) -> None:
        """Remember where metrics are.

        Args:
            package: The package of the families' modules.
            index: The name of the module in it that holds each metric.
            renamed: The present ids of metrics by their earlier ones, which work and warn.
        """
        self._package = package
        self._index = index
        self._renamed = renamed or {}

    def __getitem__(self, key: str) -> MetricFunction:
        """Return the metric function of an id, or of ``id@variant``.

        Raises:
            KeyError: No metric with that id can be computed; the message names the nearest ones.
        """
        if key in self._renamed:
            from rlmetrics.names.renames import warn_renamed

            warn_renamed(key, self._renamed[key])
            key = self._renamed[key]
        try:
            module = self._index[key]
        except KeyError:
            near = difflib.get_close_matches(str(key), self._index, n=3)
            msg = f"no metric function {key!r}" + (f"; did you mean {', '.join(near)}?" if near else "")
            raise KeyError(msg) from None
        metrics: Mapping[str, MetricFunction] = import_module(f"{self._package}.{module}").METRICS
        return metrics[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)

    def __contains__(self, key: object) -> bool:
        return key in self._index or key in self._renamed

    def __repr__(self) -> str:
        return f"Registry({self._package!r}, {len(self)} metrics)"


def registered(key: str) -> MetricFunction:
    """Return the metric function of an id from the generated registry; pickled states come back through it."""
    registry: Registry = import_module("rlmetrics.functional").REGISTRY
    return registry[key]
