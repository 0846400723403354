"""Arithmetic on literals."""

from __future__ import annotations

from math import nan

from .nodes import Node
from .operations import OPERATIONS

__all__ = ["Constants"]


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
        row = OPERATIONS[node.op]
        if node.extent != "const" or row.family != "arithmetic" or row.python is None:
            return None
        values: list[float] = []
        for arg in node.args:
            value = self.value(arg)
            if value is None:
                return None
            values.append(float(value))
        if isinstance(node.value, int | float):
            values.append(node.value)
        try:
            value = row.python(*values)
        except (ZeroDivisionError, OverflowError):
            return nan
        # Roots of negative numbers are complex in Python.
        return value if isinstance(value, float) else nan
