"""Strings of Python source that may be keys: where each stands, and what is put together of parts."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

from rlmetrics.lazy_dataclasses import dataclass
from rlmetrics.logs.input_errors import InputError
from rlmetrics.logs.kinds.config import is_place

__all__ = ["CodeString", "code_strings", "with_strings_replaced"]

_MARKED = frozenset("/_@")
"""Signs of which a name has one, unless it is a plain word."""
_METHODS = frozenset({"join", "format"})


@dataclass(frozen=True, slots=True)
class CodeString:
    """A string in code.

    Attributes:
        parts: What it says; None for what is put in when the program runs.
        line: Its line.
        column: Its column, counted from 1.
        index: Which of the string literals it is, if it stands in the code as one; None where it is put together.
        is_looked_up: Whether it stands where a name would: in brackets, as an argument, or among other names.
        keyword: The keyword of a call that it is the value of.
    """

    parts: tuple[str | None, ...]
    line: int
    column: int
    index: int | None
    is_looked_up: bool
    keyword: str | None = None

    @property
    def text(self) -> str:
        """What it says, with stand-ins."""
        return "".join("{…}" if part is None else part for part in self.parts)


def code_strings(path: Path, text: str) -> list[CodeString]:
    """Return the strings of Python source, but for those that only say something to its reader.

    Raises:
        InputError: If it is not Python.
    """
    tree = _parsed(path, text)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    places = {place: number for number, (place, _) in enumerate(_literals(text))}
    lines = text.splitlines(keepends=True)
    found: list[CodeString] = []
    for node in ast.walk(tree):
        parts = _parts(node, parents)
        if parts is not None and isinstance(node, ast.expr):
            start = lines[node.lineno - 1].encode()[: node.col_offset].decode() if lines else ""
            is_alone = isinstance(node, ast.Constant) and _is_alone(node, text)
            index = places.get((node.lineno, len(start))) if is_alone else None
            parent = parents.get(node)
            keyword = parent.arg if isinstance(parent, ast.keyword) else None
            looked_up = _is_looked_up(node, parents) or is_place(keyword)
            found.append(CodeString(parts, node.lineno, len(start) + 1, index, looked_up, keyword))
    return sorted(found, key=lambda one: (one.line, one.column))


def with_strings_replaced(path: Path, text: str, new: dict[int, str]) -> str:
    """Return source with some of its literals saying something else; quotes, prefixes and all else stay.

    Raises:
        InputError: If it is not Python.
    """
    offsets = [0]
    for line in text.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    parts: list[str] = []
    done = 0
    for number, ((row, column), token) in enumerate(_literals(text)):
        if number in new:
            start = offsets[row - 1] + column
            parts += (text[done:start], _spelled(token, new[number]))
            done = start + len(token)
    written = "".join([*parts, text[done:]])
    _parsed(path, written)
    return written


def _parsed(path: Path, text: str) -> ast.Module:
    try:
        return ast.parse(text, filename=str(path))
    except SyntaxError as error:
        msg = f"not Python: {error.msg}; mend it here"
        raise InputError(msg, path, error.lineno or 1, error.offset or 1) from None
    except (ValueError, MemoryError, RecursionError) as error:
        msg = f"not Python that can be followed: {error}"
        raise InputError(msg, path, 1, 1) from None


def _literals(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield place and spelling of each string token."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.type == tokenize.STRING:
                yield token.start, token.string
    except (tokenize.TokenError, IndentationError):
        return


def _is_alone(node: ast.Constant, text: str) -> bool:
    """Tell whether a string stands in the code as one literal, and not as several after each other."""
    segment = ast.get_source_segment(text, node) or ""
    tokens = list(_literals(segment))
    return len(tokens) == 1 and tokens[0][1] == segment


def _spelled(token: str, value: str) -> str:
    """Return a value as a literal with the prefix and the quotes of another one."""
    prefix = token[: len(token) - len(token.lstrip("rRbBuUfF"))]
    rest = token[len(prefix) :]
    quote = rest[:3] if rest[:3] in ('"""', "'''") else rest[:1]
    return f"{prefix}{quote}{value}{quote}"


def _parts(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> tuple[str | None, ...] | None:
    """Return what a string says; None if a node is none, or a part of one."""
    parent = parents.get(node)
    if isinstance(parent, ast.Expr | ast.JoinedStr | ast.FormattedValue) and not isinstance(node, ast.JoinedStr):
        return None
    if _joined(parent) is not None:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,)
    if isinstance(node, ast.JoinedStr):
        return tuple(str(value.value) if isinstance(value, ast.Constant) else None for value in node.values)
    return _joined(node)


def _joined(node: ast.AST | None) -> tuple[str | None, ...] | None:
    """Return the parts of a string that is added up, formatted or joined; None if a node is none."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
        sides = [_side(node.left), _side(node.right)]
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            return _formatted(node.left.value, "%s", "%d", "%i")
        return (*sides[0], *sides[1]) if any(part is not None for side in sides for part in side) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        value = node.func.value
        if isinstance(value, ast.Constant) and isinstance(value.value, str) and node.func.attr == "format":
            return _formatted(value.value, "{}")
        if isinstance(value, ast.Constant) and value.value == "/" and len(node.args) == 1:
            items = node.args[0].elts if isinstance(node.args[0], ast.List | ast.Tuple) else []
            said = [_side(item) for item in items]
            return tuple(part for side in said for part in (*side, "/"))[:-1] if said else None
    return None


def _side(node: ast.expr) -> tuple[str | None, ...]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return (node.value,)
    return _joined(node) or (None,)


def _formatted(text: str, *marks: str) -> tuple[str | None, ...]:
    for mark in marks[1:]:
        text = text.replace(mark, marks[0])
    pieces = text.split(marks[0])
    return tuple(part for piece in pieces for part in (piece, None))[:-1]


def _is_looked_up(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    parent = parents.get(node)
    if isinstance(parent, ast.Subscript | ast.Compare | ast.Dict):
        return True
    if isinstance(parent, ast.Call):
        return node in parent.args
    if isinstance(parent, ast.List | ast.Tuple | ast.Set):
        others = [item.value for item in parent.elts if isinstance(item, ast.Constant) and isinstance(item.value, str)]
        return any(not _MARKED.isdisjoint(other) for other in others)
    return False
