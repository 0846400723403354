"""Which compute functions the spec asks for, with every formula compiled once for all emitters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from ..findings import Finding, Location
from ..formula import Compiled, FormulaError, compile_formula
from ..model import FormulaVariant, Input, Metric, Parameter
from ..spec import Spec
from .text import function_name, registry_key

__all__ = ["Function", "resolve"]


@dataclass(frozen=True)
class Function:
    """A compute function: a metric that has one, or a variant of it.

    Attributes:
        key: The metric's id, followed by ``@variant`` for a variant.
        name: The function's name.
        metric: The metric that it computes.
        variant: The variant's name, or None.
        family: The family file that defines it.
        brief: What it computes.
        inputs: The tensors it takes, in order.
        parameters: Its keyword arguments.
        let: Named sub-expressions of the formula.
        formula: The expression, or None where ``impl`` names hand-written code.
        impl: ``module:function`` of hand-written code, or None.
        reference: ``module:function`` that hand-written code is compared with, or None.
        population: The population's name in the signature vocabulary, or None.
        atom: What must not be cut when data is split.
        empty: The value over an empty population.
        compiled: The compiled formula, or None where ``impl`` stands in.
        location: Where the spec defines it.
    """

    key: str
    name: str
    metric: Metric
    variant: str | None
    family: str
    brief: str
    inputs: Mapping[str, Input]
    parameters: Mapping[str, Parameter]
    let: Mapping[str, str]
    formula: str | None
    impl: str | None
    reference: str | None
    population: str | None
    atom: Literal["token", "sequence", "group", "batch"]
    empty: Literal["nan", "omit", 0]
    compiled: Compiled | None
    location: Location
