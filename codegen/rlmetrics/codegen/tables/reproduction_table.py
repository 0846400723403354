"""The table of what is needed to compute logged numbers: what traits do, and what each function takes and holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .data import Row, Table, row

if TYPE_CHECKING:
    from ..model import Metric, TraitActions
    from ..spec import Spec

__all__ = ["reproduction_table"]


def reproduction_table(spec: Spec) -> Table:
    """Return ``DOES``, by trait one word or actions by name, and ``FUNCTIONS``, by id its inputs and parameters."""
    does = {name: trait.does for name, trait in spec.signatures.traits.items() if trait.does is not None}
    functions: dict[str, Row] = {}
    for family in spec.families.values():
        for name, metric in family.metrics.items():
            functions.update(_functions(name, metric))
    data = {
        "DOES": {name: word if isinstance(word, str) else _done(word) for name, word in does.items()},
        "FUNCTIONS": functions,
    }
    return Table("spec", data)


def _functions(name: str, metric: Metric) -> Iterator[tuple[str, Row]]:
    computed = metric.formula is not None or metric.impl is not None
    if computed:
        yield name, _function(metric.inputs, metric.parameters, metric.holds)
    for variant, item in metric.variants.items():
        if computed or item.formula is not None or item.impl is not None:
            inputs = metric.inputs if item.inputs is None else item.inputs
            parameters = metric.parameters if item.parameters is None else item.parameters
            yield f"{name}@{variant}", _function(inputs, parameters, item.holds)


def _function(inputs: Any, parameters: Any, holds: Any) -> Row:
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    return {"inputs": list(inputs), **row(parameters=defaults, holds=list(holds))}


def _done(does: TraitActions) -> dict[str, Row]:
    return {
        word: getattr(does, word).model_dump(by_alias=True, exclude_none=True)
        for word in type(does).model_fields
        if getattr(does, word) is not None
    }
