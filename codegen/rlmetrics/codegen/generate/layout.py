"""Python source laid out as ``ruff format`` leaves it, so that no formatter has to run.

Two facts make this short: a construct that fits on one line stays on one line, and a bracket whose last element
carries a comma stays exploded, one element a line. Every construct below is either flat or exploded.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

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


def flat(node: Node) -> str | None:
    """Return the node on one line, or None if it has to be exploded."""
    if isinstance(node, str):
        return node
    if isinstance(node, Literals):
        return None
    items = [flat(item) for item in node.items]
    if None in items:
        return None
    lone = node.comma if len(items) == 1 else ""
    return f"{node.head}{', '.join(item for item in items if item is not None)}{lone}{node.close}"


def lines(node: Node, indent: int = 0, tail: str = "") -> list[str]:
    """Return the node's lines, indented by ``indent`` spaces, with ``tail`` after the last."""
    pad = " " * indent
    text = flat(node)
    if isinstance(node, str) or (text is not None and indent + len(text) + len(tail) <= WIDTH):
        return [f"{pad}{text}{tail}"]
    out = [pad + node.head]
    if isinstance(node, Literals):
        out += [f"{pad}    {part}" for part in node.parts]
        out.append(f"{pad}){tail}")
        return out
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
    body = text.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return mark + body.replace(mark, "\\" + mark) + mark


def string(text: str, indent: int, head: str = "") -> Node:
    """Return a string that stands at column ``indent`` after ``head``, such as ``brief=``."""
    literal = quote(text)
    if indent + len(head) + len(literal) < WIDTH:
        return head + literal
    return Literals(f"{head}(", tuple(quote(part) for part in _cut(text, WIDTH - indent - 8)))


def _cut(text: str, width: int) -> list[str]:
    """Cut a text after spaces into parts shorter than ``width``, where it has spaces to cut at."""
    parts = [""]
    for word in text.split(" "):
        if parts[-1] and len(parts[-1]) + len(word) >= width:
            parts.append("")
        parts[-1] += word + " "
    parts[-1] = parts[-1][:-1]
    return parts
