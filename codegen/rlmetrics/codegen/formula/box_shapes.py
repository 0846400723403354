"""How operations look as mathematics: a box made from those of the operands, and how tightly it binds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .mathml import Box, fence, mark, row, sub, under, word

__all__ = [
    "AND",
    "APPLY",
    "ATOM",
    "BIG",
    "OR",
    "POWER",
    "PRODUCT",
    "RELATION",
    "SUM",
    "Shape",
    "applied",
    "calling",
    "infix",
    "log_of_softmax",
    "log_of_sum",
    "logarithm",
    "most_likely",
    "over_vocabulary",
    "prefix",
    "suffix",
]

OR, AND, RELATION, SUM, BIG, PRODUCT, APPLY, POWER, ATOM = range(9)
"""How tightly operators bind, from the weakest; ``BIG`` are those with a range below."""


@dataclass(frozen=True)
class Shape:
    """How an operation looks.

    Attributes:
        box: Makes the box from those of the operands.
        binds: How tightly it binds.
        least: How tightly each operand must bind to stand without brackets; the last number counts for all others.
    """

    box: Callable[..., Box]
    binds: int = ATOM
    least: tuple[int, ...] = (0,)


def applied(name: Box, *arguments: Box) -> Box:
    """Return a function with its arguments in brackets."""
    parts: list[Box] = []
    for argument in arguments:
        parts += [mark(","), argument] if parts else [argument]
    return _before(name, fence("(", row(*parts), ")"))


def calling(name: str) -> Shape:
    """Return the shape of a function."""
    return Shape(lambda *arguments: applied(word(name), *arguments), APPLY)


def infix(sign: str, binds: int) -> Shape:
    """Return the shape of a sign between two operands; relations form no chains."""
    least = (binds + (binds == RELATION), binds + 1)
    return Shape(lambda left, right: row(left, mark(sign), right), binds, least)


def prefix(sign: str, binds: int, least: int) -> Shape:
    """Return the shape of a sign before an operand."""
    return Shape(lambda x: row(mark(sign), x), binds, (least,))


def suffix(sign: str, name: str) -> Shape:
    """Return the shape of a relation to something that has a name."""
    return Shape(lambda x: row(x, mark(sign), word(name)), RELATION, (SUM,))


def over_vocabulary(x: Box) -> Box:
    """Return a sum over the vocabulary."""
    return row(_SUM_OF_ALL, x)


def logarithm(x: Box) -> Box:
    """Return a logarithm of what needs no brackets."""
    return _before(word("log"), x)


def log_of_sum(x: Box) -> Box:
    """Return the logarithm of the sum of exponentials over the vocabulary."""
    return row(word("log"), mark("\u2061"), _SUM_OF_ALL, applied(word("exp"), x))


def most_likely(x: Box, token: Box) -> Box:
    """Return the statement that a token is the most likely one."""
    return row(row(word("arg"), mark("\u2061"), under("max", word("v")), x), mark("="), token)


def log_of_softmax(x: Box, *token: Box) -> Box:
    """Return the logarithm of a softmax, or of its part for a token."""
    softmax = applied(word("softmax"), x)
    return logarithm(sub(softmax, token[0]) if token else softmax)


def _before(name: Box, body: Box) -> Box:
    return row(name, mark("\u2061"), body)


_SUM_OF_ALL = under("∑", word("v"))
