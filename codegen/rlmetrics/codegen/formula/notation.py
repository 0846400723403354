"""Formulas as mathematics: sums with their ranges, fractions, indices, and ``let`` names explained below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .box_shapes import AND, APPLY, ATOM, BIG, OR, POWER, PRODUCT, RELATION, SUM, Shape, applied
from .boxes import Box, Fence, Fraction, Lines, MarkBox, NumberBox, Power, RowBox, Sub, Under, WordBox
from .math_symbols import definition_name, symbol
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
        box = Lines(box, [(definition_name(named[node]), writer.define(node)) for node in order])
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
        return box if binding >= least else Fence("(", box, ")")

    def write(self, node: Node) -> Piece:
        op, args = node.op, node.args
        if op in ("input", "parameter"):
            if (node.value, node.extent) == ("mask", "token"):
                return RowBox([WordBox("t"), MarkBox("∈"), WordBox("M")]), RELATION
            log = node.value in ("logprobs", "old_logprobs", "ref_logprobs", "rollout_logprobs")
            return symbol(str(node.value)), APPLY if log else ATOM
        if op == "literal":
            return self.literal(node)
        row = OPERATIONS[op]
        if row.hidden:
            return self.piece(args[0])
        if row.shape is not None:
            return self.shaped(row.shape, args)
        if op == "mul":
            return self.product(node)
        if op in ("pow", "square"):
            return Power(self.box(args[0], ATOM), _signed(exponent(node))), POWER
        return self.reduction(node, row)

    def literal(self, node: Node) -> Piece:
        if isinstance(node.value, bool):
            return WordBox("true" if node.value else "false"), ATOM
        text = repr(node.value)
        mantissa, _, exponent = text.partition("e")
        if not exponent:
            return NumberBox(text.removesuffix(".0")), ATOM
        power = Power(NumberBox("10"), _signed(int(exponent)))
        return (power, POWER) if mantissa == "1" else (RowBox([NumberBox(mantissa), MarkBox("·"), power]), PRODUCT)

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
        both_words = all(isinstance(box, WordBox) and len(box.text) > 1 for box in boxes)
        return RowBox(
            [boxes[0], MarkBox("·" if digits or both_words else "\u2062"), boxes[1]]
        ), SUM if signed else PRODUCT

    def reduction(self, node: Node, row: Operation) -> Piece:
        """Return a reduction with its population."""
        name = row.statistic
        over = population(node, self.condition)
        if node.op == "group_count":
            return over.size, ATOM
        x = node.args[0]
        if name in ("mean", "count") and x.dtype == "bool":
            chosen = population(node, self.condition, x).size
            return (Fraction(chosen, over.size) if name == "mean" else chosen), ATOM
        if name == "at_max":
            where = RowBox(
                [WordBox("arg"), MarkBox("\u2061"), Under("max", over.range), self.box(node.args[1], PRODUCT)]
            )
            return Sub(self.box(x, ATOM), where), ATOM
        if name == "quantile":
            return applied(Under("quantile", over.range), self.box(x), NumberBox(f"{node.value:g}")), APPLY
        if name in ("mean", "sum"):
            total = RowBox([Under("∑", over.range), self.box(x, BIG)])
            return (total if name == "sum" else RowBox([Fraction(NumberBox("1"), over.size), total])), BIG
        if name == "any":
            return RowBox([population(node, self.condition, x).size, MarkBox(">"), NumberBox("0")]), RELATION
        if name == "all":
            return RowBox([MarkBox("∀"), over.range, MarkBox(":"), self.box(x)]), OR
        if name == "histogram":
            assert isinstance(node.value, tuple)
            low, high, bins = (NumberBox(f"{value:g}") for value in node.value)
            ends = Fence("[", RowBox([low, MarkBox(","), high]), "]")
            return applied(Under("hist", over.range), self.box(x), ends, bins), APPLY
        if row.sign in ("min", "max", "first", "last"):
            return RowBox([Under(row.sign, over.range), self.box(x, PRODUCT)]), BIG
        sign = f"{row.sign} pop" if node.value == 0 else row.sign
        args = node.args if row.family == "reduction" else [x]
        return applied(Under(sign, over.range), *(self.box(arg) for arg in args)), APPLY

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
    number = NumberBox(f"{abs(value):g}")
    return RowBox([MarkBox("−"), number]) if value < 0 else number
