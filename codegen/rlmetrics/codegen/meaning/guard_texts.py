"""Expressions of guards as text, with names replaced, and without the parts that are decided."""

from __future__ import annotations

from collections.abc import Callable

from rlmetrics.names.settings.guards import (
    And,
    Arithmetic,
    Compare,
    Expression,
    GuardError,
    GuardLiteral,
    ListOf,
    Negative,
    Not,
    Or,
    SettingName,
)

__all__ = ["literal", "replaced", "text"]

_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY = range(7)
_BINDING = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}


def literal(value: object) -> str:
    """Return a value as guards write it."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'" if isinstance(value, str) else repr(value)


def text(node: Expression, outer: int = _OR) -> str:
    """Return an expression as text, with no more parentheses than it needs.

    Args:
        node: The expression.
        outer: How tightly the operator around it binds.
    """
    inner, shown = _text(node)
    return f"({shown})" if inner < outer else shown


def _text(node: Expression) -> tuple[int, str]:
    if isinstance(node, Or):
        return _OR, " or ".join(text(part, _AND) for part in node.operands)
    if isinstance(node, And):
        return _AND, " and ".join(text(part, _NOT) for part in node.operands)
    if isinstance(node, Not):
        return _NOT, f"not {text(node.operand, _COMPARE)}"
    if isinstance(node, Compare):
        return _COMPARE, f"{text(node.left, _SUM)} {node.operator} {text(node.right, _SUM)}"
    if isinstance(node, Arithmetic):
        binding = _BINDING[node.operator]
        return binding, f"{text(node.left, binding)} {node.operator} {text(node.right, binding + 1)}"
    if isinstance(node, Negative):
        return _UNARY, f"-{text(node.operand, _UNARY)}"
    if isinstance(node, ListOf):
        return _UNARY, f"[{', '.join(text(item) for item in node.items)}]"
    if isinstance(node, GuardLiteral):
        return _UNARY, literal(node.value)
    if isinstance(node, SettingName):
        return _UNARY, node.name
    msg = f"{type(node).__name__} cannot be written"
    raise TypeError(msg)


def replaced(node: Expression, of: Callable[[str], Expression | None]) -> Expression:
    """Return an expression in which names stand for what ``of`` returns; for None they stay.

    What is decided then is decided: ``false and x`` is ``false``.
    """
    column = node.column
    if isinstance(node, SettingName):
        replacement = of(node.name)
        return node if replacement is None else replacement
    if isinstance(node, Or | And):
        return _joined(node, tuple(replaced(part, of) for part in node.operands))
    if isinstance(node, Not):
        operand = replaced(node.operand, of)
        if isinstance(operand, GuardLiteral):
            return GuardLiteral(column, not operand.value)
        return operand.operand if isinstance(operand, Not) else Not(column, operand)
    if isinstance(node, Compare):
        return _constant(Compare(column, node.operator, replaced(node.left, of), replaced(node.right, of)))
    if isinstance(node, Arithmetic):
        return Arithmetic(column, node.operator, replaced(node.left, of), replaced(node.right, of))
    if isinstance(node, Negative):
        return Negative(column, replaced(node.operand, of))
    if isinstance(node, ListOf):
        return ListOf(column, tuple(replaced(item, of) for item in node.items))
    return node


def _joined(node: Or | And, parts: tuple[Expression, ...]) -> Expression:
    """Return what is left of operands once decided ones are gone."""
    decides = isinstance(node, Or)
    left: list[Expression] = []
    for part in parts:
        if isinstance(part, GuardLiteral):
            if bool(part.value) is decides:
                return GuardLiteral(node.column, decides)
            continue
        left += part.operands if type(part) is type(node) and isinstance(part, Or | And) else (part,)
    if not left:
        return GuardLiteral(node.column, not decides)
    return left[0] if len(left) == 1 else type(node)(node.column, tuple(left))


def _constant(node: Compare) -> Expression:
    if node.names():
        return node
    try:
        return GuardLiteral(node.column, bool(node.evaluate({})))
    except GuardError:
        return node
