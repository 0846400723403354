"""Python source laid out as ``ruff format`` leaves it, so that no formatter has to run.

Two facts make this short: a construct that fits on one line stays on one line, and a bracket whose last element
carries a comma stays exploded, one element a line. Every construct below is either flat or exploded.
"""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import combining, east_asian_width

WIDTH = 120


class Bracket:
    """A bracketed list.

    Attributes:
        head: What stands before the items, up to the opening bracket.
        items: The items.
        close: What stands after them, from the closing bracket on.
        flat: The whole on one line; None if that is too long for any line.
    """

    __slots__ = ("close", "flat", "head", "items")

    def __init__(self, head: str, items: Iterable[Node], close: str, comma: str = "") -> None:
        """Lay the bracket out on one line if it fits; ``comma`` stands after a lone item, as tuples need it."""
        self.head = head
        self.items = tuple(items)
        self.close = close
        self.flat = self._on_one_line(comma)

    def _on_one_line(self, comma: str) -> str | None:
        texts = []
        size = len(self.head) + len(self.close)
        for item in self.items:
            text = item if isinstance(item, str) else item.flat
            if text is None:
                return None
            size += len(text)
            if size > WIDTH:
                return None
            texts.append(text)
        lone = comma if len(texts) == 1 else ""
        return f"{self.head}{', '.join(texts)}{lone}{self.close}"


class Literals:
    """A string that is too long for its line: adjacent literals in parentheses, one a line."""

    __slots__ = ("head", "parts")
    flat = None
    close = ")"

    def __init__(self, head: str, parts: Iterable[str]) -> None:
        """Take the literals; ``head`` is what stands before them, up to the opening bracket."""
        self.head = head
        self.parts = tuple(parts)


Node = str | Bracket | Literals


def call(head: str, items: Iterable[Node]) -> Bracket:
    """Return ``head(items)``."""
    return Bracket(f"{head}(", items, ")")


def tuple_of(items: Iterable[Node], head: str = "") -> Bracket:
    """Return a tuple; ``head`` is what stands before it, such as ``shape=``."""
    return Bracket(f"{head}(", items, ")", ",")


def dict_of(items: Iterable[Node], head: str = "") -> Bracket:
    """Return a dict whose items are ``key: value`` nodes."""
    return Bracket(f"{head}{{", items, "}")


def list_of(items: Iterable[Node], head: str = "") -> Bracket:
    """Return a list."""
    return Bracket(f"{head}[", items, "]")


def import_of(module: str, names: Iterable[str]) -> Node:
    """Return an import of names, which has brackets only if it is exploded."""
    listed = tuple(names)
    line = f"from {module} import {', '.join(listed)}"
    return line if len(line) <= WIDTH else Bracket(f"from {module} import (", listed, ")")


def lines(node: Node, indent: int = 0, tail: str = "") -> list[str]:
    """Return the node's lines, indented by ``indent`` spaces, with ``tail`` after the last."""
    out: list[str] = []
    _write(node, " " * indent, tail, out)
    return out


def _write(node: Node, pad: str, tail: str, out: list[str]) -> None:
    if isinstance(node, str):
        out.append(f"{pad}{node}{tail}")
        return
    text = node.flat
    if text is not None and len(pad) + columns(text) + len(tail) <= WIDTH:
        out.append(f"{pad}{text}{tail}")
        return
    out.append(pad + node.head)
    deeper = pad + "    "
    if isinstance(node, Literals):
        out += [deeper + part for part in node.parts]
    else:
        for item in node.items:
            _write(item, deeper, ",", out)
    out.append(f"{pad}{node.close}{tail}")


def source(node: Node, indent: int = 0, tail: str = "") -> str:
    """Return the node's lines as one text without a final newline."""
    return "\n".join(lines(node, indent, tail))


def quote(text: str) -> str:
    """Return a string literal with the quotes that ``ruff format`` prefers."""
    if '"' not in text and "\\" not in text and text.isprintable():
        return f'"{text}"'
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
    return Literals(f"{head}(", (quote(part) for part in _cut(text, WIDTH - indent - 8)))


def _cut(text: str, width: int) -> list[str]:
    """Cut a text after spaces into parts shorter than ``width``, where it has spaces to cut at."""
    parts = [""]
    for word in text.split(" "):
        if parts[-1] and columns(parts[-1]) + columns(word) >= width:
            parts.append("")
        parts[-1] += word + " "
    parts[-1] = parts[-1][:-1]
    return parts
