"""Formulas as mathematics: sums with their ranges, fractions, indices, and ``let`` names explained below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .box_shapes import AND, APPLY, ATOM, BIG, OR, POWER, PRODUCT, RELATION, SUM, Shape, applied
from .math_symbols import definition_name, symbol
from .mathml import Box, fence, fraction, is_long_word, lines, mark, number, power, row, sub, under, word
from .nodes import Node, exponent
from .operation import Operation
from .operations import OPERATIONS
from .populations import population

__all__ = ["notation"]

Piece = tuple[Box, int]


def notation(root: Node, names: Mapping[Node, str]) -> Box:
    """Return a formula as boxes, which write themselves as MathML and as LaTeX.

    Args:
        root: The result.
        names: What ``let`` calls nodes; each name is explained on a line of its own.
    """
    named = {node: name for node, name in names.items() if node is not root and node.operands}
    writer = _Writer(named)
    box = writer.define(root)
    order = [node for node in top_down(root) if node in named]
    if order:
        box = lines(box, [(definition_name(named[node]), writer.define(node)) for node in order])
    return box


class _Writer:
    def __init__(self, names: Mapping[Node, str]):
        self.names = names

    def define(self, node: Node) -> Box:
        """Return what a node is, even if it has a name."""
        return self.write(node)[0]

    def piece(self, node: Node) -> Piece:
        if node in self.names:
            return definition_name(self.names[node]), ATOM
        return self.write(node)

    def box(self, node: Node, least: int = 0) -> Box:
        """Return a node in brackets if it binds weaker than ``least``."""
        box, binding = self.piece(node)
        return box if binding >= least else fence("(", box, ")")

    def write(self, node: Node) -> Piece:
        op, args = node.op, node.args
        if op in ("input", "parameter"):
            if (node.value, node.extent) == ("mask", "token"):
                return row(word("t"), mark("∈"), word("M")), RELATION
            log = node.value in ("logprobs", "old_logprobs", "ref_logprobs", "rollout_logprobs")
            return symbol(str(node.value)), APPLY if log else ATOM
        if op == "literal":
            return self.literal(node)
        operation = OPERATIONS[op]
        if operation.hidden:
            return self.piece(args[0])
        if operation.shape is not None:
            return self.shaped(operation.shape, args)
        if op == "mul":
            return self.product(node)
        if op in ("pow", "square"):
            return power(self.box(args[0], ATOM), _signed(exponent(node))), POWER
        return self.reduction(node, operation)

    def literal(self, node: Node) -> Piece:
        if isinstance(node.value, bool):
            return word("true" if node.value else "false"), ATOM
        text = repr(node.value)
        mantissa, _, exponent = text.partition("e")
        if not exponent:
            return number(text.removesuffix(".0")), ATOM
        tens = power(number("10"), _signed(int(exponent)))
        return (tens, POWER) if mantissa == "1" else (row(number(mantissa), mark("·"), tens), PRODUCT)

    def shaped(self, shape: Shape, args: Sequence[Node]) -> Piece:
        last = len(shape.least) - 1
        boxes = [self.box(arg, shape.least[min(index, last)]) for index, arg in enumerate(args)]
        return shape.box(*boxes), shape.binds

    def product(self, node: Node) -> Piece:
        left, right = node.args
        # A leading minus needs no brackets.
        signed = left.op == "neg" and left not in self.names
        boxes = [self.box(left, SUM if signed else PRODUCT), self.box(right, PRODUCT + 1)]
        digits = right.op == "literal" or (left.op == "literal" and right.op == "literal")
        both_words = all(is_long_word(box) for box in boxes)
        return row(boxes[0], mark("·" if digits or both_words else "\u2062"), boxes[1]), SUM if signed else PRODUCT

    def reduction(self, node: Node, operation: Operation) -> Piece:
        """Return a reduction with its population."""
        name = operation.statistic
        over = population(node, self.condition)
        if node.op == "group_count":
            return over.size, ATOM
        x = node.args[0]
        if name in ("mean", "count") and x.dtype == "bool":
            chosen = population(node, self.condition, x).size
            return (fraction(chosen, over.size) if name == "mean" else chosen), ATOM
        if name == "at_max":
            where = row(word("arg"), mark("\u2061"), under("max", over.range), self.box(node.args[1], PRODUCT))
            return sub(self.box(x, ATOM), where), ATOM
        if name == "quantile":
            return applied(under("quantile", over.range), self.box(x), number(f"{node.value:g}")), APPLY
        if name in ("mean", "sum"):
            total = row(under("∑", over.range), self.box(x, BIG))
            return (total if name == "sum" else row(fraction(number("1"), over.size), total)), BIG
        if name == "any":
            return row(population(node, self.condition, x).size, mark(">"), number("0")), RELATION
        if name == "all":
            return row(mark("∀"), over.range, mark(":"), self.box(x)), OR
        if name == "histogram":
            assert isinstance(node.value, tuple)
            low, high, bins = (number(f"{value:g}") for value in node.value)
            ends = fence("[", row(low, mark(","), high), "]")
            return applied(under("hist", over.range), self.box(x), ends, bins), APPLY
        if operation.sign in ("min", "max", "first", "last"):
            return row(under(operation.sign, over.range), self.box(x, PRODUCT)), BIG
        sign = f"{operation.sign} pop" if node.value == 0 else operation.sign
        args = node.args if operation.family == "reduction" else [x]
        return applied(under(sign, over.range), *(self.box(arg) for arg in args)), APPLY

    def condition(self, node: Node) -> Box:
        return self.box(node, AND)


def top_down(root: Node) -> list[Node]:
    """Return the nodes below a root, each after all that use it, operands from left to right."""
    seen: set[Node] = set()
    order: list[Node] = []
    stack = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((operand, False) for operand in node.operands)
    return order[::-1]


def _signed(value: float) -> Box:
    size = number(f"{abs(value):g}")
    return row(mark("−"), size) if value < 0 else size
