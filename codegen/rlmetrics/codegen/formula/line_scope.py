"""Writes expressions as Python lines: names where they help, everything else inline."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from .nodes import Node
from .operations import OPERATIONS

__all__ = ["ATOM", "BINDING", "COMPARE", "PRODUCT", "TERNARY", "UNARY", "Piece", "Scope", "UniqueNames", "telling_name"]

Piece = tuple[str, int]
"""Python text and how tightly its outermost operator binds."""

ATOM: Final = 9
UNARY: Final = 6
PRODUCT: Final = 5
SUM: Final = 4
BIT_AND: Final = 3
BIT_OR: Final = 2
COMPARE: Final = 1
TERNARY: Final = 0

BINDING: Final = {"*": PRODUCT, "/": PRODUCT, "+": SUM, "-": SUM, "&": BIT_AND, "|": BIT_OR}
"""How tightly operators bind; all others are comparisons."""

MAX_INLINE: Final = 72
"""Expressions longer than this are split over several lines by naming their longest parts."""

LONG_NAME: Final = 16
"""Longer names of functions take from the room of their arguments."""

_RESERVED: Final = frozenset(
    ["torch", "ops", "Tensor", "l", "math", *keyword.kwlist, *keyword.softkwlist, *dir(builtins)]
)


def telling_name(node: Node, let: Mapping[Node, str]) -> str:
    """Return a name for a node that tells what it is: that of ``let``, else one after its operation."""
    if node in let:
        return let[node]
    if node.op in ("input", "parameter"):
        return str(node.value)
    called = OPERATIONS[node.op].called or node.op
    return called.format(telling_name(node.args[0], let)) if "{" in called else called


class UniqueNames:
    """Hands out names that are unique within one function."""

    def __init__(self, taken: Iterable[str] = ()):
        self._taken = set(taken)

    def fresh(self, wanted: str) -> str:
        """Return the wanted name, with a suffix if it is taken or would hide something."""
        name = f"{wanted}_" if wanted in _RESERVED else wanted
        number = 1
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        return name

    def is_free(self, wanted: str) -> bool:
        """Return whether a name is neither taken nor would hide something."""
        return wanted not in self._taken and wanted not in _RESERVED

    def copy(self) -> UniqueNames:
        """Return the names of a function that sees the same names."""
        return UniqueNames(self._taken)


class Scope:
    """The body of one function in the making.

    Args:
        names: Where new names come from.
        let: What ``let`` calls a node.
        render: Writes a node, asking the scope for its operands.
        bound: The names of nodes that are computed already.
        opaque: Operations that are written without their operands.
        rows: Whether the function works on rows of the vocabulary; values over the vocabulary have no name elsewhere.
    """

    def __init__(
        self,
        names: UniqueNames,
        let: Mapping[Node, str],
        render: Callable[[Node, Scope], Piece],
        bound: Mapping[Node, str] | None = None,
        opaque: frozenset[str] = frozenset(),
        rows: bool = False,
    ):
        self.names = names
        self.let = let
        self.lines: list[str] = []
        self.bound = dict(bound or {})
        self._opaque = opaque
        self._rows = rows
        self._render = render

    def prepare(self, roots: Iterable[Node], later: Iterable[Node] = ()) -> None:
        """Write the lines for everything below the roots that deserves a name: ``let`` names and shared parts.

        Args:
            roots: What is written next.
            later: What is written after that and sees these lines; it counts where parts are shared.
        """
        roots = list(roots)
        everything = [*roots, *later]
        order = self._order(everything)
        uses = dict.fromkeys(order, 0)
        for node in order:
            if not self._is_leaf(node):
                for operand in node.operands:
                    uses[operand] = uses.get(operand, 0) + 1
        for root in everything:
            uses[root] += 1
        for node in order if len(everything) == len(roots) else self._order(roots):
            if (node in roots) if self._rows else (node.extent == "vocab"):
                continue  # what a function of rows returns, and what only such a function computes
            shared = uses[node] > 1 and node.extent != "const" and node.op not in self._opaque
            if node.operands and node not in self.bound and (shared or node in self.let):
                self.variable(node)

    def _order(self, roots: Iterable[Node]) -> list[Node]:
        """Return the nodes to write, operands first."""
        seen: set[Node] = set()
        order: list[Node] = []
        stack = [(root, False) for root in reversed(list(roots))]
        while stack:
            node, ready = stack.pop()
            if ready:
                order.append(node)
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                if not self._is_leaf(node):
                    stack.extend((operand, False) for operand in reversed(node.operands))
        return order

    def _is_leaf(self, node: Node) -> bool:
        return node in self.bound or node.op in self._opaque

    def variable(self, node: Node) -> str:
        """Write a line that gives the node a name, unless it has one, and return the name."""
        if node not in self.bound:
            text, _ = self._render(node, self)
            self.bound[node] = name = self.names.fresh(telling_name(node, self.let))
            self.lines.append(f"{name} = {text}")
        return self.bound[node]

    def piece(self, node: Node) -> Piece:
        """Return the text of a node: its name if it has one."""
        if node in self.bound:
            return self.bound[node], ATOM
        return self._render(node, self)

    def pieces(self, nodes: Iterable[Node], budget: int = MAX_INLINE) -> list[Piece]:
        """Return the texts of operands, the longest of them named if all together would make too long a line."""
        nodes = list(nodes)
        pieces = [self.piece(node) for node in nodes]
        while sum(len(text) for text, _ in pieces) > budget:
            lengths = [
                len(text) if self._can_be_named(node) else 0 for node, (text, _) in zip(nodes, pieces, strict=True)
            ]
            length, place = max((length, place) for place, length in enumerate(lengths))
            if length == 0:
                break
            pieces[place] = (self.variable(nodes[place]), ATOM)
        return pieces

    def _can_be_named(self, node: Node) -> bool:
        return node not in self.bound and bool(node.operands) and node.extent != "const"

    def call(self, function: str, nodes: Iterable[Node], *more: str) -> Piece:
        """Return a call of a function with the nodes as arguments."""
        pieces = self.pieces(nodes, MAX_INLINE - sum(map(len, more)) - max(0, len(function) - LONG_NAME))
        return f"{function}({', '.join([*(text for text, _ in pieces), *more])})", ATOM

    def infix(self, operator: str, left: Node, right: Node) -> Piece:
        """Return a binary operation, with brackets only where the tree needs them."""
        binding = BINDING.get(operator, COMPARE)
        (left_text, left_binding), (right_text, right_binding) = self.pieces([left, right])
        # A comparison must not become a chain; the other operators group to the left.
        if left_binding < binding or (binding == COMPARE and left_binding == COMPARE):
            left_text = f"({left_text})"
        if right_binding <= binding:
            right_text = f"({right_text})"
        return f"{left_text} {operator} {right_text}", binding

    def prefix(self, operator: str, node: Node) -> Piece:
        """Return a unary operation."""
        ((text, binding),) = self.pieces([node])
        return f"{operator}({text})" if binding < UNARY else f"{operator}{text}", UNARY
