"""Guards and arithmetic over configuration keys: ``beta != 0``, ``loss_type in ['grpo', 'bnpo']``, ``1/K``.

The grammar, loosest first::

    or     = and ('or' and)*
    and    = not ('and' not)*
    not    = 'not' not | compare
    compare = sum (('==' | '!=' | '<' | '<=' | '>' | '>=' | 'in' | 'not' 'in') sum)?
    sum    = product (('+' | '-') product)*
    product = unary (('*' | '/') unary)*
    unary  = '-' unary | number | string | true | false | null | list | name | '(' or ')'

``in`` asks a list for a value, or with a quoted text on its left a setting for that text: ``'_' in threshold``.
Names are configuration keys and may be dotted. Nothing but the configuration can be reached from an expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from .expressions import (
    And,
    Arithmetic,
    Compare,
    Expression,
    GuardError,
    ListOf,
    Literal,
    Name,
    Negative,
    Not,
    Or,
    UnknownValueError,
    Value,
)

__all__ = [
    "MAX_DEPTH",
    "MAX_LENGTH",
    "MAX_OPERATIONS",
    "OPPOSITE",
    "And",
    "Arithmetic",
    "Compare",
    "Expression",
    "GuardError",
    "ListOf",
    "Literal",
    "Name",
    "Negative",
    "Not",
    "Or",
    "UnknownValueError",
    "Value",
    "names_in",
    "parse",
]

OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">", "in": "not in", "not in": "in"}
"""The operator of each comparison that holds where another one does not."""

MAX_LENGTH = 2000
MAX_DEPTH = 40
MAX_OPERATIONS = 100
"""Limits that keep evaluation far from Python's recursion limit."""

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
      | (?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)
      | (?P<symbol>==|!=|<=|>=|[-+*/()\[\],<>])
    )""",
    re.VERBOSE,
)
_ARITHMETIC = frozenset("+-*/")
_WORDS = frozenset({"and", "or", "not", "in", "true", "false", "null"})
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


@lru_cache(maxsize=1024)
def parse(text: str) -> Expression:
    """Parse a guard or an arithmetic expression.

    Args:
        text: The expression, at most ``MAX_LENGTH`` characters and ``MAX_DEPTH`` levels deep.

    Returns:
        The root node. Equal texts give the same object.

    Raises:
        GuardError: The text is no such expression.
    """
    if len(text) > MAX_LENGTH:
        msg = f"the expression is longer than {MAX_LENGTH} characters; shorten it"
        raise GuardError(msg, MAX_LENGTH + 1)
    return _Parser(text).whole()


@lru_cache(maxsize=1024)
def names_in(text: str) -> frozenset[str]:
    """Return the configuration keys that an expression names; errors are those of `parse`."""
    return parse(text).names()


class _Parser:
    """Recursive descent over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_scan(text))
        self._has_arithmetic = not _ARITHMETIC.isdisjoint(text)
        self._next = 0
        self._depth = 0
        self._operations = 0

    def whole(self) -> Expression:
        node = self._either()
        if self._kind != "end":
            raise self._error("the expression should end here")
        return node

    @property
    def _kind(self) -> str:
        return self._tokens[self._next][0]

    @property
    def _text(self) -> str:
        return self._tokens[self._next][1]

    @property
    def _column(self) -> int:
        return self._tokens[self._next][2]

    def _accept(self, *texts: str) -> str | None:
        text = self._tokens[self._next][1]
        if text in texts:
            self._next += 1
            return text
        return None

    def _error(self, message: str) -> GuardError:
        found = "the end" if self._kind == "end" else repr(self._text)
        return GuardError(f"{message}, but there is {found}", self._column)

    def _nested(self, rule: Callable[[], Expression]) -> Expression:
        if self._depth >= MAX_DEPTH:
            msg = f"the expression is nested more than {MAX_DEPTH} levels deep; simplify it"
            raise GuardError(msg, self._column)
        self._depth += 1
        try:
            return rule()
        finally:
            self._depth -= 1

    def _either(self) -> Expression:
        column, operands = self._column, [self._both()]
        while self._accept("or"):
            operands.append(self._both())
        return operands[0] if len(operands) == 1 else Or(column, tuple(operands))

    def _both(self) -> Expression:
        column, operands = self._column, [self._negation()]
        while self._accept("and"):
            operands.append(self._negation())
        return operands[0] if len(operands) == 1 else And(column, tuple(operands))

    def _negation(self) -> Expression:
        column = self._column
        if self._accept("not"):
            return Not(column, self._nested(self._negation))
        return self._comparison()

    def _comparison(self) -> Expression:
        column, left = self._column, self._sum()
        operator = self._accept("==", "!=", "<", "<=", ">", ">=", "in")
        if operator is None and self._accept("not"):
            if not self._accept("in"):
                raise self._error("'not' between two values must be followed by 'in'")
            operator = "not in"
        if operator is None:
            return left
        node = Compare(column, operator, left, self._sum())
        if self._kind == "symbol" and self._text in ("==", "!=", "<", "<=", ">", ">="):
            raise self._error("comparisons cannot be chained; join them with 'and'")
        return node

    def _sum(self) -> Expression:
        if not self._has_arithmetic:
            # Most guards only compare, and each level that is left out saves a call per value.
            return self._unary()
        column, node = self._column, self._product()
        while operator := self._accept("+", "-"):
            node = self._arithmetic(column, operator, node, self._product())
        return node

    def _product(self) -> Expression:
        column, node = self._column, self._unary()
        while operator := self._accept("*", "/"):
            node = self._arithmetic(column, operator, node, self._unary())
        return node

    def _arithmetic(self, column: int, operator: str, left: Expression, right: Expression) -> Expression:
        self._operations += 1
        if self._operations > MAX_OPERATIONS:
            msg = f"the expression has more than {MAX_OPERATIONS} arithmetic operations; simplify it"
            raise GuardError(msg, column)
        return Arithmetic(column, operator, left, right)

    def _unary(self) -> Expression:
        column = self._column
        if self._has_arithmetic and self._accept("-"):
            return Negative(column, self._nested(self._unary))
        if self._accept("("):
            node = self._nested(self._either)
            if not self._accept(")"):
                raise self._error("a ')' is missing")
            return node
        if self._accept("["):
            return self._list(column)
        kind, text, _ = self._tokens[self._next]
        if kind == "word" and text in _CONSTANTS:
            self._next += 1
            return Literal(column, _CONSTANTS[text])
        if kind in ("number", "string", "name"):
            self._next += 1
            return _atom(kind, text, column)
        raise self._error("a value is missing: a number, a string, true, false, null, a list or a configuration key")

    def _list(self, column: int) -> Expression:
        items: list[Expression] = []
        while not self._accept("]"):
            if items and not self._accept(","):
                raise self._error("a ',' or ']' is missing")
            items.append(self._nested(self._either))
        return ListOf(column, tuple(items))


def _atom(kind: str, text: str, column: int) -> Expression:
    if kind == "number":
        return Literal(column, int(text) if text.isdigit() else float(text))
    if kind == "string":
        return Literal(column, re.sub(r"\\(.)", r"\1", text[1:-1]))
    return Name(column, text)


def _scan(text: str) -> Iterator[tuple[str, str, int]]:
    position, end = 0, len(text.rstrip())
    for match in _TOKEN.finditer(text):
        kind = str(match.lastgroup)
        if match.start() != position:
            break
        found = match.group(kind)
        if kind == "number" and len(found) > 40:
            msg = "this number has too many digits"
            raise GuardError(msg, match.start(kind) + 1)
        yield ("word" if found in _WORDS else kind, found, match.start(kind) + 1)
        position = match.end()
    if position < end:
        at = position + len(text[position:]) - len(text[position:].lstrip())
        what = "this string has no end" if text[at] in "'\"" else f"{text[at]!r} means nothing here"
        raise GuardError(what, at + 1)
    yield ("end", "", len(text) + 1)
