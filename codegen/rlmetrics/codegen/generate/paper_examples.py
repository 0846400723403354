"""Examples in docstrings, made of the results that were worked out on paper."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

from rlmetrics.oracle import evaluate

from ..lint.checks.examples import FOLDER
from ..output import layout
from .functions import ComputeFunction

__all__ = ["PaperExample", "example_lines", "read_examples"]

Result = float | tuple[Mapping[int, float], float, float]
"""A number, or the counts of a histogram by their places, then minimum and maximum."""

_INDENT = 8
_OPERATORS: Final[Mapping[type[ast.AST], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: Final[Mapping[str, Callable[[float], float]]] = {"log": math.log, "exp": math.exp, "sqrt": math.sqrt}
_ROUNDED = _INDENT + len(">>> round(.item(), 4)")
"""What a call has around it where it is typed."""

_TOO_NEAR = 0.02
"""How near to the middle between two rounded numbers none may lie, in parts of their distance."""


@dataclass(frozen=True)
class PaperExample:
    """A metric on tiny tensors.

    Attributes:
        tensors: The tensors by name, as they stand in the file: nested lists of numbers and of arithmetic.
        parameters: The parameters that are set.
        result: The result, or None for a variant of which only the evaluator of definitions says it.
    """

    tensors: Mapping[str, Any]
    parameters: Mapping[str, float]
    result: Result | None


def read_examples(root: Path) -> dict[str, PaperExample]:
    """Return the examples of a checkout by the keys of their functions; there may be none."""
    return {
        key: example
        for path in sorted((root / FOLDER).glob("*.yaml"))
        for key, example in _read(path.read_text(encoding="utf-8")).items()
    }


@lru_cache(maxsize=16)
def _read(text: str) -> dict[str, PaperExample]:
    content = yaml.load(text, yaml.CSafeLoader)
    return {
        key: PaperExample({**content["tensors"], **case.get("with", {})}, case.get("given", {}), _result(case))
        for key, case in content["cases"].items()
    }


def _result(case: Mapping[str, Any]) -> Result | None:
    if "counts" in case:
        return case["counts"], _number(case["min"]), _number(case["max"])
    return _number(case["is"]) if "is" in case else None


def _number(value: str | float) -> float:
    """Return what arithmetic over numbers gives."""
    return _value(ast.parse(str(value), mode="eval").body)


def _value(node: ast.expr) -> float:
    if isinstance(node, ast.BinOp):
        return float(_OPERATORS[type(node.op)](_value(node.left), _value(node.right)))
    if isinstance(node, ast.UnaryOp):
        return -_value(node.operand)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return _FUNCTIONS[node.func.id](_value(node.args[0]))
    assert isinstance(node, ast.Constant)
    return float(str(node.value))


def example_lines(
    function: ComputeFunction,
    examples: Mapping[str, PaperExample],
    formulas: Mapping[str, tuple[str, Mapping[str, str]]],
) -> list[str]:
    """Return the lines of an example as it is typed and answered, indented for a section of a docstring.

    Args:
        function: The function; a variant is shown on the tensors of its metric.
        examples: All examples.
        formulas: Formula and named steps of every function by its key.
    """
    example = examples.get(function.key) or examples.get(function.metric_id)
    if example is None or not example.tensors.keys() >= function.inputs.keys():
        return []
    given = {name: value for name, value in example.parameters.items() if name in function.parameters}
    result = example.result if function.key in examples else None
    if result is None:
        result = _by_definition(function, example, given, formulas)
    if result is None:
        return []
    tensors = {name: f"tensor({_literal(example.tensors[name], word.dtype)})" for name, word in function.inputs.items()}
    settings = [f"{name}={value!r}" for name, value in given.items()]
    alone = layout.call(f"F.{function.name}", [*tensors.values(), *settings])
    if len(tensors) == 1 and alone.flat is not None and len(alone.flat) < layout.WIDTH - _ROUNDED:
        lines, call = [], alone
    else:
        lines = [line for name, text in tensors.items() for line in _typed(f"{name} = {text}")]
        call = layout.call(f"F.{function.name}", [*tensors, *settings])
    return [" " * _INDENT + line for line in [*lines, *_asked(call, result)]]


def _by_definition(
    function: ComputeFunction,
    example: PaperExample,
    given: Mapping[str, float],
    formulas: Mapping[str, tuple[str, Mapping[str, str]]],
) -> Result | None:
    if function.formula is None:
        return None
    parameters = {name: given.get(name, one.default) for name, one in function.parameters.items()}
    if any(value is None for value in parameters.values()):
        return None
    result = evaluate(
        function.formula,
        function.let,
        {
            name: _map(example.tensors[name], bool if word.dtype == "bool" else int if word.dtype == "int" else float)
            for name, word in function.inputs.items()
        },
        {name: float(value) for name, value in parameters.items() if value is not None},
        function.empty,
        formulas.__getitem__,
        function.metric.nan,
    )
    if isinstance(result, dict):
        return {place: count for place, count in enumerate(result["counts"]) if count}, result["min"], result["max"]
    return float(result)


def _map(value: Any, kind: type) -> Any:
    return [_map(item, kind) for item in value] if isinstance(value, list) else kind(_number(value))


def _literal(value: Any, dtype: str) -> str:
    """Return a tensor's content as Python writes it; one of floats has a decimal point or a fraction somewhere."""
    text = str(value).replace("'", "")
    if dtype != "float" or any(mark in text for mark in (".", "log", "exp", "sqrt", "/", "nan", "inf")):
        return text
    return str(_map(value, float)).replace(".0", ".")


