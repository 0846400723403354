"""Which values a formula never looks at in padding, so that garbage there can be replaced at the entrance."""

from __future__ import annotations

from collections.abc import Iterable

from .nodes import Node, walk

__all__ = ["guarded"]


def guarded(roots: Iterable[Node]) -> frozenset[Node]:
    """Return the nodes whose value where the mask is false can reach no result.

    A reduction whose population implies the mask guards what it reduces, and so does ``where(mask, x, constant)``.
    A node is guarded if every path from it to a result passes such a place.
    """
    roots = list(roots)
    implying: set[Node | None] = set()
    for node in walk(roots):
        mask = node.op == "input" and (node.value, node.extent) == ("mask", "token")
        if mask or (node.op == "and" and not implying.isdisjoint(node.args)):
            implying.add(node)
    stack = [(root, False) for root in roots]
    seen: set[tuple[Node, bool]] = set()
    while stack:
        node, safe = stack.pop()
        if (node, safe) in seen:
            continue
        seen.add((node, safe))
        if node.over is not None and node.args[0].extent == "token":
            below = node.over in implying
            stack.extend((operand, below) for operand in node.operands)
        elif node.op == "and" and node in implying:
            stack.extend((arg, True) for arg in node.args)
        elif node.op == "where" and node.args[0] in implying:
            condition, then, otherwise = node.args
            stack.extend([(condition, safe), (then, True), (otherwise, safe)])
        else:
            # A token value made from sequence values is looked at wherever those are.
            crosses = node.args and node.extent == "token" and node.args[0].extent != "token"
            stack.extend((arg, safe and (not crosses or arg.extent in ("token", "vocab"))) for arg in node.args)
    unsafe = {node for node, safe in seen if not safe}
    return frozenset({node for node, safe in seen if safe} - unsafe)
