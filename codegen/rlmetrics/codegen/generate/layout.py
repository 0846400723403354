"""Python source laid out as ``ruff format`` leaves it, so that no formatter has to run.

Two facts make this short: a construct that fits on one line stays on one line, and a bracket whose last element
carries a comma stays exploded, one element a line. Every construct below is either flat or exploded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import ClassVar
from unicodedata import combining, east_asian_width

WIDTH = 120


@dataclass(frozen=True, slots=True)
class Bracket:
    """A bracketed list: ``head`` ends with the opening bracket, ``close`` starts with the closing one.

    ``comma`` stands after a lone element that is kept on the line, as tuples need it.
    """

    head: str
    items: tuple[Node, ...]
    close: str
    comma: str = ""


@dataclass(frozen=True, slots=True)
class Literals:
    """A string that is too long for its line: adjacent literals in parentheses, one a line."""

    close: ClassVar[str] = ")"
    head: str
    parts: tuple[str, ...]


Node = str | Bracket | Literals


def call(head: str, items: Iterable[Node]) -> Bracket:
    """Return ``head(items)``."""
    return Bracket(f"{head}(", tuple(items), ")")


def tuple_of(items: Iterable[Node], head: str = "") -> Bracket:
    """Return a tuple; ``head`` is what stands before it, such as ``shape=``."""
    return Bracket(f"{head}(", tuple(items), ")", ",")


def dict_of(items: Iterable[Node], head: str = "") -> Bracket:
    """Return a dict whose items are ``key: value`` nodes."""
    return Bracket(f"{head}{{", tuple(items), "}")


def list_of(items: Iterable[Node], head: str = "") -> Bracket:
    """Return a list."""
    return Bracket(f"{head}[", tuple(items), "]")


def import_of(module: str, names: Iterable[str]) -> Node:
    """Return an import of names, which has brackets only if it is exploded."""
    listed = tuple(names)
    line = f"from {module} import {', '.join(listed)}"
    return line if len(line) <= WIDTH else Bracket(f"from {module} import (", listed, ")")


def flat(node: Node, room: float = inf) -> str | None:
    """Return the node on one line, or None if it has to be exploded because it takes more than ``room`` columns."""
    if isinstance(node, str):
        return node
    if isinstance(node, Literals):
        return None
    room -= len(node.head) + len(node.close) - 2
    items = []
    for item in node.items:
        text = flat(item, room - 2)
        # A long list is given up early, so that laying out a large tree takes linear time.
        if text is None or (room := room - len(text) - 2) < 0:
            return None
        items.append(text)
    lone = node.comma if len(items) == 1 else ""
    return f"{node.head}{', '.join(items)}{lone}{node.close}"


def lines(node: Node, indent: int = 0, tail: str = "") -> list[str]:
    """Return the node's lines, indented by ``indent`` spaces, with ``tail`` after the last."""
    pad = " " * indent
    text = flat(node, WIDTH - indent)
    if isinstance(node, str) or (text is not None and indent + columns(text) + len(tail) <= WIDTH):
        return [f"{pad}{text}{tail}"]
    out = [pad + node.head]
    if isinstance(node, Literals):
        out += [f"{pad}    {part}" for part in node.parts]
    else:
        for item in node.items:
            out += lines(item, indent + 4, ",")
    out.append(pad + node.close + tail)
    return out


def source(node: Node, indent: int = 0, tail: str = "") -> str:
    """Return the node's lines as one text without a final newline."""
    return "\n".join(lines(node, indent, tail))


def quote(text: str) -> str:
    """Return a string literal with the quotes that ``ruff format`` prefers."""
    mark = "'" if text.count('"') > text.count("'") else '"'
    body = text.replace("\\", "\\\\").replace(mark, "\\" + mark)
    if not body.isprintable():
        body = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in body)
    return mark + body + mark


def columns(text: str) -> int:
    """Return how many columns a text takes: East Asian characters take two, combining marks none."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def string(text: str, indent: int, head: str = "") -> Node:
    """Return a string that stands at column ``indent`` after ``head``, such as ``brief=``."""
    literal = quote(text)
    if indent + len(head) + columns(literal) < WIDTH:
        return head + literal
    if indent + 4 + columns(literal) <= WIDTH:
        return Literals(f"{head}(", (literal,))
    return Literals(f"{head}(", tuple(quote(part) for part in _cut(text, WIDTH - indent - 8)))


def _cut(text: str, width: int) -> list[str]:
    """Cut a text after spaces into parts shorter than ``width``, where it has spaces to cut at."""
    parts = [""]
    for word in text.split(" "):
        if parts[-1] and columns(parts[-1]) + columns(word) >= width:
            parts.append("")
        parts[-1] += word + " "
    parts[-1] = parts[-1][:-1]
    return parts
