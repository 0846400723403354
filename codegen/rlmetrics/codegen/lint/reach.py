"""What a guard asks of single configuration keys: a quick proof that two guards exclude each other.

Most guards name a value of a choice or a switch, so that most pairs are told apart without a search.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rlmetrics.names.settings.guards import And, Compare, Expression, GuardLiteral, ListOf, Not, Or, SettingName, Value

__all__ = ["AllowedValues", "Reach", "ReadGuard", "excludes", "reach"]

_Tagged: TypeAlias = tuple[bool, Value]


@dataclass(frozen=True)
class AllowedValues:
    """The values of one configuration key with which a guard may hold.

    Attributes:
        values: These, or all but these; each with whether it is a flag, since true and 1 differ here.
        is_all_but: Whether it is all but these.
    """

    values: frozenset[_Tagged]
    is_all_but: bool

    @property
    def is_empty(self) -> bool:
        """Whether no value is left."""
        return not self.values and not self.is_all_but

    def both(self, other: AllowedValues) -> AllowedValues:
        """Return the values that both allow."""
        if self.is_all_but and other.is_all_but:
            return AllowedValues(self.values | other.values, True)
        if self.is_all_but:
            return AllowedValues(other.values - self.values, False)
        return AllowedValues(self.values - other.values if other.is_all_but else self.values & other.values, False)

    def either(self, other: AllowedValues) -> AllowedValues:
        """Return the values that one of the two allows."""
        return self.opposite().both(other.opposite()).opposite()

    def opposite(self) -> AllowedValues:
        """Return all other values."""
        return AllowedValues(self.values, not self.is_all_but)


Reach: TypeAlias = Mapping[str, AllowedValues]
"""By configuration key; a key that is left out may have any value."""


@dataclass(frozen=True)
class ReadGuard:
    """A guard that has been read.

    Attributes:
        expression: The guard.
        names: The configuration keys in it.
        reach: What it asks of each of them.
    """

    expression: Expression
    names: frozenset[str]
    reach: Reach


_EMPTY: frozenset[_Tagged] = frozenset({(False, None), (True, False), (False, ""), (False, 0)})
"""Values that do not count as true."""


def excludes(first: Reach, second: Reach) -> bool:
    """Tell whether two guards certainly never hold together."""
    few, many = (first, second) if len(first) < len(second) else (second, first)
    return any(name in many and asked.both(many[name]).is_empty for name, asked in few.items())


def reach(node: Expression, *, holds: bool = True) -> Reach:
    """Return what an expression asks of each configuration key.

    Args:
        node: The expression.
        holds: Whether it is to hold, or not to hold.
    """
    if isinstance(node, Not):
        return reach(node.operand, holds=not holds)
    if isinstance(node, And | Or):
        parts = [reach(part, holds=holds) for part in node.operands]
        return _all(parts) if isinstance(node, And) is holds else _any(parts)
    if isinstance(node, SettingName):
        return {node.name: AllowedValues(_EMPTY, holds)}
    allowed = _compared(node) if isinstance(node, Compare) else None
    if allowed is None:
        return {}
    name, asked = allowed
    return {name: asked if holds else asked.opposite()}


def _all(parts: list[Reach]) -> Reach:
    allowed: dict[str, AllowedValues] = {}
    for part in parts:
        for name, asked in part.items():
            allowed[name] = asked.both(allowed[name]) if name in allowed else asked
    return allowed


def _any(parts: list[Reach]) -> Reach:
    allowed = dict(parts[0])
    for part in parts[1:]:
        allowed = {name: asked.either(part[name]) for name, asked in allowed.items() if name in part}
    return allowed


def _compared(node: Compare) -> tuple[str, AllowedValues] | None:
    """Return a key and its values where a comparison is one with literals."""
    left, right = node.left, node.right
    if node.operator in ("in", "not in") and isinstance(left, SettingName) and isinstance(right, ListOf):
        values = [_tagged(item.value) for item in right.items if isinstance(item, GuardLiteral)]
        if len(values) == len(right.items):
            return left.name, AllowedValues(frozenset(values), node.operator == "not in")
    if node.operator in ("==", "!="):
        name, literal = (left, right) if isinstance(left, SettingName) else (right, left)
        if isinstance(name, SettingName) and isinstance(literal, GuardLiteral):
            return name.name, AllowedValues(frozenset({_tagged(literal.value)}), node.operator == "!=")
    return None


def _tagged(value: Value) -> _Tagged:
    return isinstance(value, bool), value
