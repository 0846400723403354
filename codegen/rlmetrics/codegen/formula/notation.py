"""Formulas as mathematics: sums with their ranges, fractions, indices, and ``let`` names explained below."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from .boxes import Box, Cases, Fence, Fraction, Lines, Mark, Number, Power, Root, Row, Sub, Under, Word
from .nodes import Node
from .populations import population
from .symbols import definition_name, symbol

__all__ = ["notation"]

_OR, _AND, _RELATION, _SUM, _BIG, _PRODUCT, _APPLY, _POWER, _ATOM = range(9)
_INFIX: Final = {
    "add": ("+", _SUM),
    "sub": ("−", _SUM),
    "and": ("∧", _AND),
    "or": ("∨", _OR),
    "lt": ("<", _RELATION),
    "le": ("≤", _RELATION),
    "gt": (">", _RELATION),
    "ge": ("≥", _RELATION),
    "eq": ("=", _RELATION),
    "ne": ("≠", _RELATION),
}
_INVISIBLE: Final = frozenset(["to_float", "per_token", "per_sequence", "per_vocab", "repeat", "pad_groups"])
_FUNCTIONS: Final = {
    "exp": "exp",
    "log": "log",
    "log1p": "log1p",
    "expm1": "expm1",
    "sign": "sign",
    "minimum": "min",
    "maximum": "max",
    "clamp": "clip",
    "entropy": "H",
    "softmax": "softmax",
    "last": "last",
}
_STATISTICS: Final = {"var": "Var", "std": "Std", "cov": "Cov", "corr": "Corr"}

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
            return definition_name(self.names[node]), _ATOM
        return self.write(node)

    def box(self, node: Node, least: int = 0) -> Box:
        """Return a node in brackets if it binds weaker than ``least``."""
        box, binding = self.piece(node)
        return box if binding >= least else Fence("(", box, ")")

    def write(self, node: Node) -> Piece:
        op, args = node.op, node.args
        if op in ("input", "parameter"):
            if (node.value, node.extent) == ("mask", "token"):
                return Row([Word("t"), Mark("∈"), Word("M")]), _RELATION
            log = node.value in ("logprobs", "old_logprobs", "ref_logprobs", "rollout_logprobs")
            return symbol(str(node.value)), _APPLY if log else _ATOM
        if op == "literal":
            return self.literal(node)
        if op in _INVISIBLE:
            return self.piece(args[0])
        if op in _INFIX:
            sign, binding = _INFIX[op]
            return Row(
                [self.box(args[0], binding + (binding == _RELATION)), Mark(sign), self.box(args[1], binding + 1)]
            ), binding
        if node.over is not None or node.extent in ("reduced", "sequence", "group"):
            reduction = self.reduction(node)
            if reduction is not None:
                return reduction
        if op in _FUNCTIONS:
            return self.apply(Word(_FUNCTIONS[op]), args)
        return _WRITERS[op](self, node)

    def literal(self, node: Node) -> Piece:
        if isinstance(node.value, bool):
            return Word("true" if node.value else "false"), _ATOM
        text = repr(node.value)
        mantissa, _, exponent = text.partition("e")
        if not exponent:
            return Number(text.removesuffix(".0")), _ATOM
        power = Power(Number("10"), _signed(int(exponent)))
        return (power, _POWER) if mantissa == "1" else (Row([Number(mantissa), Mark("·"), power]), _PRODUCT)

    def apply(self, function: Box, args: tuple[Node, ...], *more: Box) -> Piece:
        parts: list[Box] = []
        for box in [*(self.box(arg) for arg in args), *more]:
            parts += [Mark(","), box] if parts else [box]
        return Row([function, Mark("\u2061"), Fence("(", Row(parts), ")")]), _APPLY

    # Operators

    def product(self, node: Node) -> Piece:
        left, right = node.args
        # A leading minus needs no brackets.
        signed = left.op == "neg" and left not in self.names
        boxes = [self.box(left, _SUM if signed else _PRODUCT), self.box(right, _PRODUCT + 1)]
        digits = right.op == "literal" or (left.op == "literal" and right.op == "literal")
        both_words = all(isinstance(box, Word) and len(box.text) > 1 for box in boxes)
        return Row([boxes[0], Mark("·" if digits or both_words else "\u2062"), boxes[1]]), _SUM if signed else _PRODUCT

    def quotient(self, node: Node) -> Piece:
        return Fraction(self.box(node.args[0]), self.box(node.args[1])), _ATOM

    def negated(self, node: Node) -> Piece:
        return Row([Mark("−"), self.box(node.args[0], _PRODUCT)]), _SUM

    def inverted(self, node: Node) -> Piece:
        return Row([Mark("¬"), self.box(node.args[0], _APPLY)]), _APPLY

    def power(self, node: Node) -> Piece:
        exponent = 2 if node.op == "square" else node.value
        assert isinstance(exponent, int | float)
        return Power(self.box(node.args[0], _ATOM), _signed(exponent)), _POWER

    def absolute(self, node: Node) -> Piece:
        return Fence("|", self.box(node.args[0]), "|"), _ATOM

    def root(self, node: Node) -> Piece:
        return Root(self.box(node.args[0])), _ATOM

    def sigmoid(self, node: Node) -> Piece:
        box, _ = self.apply(Word("σ"), node.args)
        return (Row([Word("log"), Mark("\u2061"), box]) if node.op == "log_sigmoid" else box), _APPLY

    def finite(self, node: Node) -> Piece:
        return Row([self.box(node.args[0], _SUM), Mark("∈"), Word("ℝ")]), _RELATION

    def not_nan(self, node: Node) -> Piece:
        return Row([self.box(node.args[0], _SUM), Mark("≠"), Word("NaN")]), _RELATION

    def where(self, node: Node) -> Piece:
        condition, then, otherwise = (self.box(arg) for arg in node.args)
        return Cases(condition, then, otherwise), _BIG

    # Over the vocabulary

    def sum_vocab(self, node: Node) -> Piece:
        return Row([Under("∑", Word("v")), self.box(node.args[0], _BIG)]), _BIG

    def logsumexp(self, node: Node) -> Piece:
        inner, _ = self.apply(Word("exp"), node.args)
        return Row([Word("log"), Mark("\u2061"), Under("∑", Word("v")), inner]), _BIG

    def log_softmax(self, node: Node) -> Piece:
        inner, _ = self.apply(Word("softmax"), node.args[:1])
        if node.op == "log_prob":
            inner = Sub(inner, self.box(node.args[1]))
        return Row([Word("log"), Mark("\u2061"), inner]), _APPLY

    def argmax(self, node: Node) -> Piece:
        best = Row([Word("arg"), Mark("\u2061"), Under("max", Word("v")), self.box(node.args[0], _APPLY)])
        return Row([best, Mark("="), self.box(node.args[1], _SUM)]), _RELATION

    # Reductions

    def reduction(self, node: Node) -> Piece | None:
        """Return a reduction with its population; None for what is no reduction."""
        name = node.op.removeprefix("seq_").removeprefix("group_")
        inner = name != node.op
        if not inner and (node.extent != "reduced" or node.op not in _REDUCERS):
            return None
        over = population(node, self.condition)
        if node.op == "group_count":
            return over.size, _ATOM
        x = node.args[0]
        if name in ("mean", "count") and x.dtype == "bool":
            chosen = population(node, self.condition, x).size
            return (Fraction(chosen, over.size) if name == "mean" else chosen), _ATOM
        if name == "at_max":
            where = Row([Word("arg"), Mark("\u2061"), Under("max", over.range), self.box(node.args[1], _PRODUCT)])
            return Sub(self.box(x, _ATOM), where), _ATOM
        if name == "quantile":
            return self.apply(Under("quantile", over.range), (x,), Number(f"{node.value:g}"))
        if name in ("mean", "sum"):
            total = Row([Under("∑", over.range), self.box(x, _BIG)])
            if name == "sum":
                return total, _BIG
            return Row([Fraction(Number("1"), over.size), total]), _BIG
        if name == "any":
            return Row([population(node, self.condition, x).size, Mark(">"), Number("0")]), _RELATION
        if name == "all":
            return Row([Mark("∀"), over.range, Mark(":"), self.box(x)]), _OR
        if name in ("min", "max", "first", "last"):
            return Row([Under(name, over.range), self.box(x, _PRODUCT)]), _BIG
        if name == "histogram":
            assert isinstance(node.value, tuple)
            low, high, bins = (Number(f"{value:g}") for value in node.value)
            return self.apply(Under("hist", over.range), (x,), Fence("[", Row([low, Mark(","), high]), "]"), bins)
        if name in _STATISTICS:
            operator = _STATISTICS[name] if node.value != 0 else f"{_STATISTICS[name]} pop"
            return self.apply(Under(operator, over.range), node.args if not inner else (x,))
        return None

    def condition(self, node: Node) -> Box:
        return self.box(node, _AND)


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
    number = Number(f"{abs(value):g}")
    return Row([Mark("−"), number]) if value < 0 else number


_REDUCERS: Final = frozenset(
    ["mean", "sum", "min", "max", "var", "std", "count", "cov", "corr", "at_max", "quantile", "histogram"]
)
_WRITERS: Final[dict[str, Callable[[_Writer, Node], Piece]]] = {
    "mul": _Writer.product,
    "div": _Writer.quotient,
    "neg": _Writer.negated,
    "not": _Writer.inverted,
    "pow": _Writer.power,
    "square": _Writer.power,
    "abs": _Writer.absolute,
    "sqrt": _Writer.root,
    "sigmoid": _Writer.sigmoid,
    "log_sigmoid": _Writer.sigmoid,
    "is_finite": _Writer.finite,
    "not_nan": _Writer.not_nan,
    "where": _Writer.where,
    "sum_vocab": _Writer.sum_vocab,
    "logsumexp": _Writer.logsumexp,
    "log_softmax": _Writer.log_softmax,
    "log_prob": _Writer.log_softmax,
    "argmax_equals": _Writer.argmax,
}
