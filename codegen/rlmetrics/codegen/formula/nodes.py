"""Typed expressions: what checking makes of syntax, and what every output is made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

__all__ = ["AXES", "Arena", "DType", "Extent", "Node", "Value", "exponent", "walk"]

Extent = Literal["vocab", "token", "sequence", "group", "batch", "scalar", "const", "reduced"]
"""Over what a value varies: the domains of inputs, ``const`` (literals and parameters), ``reduced`` (a result)."""

DType = Literal["float", "int", "bool"]

Value = bool | int | float | str | tuple[float, float, int] | None

AXES: Final[dict[Extent, str]] = {
    "vocab": "[B, T, V]",
    "token": "[B, T]",
    "sequence": "[B]",
    "group": "[G]",
    "batch": "[N]",
    "scalar": "[]",
    "const": "a constant",
    "reduced": "a reduced scalar",
}


@dataclass(frozen=True, eq=False)
class Node:
    """One operation. Nodes of an arena are equal only if they are the same object.

    Attributes:
        op: ``input``, ``parameter``, ``literal``, ``everything``, or the operation.
        args: Its operands.
        over: The population of a reduction; None where every element counts.
        extent: Over what the value varies.
        dtype: Its type.
        value: The name of an input or parameter, the value of a literal, an exponent, ``ddof``, or (low, high, bins).
        operands: All nodes this one is computed from, the population last.
    """

    op: str
    args: tuple[Node, ...]
    over: Node | None
    extent: Extent
    dtype: DType
    value: Value = None
    operands: tuple[Node, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "operands", self.args if self.over is None else (*self.args, self.over))

    @cached_property
    def below(self) -> tuple[Node, ...]:
        """Every node below this one once, operands before what uses them."""
        return tuple(_walk(list(self.operands)))


class Arena:
    """Makes nodes; the same operation on the same operands is the same node, so that it is computed once."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[object, ...], Node] = {}
        self.names: dict[Node, str] = {}
        """What ``let`` calls a node."""

    def node(
        self,
        op: str,
        args: Iterable[Node] = (),
        *,
        extent: Extent,
        dtype: DType,
        over: Node | None = None,
        value: Value = None,
    ) -> Node:
        """Return the node of this operation."""
        args = tuple(args)
        key = (op, *(id(arg) for arg in args), id(over), extent, dtype, type(value), value)
        if key not in self._nodes:
            self._nodes[key] = Node(op, args, over, extent, dtype, value)
        return self._nodes[key]

    def copy(self, root: Node, names: dict[Node, str], rename: dict[str, str]) -> Node:
        """Return an expression of another arena as one of this, with its parameters renamed."""
        copies: dict[Node, Node] = {}
        for node in walk([root]):
            value = (
                rename.get(node.value, node.value)
                if node.op == "parameter" and isinstance(node.value, str)
                else node.value
            )
            copies[node] = copy = self.node(
                node.op,
                [copies[arg] for arg in node.args],
                extent=node.extent,
                dtype=node.dtype,
                over=None if node.over is None else copies[node.over],
                value=value,
            )
            if node in names:
                self.names.setdefault(copy, names[node])
        return copies[root]


def exponent(node: Node) -> int | float:
    """Return the exponent of a power or a square."""
    value = 2 if node.op == "square" else node.value
    assert isinstance(value, int | float)
    return value


def walk(roots: Iterable[Node]) -> Iterable[Node]:
    """Return every node below the roots once, operands before what uses them."""
    roots = list(roots)
    return (*roots[0].below, roots[0]) if len(roots) == 1 else _walk(roots)


def _walk(roots: list[Node]) -> Iterator[Node]:
    seen: set[Node] = set()
    stack = roots[::-1]
    while stack:
        node = stack[-1]
        waiting = [operand for operand in node.operands if operand not in seen]
        if waiting and node not in seen:
            waiting.reverse()
            stack += waiting
        else:
            stack.pop()
            if node not in seen:
                seen.add(node)
                yield node
