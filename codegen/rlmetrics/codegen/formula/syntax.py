"""The syntax of an expression as frozen nodes, before anything is known about domains and types."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Binary", "Call", "Expression", "FormulaLiteral", "FormulaName", "Keyword", "MetricCall", "Unary"]


@dataclass(frozen=True)
class Span:
    """Where a node stands: offsets into its text, the end excluded."""

    start: int
    end: int


@dataclass(frozen=True)
class FormulaLiteral:
    """A number or a truth value."""

    span: Span
    value: bool | int | float


@dataclass(frozen=True)
class FormulaName:
    """An input, a parameter, a ``let`` name or ``everything``."""

    span: Span
    name: str


@dataclass(frozen=True)
class Unary:
    """``-x`` or ``~x``."""

    span: Span
    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary:
    """Arithmetic, a comparison, ``&`` or ``|``."""

    span: Span
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Keyword:
    """``name=value`` in a call."""

    name: str
    value: Expression


@dataclass(frozen=True)
class Call:
    """A function of the table applied to arguments."""

    span: Span
    function: str
    arguments: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]


@dataclass(frozen=True)
class MetricCall:
    """``metric('id')``."""

    span: Span
    metric: str


Expression = FormulaLiteral | FormulaName | Unary | Binary | Call | MetricCall
