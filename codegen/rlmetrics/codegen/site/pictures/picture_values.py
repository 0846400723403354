"""Numbers that pictures show, computed by the formulas of the spec with the slow evaluator that checks functions."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rlmetrics.oracle import evaluate

if TYPE_CHECKING:
    from rlmetrics.names.tables.tables import Tables

__all__ = ["Formula", "formula_of"]


class Formula:
    """The formula of a metric, or of a variant of it, ready to be applied to numbers.

    Args:
        text: What the spec says about the metric.
        variant: What it says about the variant; empty for the metric itself.

    Attributes:
        inputs: The names of its inputs.
        parameters: The metric's parameters with their defaults.
        words: Formula and named parts in one text.
    """

    def __init__(self, text: Mapping[str, Any], variant: Mapping[str, Any]) -> None:
        self.inputs: tuple[str, ...] = tuple(text.get("inputs", ()))
        self.parameters: dict[str, float] = {
            name: row["default"] for name, row in text.get("parameters", {}).items() if "default" in row
        }
        own = variant or text
        self._formula = str(own["formula"])
        self._let: Mapping[str, str] = own.get("let") or text.get("let", {})
        self.words = " ".join([self._formula, *map(str, self._let.values())])

    def __call__(self, inputs: Mapping[str, Any], parameters: Mapping[str, float] | None = None) -> float:
        """Return its value; inputs that it does not take are left alone."""
        taken = {name: inputs[name] for name in self.inputs}
        found = evaluate(self._formula, self._let, taken, {**self.parameters, **(parameters or {})})
        return float(found) if isinstance(found, int | float) else float("nan")


@lru_cache(maxsize=4096)
def formula_of(tables: Tables, metric: str, variant: str | None = None) -> Formula | None:
    """Return the formula of a metric or of its variant; None if it has none."""
    text: Mapping[str, Any] = tables.texts.get(metric, {})
    own: Mapping[str, Any] = text.get("variants", {}).get(variant, {}) if variant is not None else {}
    return Formula(text, own) if (own if variant is not None else text).get("formula") else None
