"""Guards that hold where others do not, written as a reader would write them."""

from __future__ import annotations

from collections.abc import Callable

from .guard_expressions import (
    And,
    Arithmetic,
    Compare,
    Expression,
    GuardLiteral,
    ListOf,
    Negative,
    Not,
    Or,
    SettingName,
)
from .guards import OPPOSITE, parse

__all__ = ["negated", "written"]


def negated(guard: str, holds: Callable[[str], bool | None]) -> str:
    """Return a guard that holds where another one does not, as a reader would write it.

    Args:
        guard: The other one.
        holds: What the settings answer; a part that they know nothing of is left out.
    """
    return _negated(parse(guard), holds)


def _negated(node: Expression, holds: Callable[[str], bool | None]) -> str:
    if isinstance(node, Not):
        return written(node.parts()[0])
    if isinstance(node, Or | And):
        parts = [part for part in node.parts() if holds(written(part)) is not None]
        joint = " and " if isinstance(node, Or) else " or "
        return joint.join(_enclosed(_negated(part, holds), len(parts)) for part in parts)
    if isinstance(node, Compare):
        left, right = map(written, node.parts())
        return f"{left} {OPPOSITE[node.operator]} {right}"
    return f"not {written(node)}"


def written(node: Expression) -> str:
    """Return an expression as a guard is written."""
    parts = [written(part) for part in node.parts()]
    if isinstance(node, SettingName):
        return node.name
    if isinstance(node, GuardLiteral):
        value = node.value
        if value is None or isinstance(value, bool):
            return {None: "null", True: "true", False: "false"}[value]
        return repr(value) if isinstance(value, str) else str(value)
    if isinstance(node, ListOf):
        return f"[{', '.join(parts)}]"
    if isinstance(node, Compare | Arithmetic):
        return f"{parts[0]} {node.operator} {parts[1]}"
    if isinstance(node, Negative):
        return f"-{parts[0]}"
    if isinstance(node, Not):
        return f"not {parts[0]}"
    assert isinstance(node, And | Or)
    joint = " and " if isinstance(node, And) else " or "
    return joint.join(_enclosed(part, len(parts)) for part in parts)


def _enclosed(text: str, count: int) -> str:
    """Return a part of a guard, in brackets where it would be read wrongly beside others."""
    return f"({text})" if count > 1 and (" and " in text or " or " in text) else text
