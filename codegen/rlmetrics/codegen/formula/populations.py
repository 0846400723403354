"""Populations in mathematics: the range below a sum, and its size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .boxes import Box, Fence, MarkBox, RowBox, Sub, WordBox
from .nodes import Node
from .operations import OPERATIONS

__all__ = ["ReducedPopulation", "population"]

_INDEX = {"token": "t", "sequence": "i", "group": "g", "batch": "n", "scalar": "u"}
_WHOLE: dict[str, Box] = {
    "token": RowBox([WordBox("B"), MarkBox("\u2062"), WordBox("T")]),
    "sequence": WordBox("B"),
    "group": WordBox("G"),
    "batch": WordBox("N"),
    "scalar": WordBox("U"),
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
    index = WordBox(_INDEX[extent])
    parts = [part for part in [*_conjuncts(node.over), *_conjuncts(condition)] if part.op != "group_exists"]
    masked = any(_is_mask(part) for part in parts)
    conditions = tuple(write(part) for part in parts if not _is_mask(part))
    within: Box | None = None
    whole = _WHOLE[extent]
    family = OPERATIONS[node.op].family
    if family == "group":
        within = WordBox("g")
    elif family == "sequence":
        within = Sub(WordBox("M"), WordBox("i")) if masked else None
        whole = WordBox("T")
    elif masked:
        within = WordBox("M")
    head = index if within is None else RowBox([index, MarkBox("∈"), within])
    narrowed = _such_that(head, conditions)
    if conditions:
        size: Box = Fence("|", Fence("{", narrowed, "}"), "|")
    else:
        size = whole if within is None else Fence("|", within, "|")
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
    parts: list[Box] = [head, MarkBox(":"), conditions[0]]
    for condition in conditions[1:]:
        parts += [MarkBox("∧"), condition]
    return RowBox(parts)
