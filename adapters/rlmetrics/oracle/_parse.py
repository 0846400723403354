"""Operator-precedence parser of formula texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Apply", "FormulaSyntaxError", "Invoke", "Number", "Term", "Word", "parse"]

_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?)|([A-Za-z]\w*)|('[^']*'|\"[^\"]*\")|(\*\*|[<>=!]=|\S))"
)

_LEFT_POWER = {
    "==": 1,
    "!=": 1,
    "<": 1,
    "<=": 1,
    ">": 1,
    ">=": 1,
    "|": 2,
    "&": 3,
    "+": 4,
    "-": 4,
    "*": 5,
    "/": 5,
    "**": 7,
}
_PREFIX_POWER = 6


class FormulaSyntaxError(ValueError):
    """A text that is no formula."""


@dataclass(frozen=True)
class Number:
    """A literal."""

    value: float


@dataclass(frozen=True)
class Word:
    """A name."""

    name: str


@dataclass(frozen=True)
class Apply:
    """An operator on one or two operands."""

    operator: str
    operands: tuple[Term, ...]


@dataclass(frozen=True)
class Invoke:
    """A function call; the argument of ``metric`` is a word that holds the id."""

    function: str
    arguments: tuple[Term, ...]
    keywords: tuple[tuple[str, Term], ...]


Term = Number | Word | Apply | Invoke


@lru_cache(maxsize=4096)
def parse(text: str) -> Term:
    """Parse a formula; a metric's is asked for at every evaluation.

    Raises:
        FormulaSyntaxError: The text is no formula.
    """
    reader = _Reader(text)
    term = reader.term(0)
    if reader.peek():
        msg = f"unexpected {reader.peek()!r}"
        raise FormulaSyntaxError(msg)
    return term


class _Reader:
    def __init__(self, text: str):
        self.tokens = [match.group().strip() for match in _TOKEN.finditer(text) if match.group().strip()]
        self.position = 0

    def peek(self) -> str:
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if not token or (expected and token != expected):
            msg = f"expected {expected or 'a term'}, got {token or 'the end'}"
            raise FormulaSyntaxError(msg)
        self.position += 1
        return token

    def term(self, power: int) -> Term:
        left = self.prefix()
        while _LEFT_POWER.get(self.peek(), -1) > power:
            operator = self.take()
            right = self.term(_LEFT_POWER[operator])
            left = Apply(operator, (left, right))
        return left

    def prefix(self) -> Term:
        token = self.take()
        if token in "-~":
            return Apply(f"{token}x", (self.term(_PREFIX_POWER),))
        if token == "(":
            inner = self.term(0)
            self.take(")")
            return inner
        if token[0].isdigit() or token[0] == ".":
            return Number(float(token))
        if token in ("True", "False"):
            return Number(token == "True")
        if not token[0].isalpha():
            msg = f"unexpected {token!r}"
            raise FormulaSyntaxError(msg)
        return self.invoke(token) if self.peek() == "(" else Word(token)

    def invoke(self, function: str) -> Invoke:
        self.take("(")
        arguments: list[Term] = []
        keywords: list[tuple[str, Term]] = []
        while self.peek() != ")":
            if self.peek()[:1] in ("'", '"'):
                arguments.append(Word(self.take()[1:-1]))
            elif self.tokens[self.position + 1 : self.position + 2] == ["="]:
                name = self.take()
                self.take("=")
                keywords.append((name, self.term(0)))
            else:
                arguments.append(self.term(0))
            if self.peek() != ")":
                self.take(",")
        self.take(")")
        return Invoke(function, tuple(arguments), tuple(keywords))
