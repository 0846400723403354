"""The declared inputs as nodes, and conversions that need the arena."""

from __future__ import annotations

from collections.abc import Mapping

from .declared import DeclaredInput
from .domains import LetScope, Side
from .nodes import Arena, Extent, Node
from .syntax import Call

__all__ = ["Vocabulary"]


class Vocabulary:
    """What a formula can speak of: the declared inputs.

    Args:
        arena: Where nodes are made.
        inputs: The declared inputs.
    """

    def __init__(self, arena: Arena, inputs: Mapping[str, DeclaredInput]):
        self.arena = arena
        self.inputs = inputs

    def input(self, name: str) -> Node:
        """Return the node of a declared input."""
        declared = self.inputs[name]
        node = self.arena.node("input", extent=declared.domain, dtype=declared.dtype, value=name)
        if declared.domain == "group" and "group_ids" in self.inputs:
            return self.arena.node("pad_groups", [node, self._group_index()], extent="group", dtype=declared.dtype)
        return node

    def mask(self) -> Node | None:
        """Return the mask; None if no boolean token input of that name is declared."""
        declared = self.inputs.get("mask")
        return self.input("mask") if declared and (declared.domain, declared.dtype) == ("token", "bool") else None

    def like(self, extent: Extent) -> Node | None:
        """Return the input whose shape a broadcast takes: the mask, else the first of the domain."""
        if extent == "token" and "mask" in self.inputs:
            return self.input("mask")
        return next((self.input(name) for name, one in self.inputs.items() if one.domain == extent), None)

    def group_index(self, at: Call, scope: LetScope) -> Node:
        """Return which group each sequence is in.

        Raises:
            FormulaError: No ``group_ids`` are declared.
        """
        if "group_ids" not in self.inputs:
            raise scope.error(at, f"`{at.function}` needs to know the groups", "declare the input group_ids")
        return self._group_index()

    def groups(self) -> Node | None:
        """Return which places hold a group; None if groups are not computed from sequences."""
        if "group_ids" not in self.inputs:
            return None
        return self.arena.node("group_exists", [self._group_index()], extent="group", dtype="bool")

    def number(self, side: Side, scope: LetScope, what: str) -> Node:
        """Return an operand as a float; integers are converted, so that nothing overflows.

        Raises:
            FormulaError: It is a boolean or a histogram.
        """
        syntax, node = side
        if node.op == "histogram":
            raise scope.error(syntax, f"{what} cannot work on a histogram", "let the histogram be the whole formula")
        if node.dtype == "bool":
            message = f"{what} takes numbers, and {scope.quote(syntax)} is a boolean"
            raise scope.error(syntax, message, "write where(…, 1, 0)")
        if node.dtype == "int" and node.extent != "const":
            return self.arena.node("to_float", [node], extent=node.extent, dtype="float")
        return node

    def both(self, one: Node | None, other: Node | None) -> Node | None:
        """Return the intersection of two populations, of which None is everything."""
        if one is None or other is None:
            return other if one is None else one
        return self.arena.node("and", [one, other], extent=one.extent, dtype="bool")

    def _group_index(self) -> Node:
        ids = self.arena.node("input", extent="sequence", dtype="int", value="group_ids")
        return self.arena.node("group_index", [ids], extent="sequence", dtype="int")
