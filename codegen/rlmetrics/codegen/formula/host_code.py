"""Writes results as arithmetic on Python numbers, for a state that has been copied to the host."""

from __future__ import annotations

from .line_scope import TERNARY, Piece, Scope
from .nodes import Node, exponent
from .operations import OPERATIONS
from .torch_code import Renderer

__all__ = ["HostRenderer"]


class HostRenderer(Renderer):
    """Renders what stands above the reductions of a formula, where every operand is a Python number."""

    def render(self, node: Node, scope: Scope) -> Piece:
        """Write one operation, its operands through the scope."""
        row = OPERATIONS[node.op]
        if row.host:
            return scope.call(row.host, node.args, *([repr(exponent(node))] if row.host == "host.power" else []))
        if node.op == "not":
            ((text, binding),) = scope.pieces(node.args)
            return f"not {text if binding > TERNARY else f'({text})'}", TERNARY
        if node.op == "where":
            condition, then, otherwise = (
                text if binding > TERNARY else f"({text})" for text, binding in scope.pieces(node.args)
            )
            return f"{then} if {condition} else {otherwise}", TERNARY
        return super().render(node, scope)
