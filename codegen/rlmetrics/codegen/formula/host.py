"""Writes results as arithmetic on Python numbers, for a state that has been copied to the host."""

from __future__ import annotations

from typing import Final

from .nodes import Node
from .render import Renderer
from .scope import ATOM, TERNARY, Piece, Scope

__all__ = ["HostRenderer"]

_CALLS: Final = {
    "div": "divide",
    **{name: name for name in ["exp", "log", "log1p", "expm1", "sqrt", "sign", "sigmoid", "log_sigmoid"]},
    **{name: name for name in ["minimum", "maximum", "clamp", "is_finite"]},
}


class HostRenderer(Renderer):
    """Renders what stands above the reductions of a formula, where every operand is a Python number."""

    def render(self, node: Node, scope: Scope) -> Piece:
        """Write one operation, its operands through the scope."""
        if node.op in _CALLS:
            return scope.call(f"host.{_CALLS[node.op]}", node.args)
        if node.op == "abs":
            return scope.call("abs", node.args)
        if node.op == "square":
            return scope.call("host.power", node.args, "2")
        if node.op == "pow":
            return scope.call("host.power", node.args, repr(node.value))
        if node.op == "not":
            ((text, binding),) = scope.pieces(node.args)
            return f"not {text if binding > TERNARY else f'({text})'}", TERNARY
        if node.op == "where":
            condition, then, otherwise = (
                text if binding > TERNARY else f"({text})" for text, binding in scope.pieces(node.args)
            )
            return f"{then} if {condition} else {otherwise}", TERNARY
        if node.op in ("literal", "input", "parameter"):
            return (repr(node.value) if node.op == "literal" else str(node.value)), ATOM
        return super().render(node, scope)