def _typed(statement: str) -> list[str]:
    """Return a statement as it is typed, after prompts; a tensor that is too long has a line for each of its rows."""
    if len(statement) + _INDENT + 4 <= layout.WIDTH:
        return [f">>> {statement}"]
    head, _, rest = statement.partition("tensor([")
    rows = re.split(r"(?<=\]\]), (?=\[\[)" if "]], [[" in rest else r"(?<=\]), (?=\[)", rest.removesuffix("])"))
    return [f">>> {head}tensor([", *(f"...     {row}," for row in rows), "... ])"]


def _asked(call: layout.Bracket, result: Result) -> list[str]:
    """Return what is typed to see a result, and the answer."""
    if isinstance(result, tuple):
        counts, least, largest = result
        digits = max(_digits(least), _digits(largest))
        return [
            *_prompted(layout.Bracket(f"found = {call.head}", call.items, call.close)),
            ">>> {place: int(count) for place, count in enumerate(found[:-2]) if count}",
            str({place: int(counts[place]) for place in sorted(counts)}),
            f">>> [round(end, {digits}) for end in found[-2:].tolist()]",
            str([round(least, digits), round(largest, digits)]),
        ]
    digits = _digits(result)
    answer = repr(round(result, digits) + 0.0)
    if call.flat is not None and len(call.flat) <= layout.WIDTH - _ROUNDED:
        return [f">>> round({call.flat}.item(), {digits})", answer]
    value = layout.Bracket(f"value = {call.head}", call.items, call.close)
    return [*_prompted(value), f">>> round(value.item(), {digits})", answer]


def _prompted(call: layout.Bracket) -> list[str]:
    if call.flat is not None and len(call.flat) <= layout.WIDTH - _INDENT - 4:
        return [f">>> {call.flat}"]
    first, *more = (call.head, *(f"    {item}," for item in call.items), call.close)
    return [f">>> {first}", *(f"... {line}" for line in more)]


def _digits(value: float) -> int:
    """Return to how many digits a number is shown, so that float32 and a rounding up or down leave them as they are."""
    if not math.isfinite(value) or value == 0:
        return 4
    digits = min(max(3 - math.floor(math.log10(abs(value))), 1), 8)
    while abs(abs(value) * 10**digits % 1 - 0.5) < _TOO_NEAR and digits < 8:
        digits += 1
    return digits
