"""Guards and arithmetic over configuration keys: ``beta != 0``, ``loss_type in ['grpo', 'bnpo']``, ``1/K``.

Python's parser reads them, and only these forms are taken over: ``and``, ``or``, ``not``, one comparison (``==``,
``!=``, ``<``, ``<=``, ``>``, ``>=``, ``in``, ``not in``), ``+``, ``-``, ``*``, ``/``, numbers, quoted text, ``true``,
``false``, ``null``, lists and names.

``in`` asks a list for a value, or with a quoted text on its left a setting for that text: ``'_' in threshold``.
Names are configuration keys and may be dotted. Nothing but the configuration can be reached from an expression.
"""

from __future__ import annotations

import _ast as ast  # the module `ast` adds nothing that is needed here, and takes as long to import as ten of ours
import re
from functools import lru_cache

from rlmetrics.lazy_typing import Any

from .guard_expressions import (
    And,
    Arithmetic,
    Compare,
    Expression,
    GuardError,
    GuardLiteral,
    ListOf,
    Negative,
    Not,
    Or,
    SettingName,
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
    "GuardLiteral",
    "ListOf",
    "Negative",
    "Not",
    "Or",
    "SettingName",
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

_TOKEN = (
    r"\s*(?:"
    r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![\w.])"
    r"""|(?:'(?:[^'\\]|\\['"\\])*'|"(?:[^"\\]|\\['"\\])*")(?!\s*['"])"""
    r"|[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*"
    r"|==|!=|<=|>=|[-+*/()\[\],<>]"
    r")"
)
_TOKENS = re.compile(f"(?:{_TOKEN})*")
"""What Python understands beyond this, such as comments, ``1_000`` or letters of other alphabets, is refused."""
_WORD = re.compile(r"\w+|\S")
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_BLANKS = str.maketrans("\n\r\t", "   ")


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
    _check_tokens(text)
    return _Reader(text).whole()


@lru_cache(maxsize=1024)
def names_in(text: str) -> frozenset[str]:
    """Return the configuration keys that an expression names; errors are those of `parse`."""
    return parse(text).names()


def _check_tokens(text: str) -> None:
    """Refuse what is no token of an expression, although it may be one of Python.

    Raises:
        GuardError: There is such a thing.
    """
    match = _TOKENS.match(text)
    left = text[match.end() if match else 0 :].lstrip()
    if left:
        quoted = "this string has no end, stands before another, or has a backslash that stands before no quote"
        message = quoted if left[0] in "'\"" else f"{left[0]!r} means nothing here"
        raise GuardError(message, len(text) - len(left) + 1)


class _Reader:
    """Takes over the forms of Python that are allowed."""

    def __init__(self, text: str) -> None:
        self._text = text.translate(_BLANKS)
        self._shift = len(self._text) - len(self._text.lstrip())
        self._operations = 0

    def whole(self) -> Expression:
        try:
            tree: Any = compile(self._text.strip(), "<guard>", "eval", ast.PyCF_ONLY_AST)
        except SyntaxError as error:
            if not error.offset:
                msg = "a value is missing at the end: a number, a string, true, false, null, a list or a name"
                raise GuardError(msg, len(self._text) + 1) from None
            at = min(error.offset - 1 + self._shift, len(self._text))
            word = _WORD.match(self._text, at)
            wrong = f"{word[0]!r} cannot stand here; an operator or a value is missing before it" if word else error.msg
            raise GuardError(wrong if error.msg == "invalid syntax" else error.msg, at + 1) from None
        except (RecursionError, MemoryError):
            raise self._too_deep(1) from None
        return self._expression(tree.body, 0)

    def _too_deep(self, column: int) -> GuardError:
        return GuardError(f"the expression is nested more than {MAX_DEPTH} levels deep; simplify it", column)

    def _column(self, node: ast.expr) -> int:
        return self._place(node.col_offset) + 1

    def _place(self, offset: int) -> int:
        """Return the index into the text of an offset of Python's, which counts bytes."""
        if not self._text.isascii():
            offset = len(self._text.encode()[self._shift :][:offset].decode())
        return self._shift + offset

    def _expression(self, node: ast.expr, depth: int) -> Expression:
        column = self._column(node)
        if depth > MAX_DEPTH:
            raise self._too_deep(column)
        if isinstance(node, ast.Name | ast.Attribute):
            name = self._text[column - 1 :][: (node.end_col_offset or 0) - node.col_offset]
            return GuardLiteral(column, _CONSTANTS[name]) if name in _CONSTANTS else SettingName(column, name)
        if isinstance(node, ast.Constant) and type(node.value) in (int, float, str):
            return self._literal(node, column)
        if isinstance(node, ast.Compare):
            return self._comparison(column, node, depth)
        if isinstance(node, ast.BoolOp):
            joined = And if isinstance(node.op, ast.And) else Or
            return joined(column, tuple(self._expression(value, depth + 1) for value in node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
            turned = Not if isinstance(node.op, ast.Not) else Negative
            return turned(column, self._expression(node.operand, depth + 1))
        if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
            return self._arithmetic(column, node, depth)
        if isinstance(node, ast.List):
            return ListOf(column, tuple(self._expression(item, depth + 1) for item in node.elts))
        msg = "this cannot stand here: a number, a string, true, false, null, a list or a name is expected"
        raise GuardError(msg, column)

    def _comparison(self, column: int, node: ast.Compare, depth: int) -> Expression:
        operator = _COMPARISONS.get(type(node.ops[0]))
        if operator is None:
            msg = "'is' cannot stand here; compare with =="
            raise GuardError(msg, self._text.index("is", self._place(node.left.end_col_offset or 0)) + 1)
        if len(node.ops) > 1:
            msg = "comparisons cannot be chained; join them with 'and'"
            raise GuardError(msg, self._column(node.comparators[1]))
        left, right = self._expression(node.left, depth + 1), self._expression(node.comparators[0], depth + 1)
        return Compare(column, operator, left, right)

    def _literal(self, node: ast.Constant, column: int) -> GuardLiteral:
        if not isinstance(node.value, str) and node.end_col_offset and node.end_col_offset - node.col_offset > 40:
            msg = "this number has too many digits"
            raise GuardError(msg, column)
        return GuardLiteral(column, node.value)  # type: ignore[arg-type]

    def _arithmetic(self, column: int, node: ast.BinOp, depth: int) -> Expression:
        self._operations += 1
        if self._operations > MAX_OPERATIONS:
            msg = f"the expression has more than {MAX_OPERATIONS} arithmetic operations; simplify it"
            raise GuardError(msg, column)
        left, right = self._expression(node.left, depth), self._expression(node.right, depth)
        return Arithmetic(column, _ARITHMETIC[type(node.op)], left, right)
