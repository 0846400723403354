"""Where garbage in padding can do no harm, and where generated code must replace it.

Reductions leave padding out of every value already. What is left is the gradient: zero from there, times a derivative,
which is NaN where the derivative is infinite or NaN. Sums, differences and multiples have derivatives that do not
depend on their operands; padding need not be replaced before them, but before whatever takes their result further.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from .nodes import Node, walk

__all__ = ["guarded", "padding_masks"]

_LINEAR = ("add", "sub", "neg", "to_float")
_CHOOSING = ("clamp", "minimum", "maximum", "where")
"""What hands its gradient on or stops it, whatever stands there."""


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


def padding_masks(roots: Iterable[Node], safe: AbstractSet[Node]) -> frozenset[Node]:
    """Return the token values in which padding is replaced: as few as keep every gradient clean.

    Args:
        roots: What is reduced, and all else that results come from.
        safe: The nodes whose value in padding reaches no result.
    """
    nodes = list(walk(roots))
    meets = {arg for node in nodes if _meets_values(node) for arg in node.args}
    masked: set[Node] = set()
    unclean: set[Node] = set()
    for node in nodes:
        if node not in safe or node.extent != "token" or node.dtype != "float":
            continue
        if node.op == "input" or (not _meets_values(node) and not unclean.isdisjoint(node.args)):
            (masked if node in meets else unclean).add(node)
    below = {one for node in masked for one in (*node.below, node) if one in unclean | masked and one.op == "input"}
    return frozenset(masked if len(masked) < len(below) else below)


def _meets_values(node: Node) -> bool:
    """Return whether a gradient that goes through an operation meets the values of its operands."""
    if node.dtype != "float" or node.over is not None or not node.args:
        # No gradient goes through conditions; a reduction gives zero to what is outside its population.
        return False
    if node.op == "mul":
        return not any(arg.extent == "const" for arg in node.args)
    if node.op == "div":
        return node.args[1].extent != "const"
    return node.op not in _LINEAR and node.op not in _CHOOSING
