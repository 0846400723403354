"""Reads the results in ``tests/fixtures/hand_computed``, which were worked out on paper."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import torch
import yaml
from rlmetrics.functional import REGISTRY
from torch import Tensor

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "hand_computed"

_OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {"log": math.log, "exp": math.exp, "sqrt": math.sqrt}
_DTYPES = {"float": torch.float64, "bool": torch.bool, "int": torch.int64}


@dataclass(frozen=True)
class Example:
    """One metric on tiny tensors.

    Attributes:
        key: The metric's key in the registry.
        tensors: The tensors by name, as they stand in the file.
        parameters: The parameters that are set.
        result: The number, or for a histogram the counts at the places that are not 0, with least and largest value.
    """

    key: str
    tensors: Mapping[str, Any] = field(repr=False)
    parameters: Mapping[str, float]
    result: float | tuple[Mapping[int, float], float, float]

    def inputs(self) -> dict[str, Tensor]:
        """Return the metric's inputs in the dtypes that they have."""
        return {
            name: torch.tensor(_numbers(self.tensors[name]), dtype=torch.float64).to(_DTYPES[dtype])
            for name, _, dtype in REGISTRY[self.key].inputs
        }

    def expected(self, like: Tensor) -> Tensor:
        """Return the result as the metric's function returns it."""
        if not isinstance(self.result, tuple):
            return torch.tensor(self.result, dtype=torch.float64)
        counts, least, largest = self.result
        expected = torch.zeros_like(like)
        for place, count in counts.items():
            expected[place] = count
        expected[-2] = least
        expected[-1] = largest
        return expected


@cache
def examples() -> tuple[Example, ...]:
    """Return all examples."""
    return tuple(
        Example(key, {**content["tensors"], **case.get("with", {})}, case.get("given", {}), _result(case))
        for path in sorted(FOLDER.glob("*.yaml"))
        for content in [yaml.safe_load(path.read_text(encoding="utf-8"))]
        for key, case in content["cases"].items()
        # Of the others, only the examples in docstrings say what the definition gives.
        if "is" in case or "counts" in case
    )


def arithmetic(text: str | float) -> float:
    """Return what arithmetic over numbers gives; nothing but numbers, operators, log, exp and sqrt is understood."""
    return _value(ast.parse(str(text), mode="eval").body)


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.Constant):
        return float(node.value)  # type: ignore[arg-type]
    if isinstance(node, ast.BinOp):
        return float(_OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.UnaryOp):
        return float(_OPERATORS[type(node.op)](_value(node.operand)))
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    return _FUNCTIONS[node.func.id](_value(node.args[0]))


def _numbers(value: Any) -> Any:
    return [_numbers(item) for item in value] if isinstance(value, list) else arithmetic(value)


def _result(case: Mapping[str, Any]) -> float | tuple[Mapping[int, float], float, float]:
    if "is" in case:
        return arithmetic(case["is"])
    return case["counts"], arithmetic(case["min"]), arithmetic(case["max"])
