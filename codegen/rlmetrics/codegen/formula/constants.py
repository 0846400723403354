"""Arithmetic on literals."""

from __future__ import annotations

from math import nan

from .nodes import Node

__all__ = ["Constants"]

_FOLDED = ("add", "sub", "mul", "div", "neg", "pow")


class Constants:
    """Finds the values of literal expressions, each once; operands must have been asked for before what uses them."""

    def __init__(self) -> None:
        self._values: dict[Node, float | None] = {}

    def value(self, node: Node) -> float | None:
        """Return the value of arithmetic on literals; None if anything else is in it, NaN where it has none."""
        if node not in self._values:
            self._values[node] = self._compute(node)
        return self._values[node]

    def _compute(self, node: Node) -> float | None:
        if node.op == "literal":
            return node.value if isinstance(node.value, int | float) else None
        if node.extent != "const" or node.op not in _FOLDED:
            return None
        values: list[float] = []
        for arg in node.args:
            value = self.value(arg)
            if value is None:
                return None
            values.append(float(value))
        try:
            return _apply(node, values)
        except (ZeroDivisionError, OverflowError):
            return nan


def _apply(node: Node, values: list[float]) -> float:
    left, right = values[0], values[-1]
    if node.op == "pow":
        power = left**node.value if isinstance(node.value, int | float) else nan
        return power if isinstance(power, float) else nan
    if node.op == "neg":
        return -left
    if node.op == "div":
        return left / right
    return left + right if node.op == "add" else left - right if node.op == "sub" else left * right
