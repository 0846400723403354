"""What a value is in padding: where that is 0 or false anyway, a reduction need not leave padding out."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import Any, Final, Literal, TypeGuard

from .nodes import Node, walk
from .operations import OPERATIONS

__all__ = ["is_mask", "looks_at_padding", "nothing_in_padding"]

_Known = int | bool | Literal["finite", "constant"] | None
"""A small whole number, which every float holds exactly; a truth value; a finite number; a parameter, which may be
infinite; None if nothing is known."""

_EXACT: Final = 1 << 20


def is_mask(node: Node | None) -> bool:
    """Return whether a node is the mask of tokens."""
    return node is not None and node.op == "input" and (node.value, node.extent) == ("mask", "token")


def looks_at_padding(root: Node) -> bool:
    """Return whether a formula reduces tokens without a population, so that padding counts."""
    return any(
        node.over is None and node.args[0].extent == "token" and OPERATIONS[node.op].family in ("sequence", "reduction")
        for node in walk([root])
        if node.args and not (node.op in ("count", "seq_count", "seq_any") and is_mask(node.args[0]))
    )


def nothing_in_padding(roots: Iterable[Node], safe: frozenset[Node]) -> frozenset[Node]:
    """Return the token values below the roots that are 0, or false, wherever the mask is false.

    Args:
        roots: Where to look.
        safe: The nodes whose inputs are replaced by 0 in padding.
    """
    known: dict[Node, _Known] = {}
    for node in walk(roots):
        known[node] = _known(node, [known[arg] for arg in node.args], node in safe)
    return frozenset(node for node, value in known.items() if node.extent == "token" and _is_nothing(value))


def _is_nothing(value: _Known) -> bool:
    return not isinstance(value, str) and value is not None and value == 0


def _known(node: Node, args: list[_Known], safe: bool) -> _Known:
    op = node.op
    if is_mask(node):
        return False
    if op == "input":
        return 0 if safe and node.extent == "token" and node.dtype == "float" else None
    if op == "literal":
        return _number(node.value)
    if op == "parameter":
        return "constant"
    if node.extent not in ("token", "const"):
        return None
    if op == "per_token":
        return 0 if safe and node.dtype == "float" and is_mask(node.args[1]) else None
    if op in ("and", "or"):
        return _logical(op == "or", args)
    if op == "not":
        return not args[0] if isinstance(args[0], bool) else None
    if op == "where":
        condition, then, otherwise = args
        if isinstance(condition, bool):
            return then if condition else otherwise
        return then if then == otherwise else _finite(args[1:])
    return _arithmetic(node, args)


def _arithmetic(node: Node, args: list[_Known]) -> _Known:
    op, row, first = node.op, OPERATIONS[node.op], args[0]
    if op == "mul" and _is_nothing(args[0]) | _is_nothing(args[1]):
        return 0 if _finite(args) else None
    if op == "neg" and not _is_number(first):
        return first
    if op == "clamp":
        # Bounds may be infinite, but only on the side where they bound nothing.
        return "finite" if _finite(args[:1]) and all(arg is not None for arg in args) else None
    if op == "pow":
        if node.value in (1, 2, 3, 4):
            return _number(first ** int(node.value)) if _is_number(first) else _finite(args)
    elif row.python is not None:
        numbers = [arg for arg in args if _is_number(arg)]
        if len(numbers) == len(args):
            return _computed(row.python, numbers)
    elif row.zero is not None and _is_nothing(first):
        return _number(row.zero)
    if node.extent == "const":
        return "constant"
    return _finite(args) if row.finite else None


def _computed(function: Callable[..., Any], numbers: list[int]) -> _Known:
    try:
        return _number(function(*numbers))
    except ZeroDivisionError:
        return None


def _logical(either: bool, args: list[_Known]) -> _Known:
    if any(arg is either for arg in args):
        return either
    return not either if all(arg is (not either) for arg in args) else None


def _number(value: object) -> _Known:
    if isinstance(value, bool):
        return value
    if not isinstance(value, int | float) or not isfinite(value):
        return "constant"
    return _small(value)


def _small(value: float) -> _Known:
    return int(value) if value == int(value) and abs(value) <= _EXACT else "finite"


def _is_number(value: _Known) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _finite(values: Iterable[_Known]) -> Literal["finite"] | None:
    return "finite" if all(value == "finite" or _is_number(value) for value in values) else None
