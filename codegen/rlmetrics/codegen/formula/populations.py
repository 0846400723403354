"""Populations in mathematics: the range below a sum, and its size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .mathml import Box, fence, mark, row, sub, word
from .nodes import Node
from .operations import OPERATIONS

__all__ = ["ReducedPopulation", "population"]

_INDEX = {"token": "t", "sequence": "i", "group": "g", "batch": "n", "scalar": "u"}
_WHOLE: dict[str, Box] = {
    "token": row(word("B"), mark("\u2062"), word("T")),
    "sequence": word("B"),
    "group": word("G"),
    "batch": word("N"),
    "scalar": word("U"),
}


@dataclass(frozen=True)
class ReducedPopulation:
    """What a reduction is over.

    Attributes:
        range: The range below a sum, such as t ∈ M.
        size: The number of elements, such as M between bars.
    """

    range: Box
    size: Box


def population(node: Node, write: Callable[[Node], Box], condition: Node | None = None) -> ReducedPopulation:
    """Return the population of a reduction.

    Args:
        node: The reduction.
        write: Writes a condition.
        condition: What narrows the population further.
    """
    extent = node.args[0].extent
    index = word(_INDEX[extent])
    parts = [part for part in [*_conjuncts(node.over), *_conjuncts(condition)] if part.op != "group_exists"]
    masked = any(_is_mask(part) for part in parts)
    conditions = tuple(write(part) for part in parts if not _is_mask(part))
    within: Box | None = None
    whole = _WHOLE[extent]
    family = OPERATIONS[node.op].family
    if family == "group":
        within = word("g")
    elif family == "sequence":
        within = sub(word("M"), word("i")) if masked else None
        whole = word("T")
    elif masked:
        within = word("M")
    head = index if within is None else row(index, mark("∈"), within)
    narrowed = _such_that(head, conditions)
    if conditions:
        size: Box = fence("|", fence("{", narrowed, "}"), "|")
    else:
        size = whole if within is None else fence("|", within, "|")
    return ReducedPopulation(narrowed, size)


def _conjuncts(over: Node | None) -> list[Node]:
    parts: list[Node] = []
    stack = [] if over is None else [over]
    while stack:
        node = stack.pop()
        if node.op == "and":
            stack.extend(reversed(node.args))
        else:
            parts.append(node)
    return parts


def _is_mask(node: Node) -> bool:
    return node.op == "input" and (node.value, node.extent) == ("mask", "token")


def _such_that(head: Box, conditions: tuple[Box, ...]) -> Box:
    if not conditions:
        return head
    parts: list[Box] = [head, mark(":"), conditions[0]]
    for condition in conditions[1:]:
        parts += [mark("∧"), condition]
    return row(*parts)
