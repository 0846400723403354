"""Domains: which values can meet, and what to say when they cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from .formula_errors import ExpressionSource, FormulaError
from .nodes import AXES, DType, Extent, Node
from .syntax import Expression

__all__ = ["ELEMENT", "LetScope", "Side", "join", "require_bool"]

Side = tuple[Expression, Node]
"""An operand: how it is written and what it is."""

ELEMENT: Final = {"token": "token", "sequence": "sequence", "group": "group", "batch": "element", "scalar": "update"}
"""What one element of a domain is called."""

_TWO_PASSES: Final = (
    "that takes two passes over the data, which no additive state can hold: reduce both sides, or use `impl`"
)
_BRIDGES: Final[dict[tuple[Extent, Extent], str]] = {
    ("token", "sequence"): "write per_token({1}), or reduce the other side to sequences, as in seq_sum({0})",
    ("sequence", "group"): "write per_sequence({1}), or reduce the other side to groups, as in group_mean({0})",
    ("vocab", "token"): "write per_vocab({1}), or reduce the other side over the vocabulary, as in sum_vocab({0})",
    ("token", "group"): "write per_token(per_sequence({1}))",
    ("vocab", "sequence"): "write per_vocab(per_token({1}))",
    ("token", "scalar"): "write per_token({1})",
    ("sequence", "scalar"): "write per_sequence({1})",
    ("vocab", "scalar"): "write per_vocab(per_token({1}))",
}


@dataclass
class LetScope:
    """One expression with the ``let`` names that it sees."""

    source: ExpressionSource
    lets: dict[str, Node] = field(default_factory=dict)

    def error(self, at: Expression, message: str, fix: str) -> FormulaError:
        """Return an error at an expression."""
        return self.source.error(at.span.start, message, fix)

    def quote(self, at: Expression) -> str:
        """Return an expression as it is written."""
        return self.source.quote(at.span.start, at.span.end)

    def describe(self, at: Expression, node: Node) -> str:
        """Return a clause that says what an expression is."""
        return f"{self.quote(at)} is {_DTYPES[node.dtype]}, {_axes(node)}"


_DTYPES: Final[dict[DType, str]] = {"float": "a float", "int": "an integer", "bool": "a boolean"}


def join(at: Expression, sides: Sequence[Side], scope: LetScope, what: str) -> Extent:
    """Return the domain that all sides share; constants go with everything.

    Raises:
        FormulaError: Two sides have different domains.
    """
    first: Side | None = None
    for syntax, node in sides:
        if node.extent == "const":
            continue
        if node.op == "histogram":
            raise scope.error(syntax, f"{what} cannot work on a histogram", "let the histogram be the whole formula")
        if first is None:
            first = (syntax, node)
        elif node.extent != first[1].extent:
            texts = [f"{scope.quote(one)} ({_axes(value)})" for one, value in (first, (syntax, node))]
            raise scope.error(at, f"{what} joins {texts[0]} with {texts[1]}", _bridge(first, (syntax, node), scope))
    return "const" if first is None else first[1].extent


def require_bool(side: Side, scope: LetScope, what: str) -> None:
    """Check that an operand is boolean.

    Raises:
        FormulaError: It is a number.
    """
    syntax, node = side
    if node.dtype != "bool":
        message = f"{what} takes booleans, and {scope.quote(syntax)} is {_DTYPES[node.dtype]}"
        raise scope.error(syntax, message, "put comparisons in brackets, as in mask & (x > 0)")


def _bridge(one: Side, other: Side, scope: LetScope) -> str:
    if "reduced" in (one[1].extent, other[1].extent):
        return _TWO_PASSES
    for first, second in ((one, other), (other, one)):
        bridge = _BRIDGES.get((first[1].extent, second[1].extent))
        if bridge is not None:
            return bridge.format(*(scope.quote(syntax).strip("`") for syntax, _ in (first, second)))
    return "reduce both sides first"


def _axes(node: Node) -> str:
    return AXES[node.extent] if node.extent in ("const", "reduced") else f"{node.extent} {AXES[node.extent]}"
