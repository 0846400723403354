"""Fingerprints of syntax trees: equal on every supported Python, unchanged by layout, comments and docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from hashlib import blake2b

__all__ = ["BLOCKS", "digest", "fingerprint", "is_words"]

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of a compound statement that hold other statements: they are no part of its header."""

_UNREAD = frozenset({"ctx", "kind", "type_comment"})
_COMPOUND = (ast.stmt, ast.excepthandler, ast.match_case)
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def fingerprint(node: ast.AST) -> str:
    """Return 12 hexadecimal digits that stand for a node; for a compound statement they stand for its header.

    Names, constants, annotations and messages count. Positions, comments, redundant parentheses and empty fields do
    not. The serialisation is our own, since that of `ast.dump` changes from one Python to the next.
    """
    parts: list[str] = []
    _write(node, parts)
    return digest(parts)


def digest(parts: Iterable[str]) -> str:
    """Return 12 hexadecimal digits that stand for a sequence of texts."""
    return blake2b("\x1f".join(parts).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def is_words(node: ast.AST) -> bool:
    """Tell whether a statement is nothing but a text, such as a docstring: it does not run."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _write(node: ast.AST, parts: list[str]) -> None:
    kind = type(node)
    fields = _FIELDS.get(kind)
    if fields is None:
        skipped = (*_UNREAD, *BLOCKS) if issubclass(kind, _COMPOUND) else _UNREAD
        fields = _FIELDS[kind] = tuple(name for name in kind._fields if name not in skipped)
    parts.append(f"({kind.__name__}")
    for name in fields:
        value = getattr(node, name, None)
        if value is None or value == []:
            # An absent value of a constant is the constant None; of all other fields, nothing.
            if name == "value" and kind is ast.Constant:
                parts.append("None")
            continue
        parts.append(name)
        if kind is ast.JoinedStr:
            value = _joined(value)
        if isinstance(value, ast.AST):
            _write(value, parts)
        elif isinstance(value, list):
            parts.append("[")
            for item in value:
                if isinstance(item, ast.AST):
                    _write(item, parts)
                else:
                    parts.append(repr(item))
            parts.append("]")
        else:
            parts.append(repr(value))
    parts.append(")")


def _joined(values: list[ast.expr]) -> list[ast.expr]:
    """Return neighbouring texts of an f-string as one: Pythons differ in where they cut them."""
    joined: list[ast.expr] = []
    for value in values:
        last = joined[-1] if joined else None
        if not isinstance(value, ast.Constant):
            joined.append(value)
        elif isinstance(last, ast.Constant):
            joined[-1] = ast.Constant(str(last.value) + str(value.value))
        elif value.value != "":
            joined.append(value)
    return joined
