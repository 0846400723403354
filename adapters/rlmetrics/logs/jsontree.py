"""A JSON text as a tree in which every node knows where it stands, so that parts can be rewritten in place.

A string may itself hold JSON, as the specs of W&B's views do: its tree knows where its characters stand in the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from rlmetrics.lazy_dataclasses import dataclass, field

from .decimals import quoted

__all__ = ["Array", "Document", "JsonLiteral", "Node", "Object", "Text", "TreeError"]

_SPACE = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"((?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)"')
_LITERAL = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|NaN|-?Infinity")
_PIECE = re.compile(r"[^\\]|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.", re.S)
_MAX_DEPTH = 200


class TreeError(ValueError):
    """Text that is not JSON, with the offset at which that shows.

    Attributes:
        offset: Index into the text.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


@dataclass(frozen=True, slots=True)
class Text:
    """A string: what it says, and its span with the quotes."""

    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class JsonLiteral:
    """A number, true, false or null, as it is written."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Array:
    """A list."""

    items: tuple[Node, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Object:
    """A mapping; each name is a node of its own."""

    members: tuple[tuple[Text, Node], ...]
    start: int
    end: int

    def get(self, name: str) -> Node | None:
        """Return the value under a name, or None."""
        return next((value for key, value in self.members if key.value == name), None)

    def text(self, name: str) -> str | None:
        """Return the string under a name, or None if there is none."""
        value = self.get(name)
        return value.value if isinstance(value, Text) else None


Node = Text | JsonLiteral | Array | Object


@dataclass
class Document:
    """A JSON text with the changes that are to be made to it.

    Args:
        text: The text.
        parent: The document in which this one stands as a string.
        offsets: For each character, and for the end, its offset in the text of the parent.
    """

    text: str
    parent: Document | None = None
    offsets: Sequence[int] = ()
    _changes: list[tuple[int, int, str]] = field(default_factory=list)

    def parse(self) -> Node:
        """Return the tree.

        Raises:
            TreeError: If the text is not JSON or names something twice in one object.
        """
        reader = _TreeReader(self.text, 1 if self.text.startswith("\ufeff") else 0)
        reader.skip()
        node = reader.node()
        reader.skip()
        if reader.at != len(self.text):
            raise _unexpected(self.text, reader.at, "the end")
        return node

    def inner(self, node: Text) -> Document:
        """Return the document that a string holds."""
        body = self.text[node.start + 1 : node.end - 1]
        offsets = [node.start + 1 + match.start() for match in _PIECE.finditer(body)]
        return Document(node.value, self, [*offsets, node.end - 1])

    def replace(self, start: int, end: int, new: str) -> None:
        """Replace a part of the text."""
        self._changes.append((start, end, new))
        if self.parent is not None:
            spelled = self.parent.spell(new)[1:-1]
            self.parent.replace(self.offsets[start], self.offsets[end], spelled)

    def spell(self, value: str) -> str:
        """Return a string as JSON, escaped as the text around it is."""
        return quoted(value, is_ascii=self.text.isascii())

    def put(self, node: Text, value: str) -> None:
        """Give a string another value."""
        if value != node.value:
            self.replace(node.start, node.end, self.spell(value))

    def put_all(self, parts: Sequence[Node | tuple[Text, Node]], new: Sequence[Sequence[str]]) -> None:
        """Replace each element of a list, or each member of an object, by the texts of none, one or several."""
        spans = [_span(part) for part in parts]
        separator = self.text[spans[0][1] : spans[1][0]] if len(spans) > 1 else ", "
        if all(new):
            for (start, end), texts in zip(spans, new, strict=True):
                if list(texts) != [self.text[start:end]]:
                    self.replace(start, end, separator.join(texts))
        elif spans:
            self.replace(spans[0][0], spans[-1][1], separator.join(text for texts in new for text in texts))

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column in the file."""
        if self.parent is not None:
            return self.parent.position(self.offsets[offset])
        before = self.text[:offset]
        return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1

    def changed(self) -> str:
        """Return the text with the changes made."""
        parts: list[str] = []
        done = 0
        for start, end, new in sorted(self._changes):
            parts += (self.text[done:start], new)
            done = end
        return "".join([*parts, self.text[done:]])


def _span(part: Node | tuple[Text, Node]) -> tuple[int, int]:
    return (part[0].start, part[1].end) if isinstance(part, tuple) else (part.start, part.end)


class _TreeReader:
    """Reads one value after the other; ``at`` is where the next one begins."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def node(self, depth: int = 0) -> Node:
        if depth > _MAX_DEPTH:
            msg = f"values are nested more than {_MAX_DEPTH} deep"
            raise TreeError(msg, self.at)
        start = self.at
        mark = self.text[start : start + 1]
        if mark == '"':
            return self._string()
        if mark == "[":
            items = tuple(self.node(depth + 1) for _ in self._until("]"))
            return Array(items, start, self.at)
        if mark == "{":
            members = tuple(self._member(depth + 1) for _ in self._until("}"))
            _refuse_twice(members)
            return Object(members, start, self.at)
        match = _LITERAL.match(self.text, start)
        if match is None:
            raise _unexpected(self.text, start, "a value")
        self.at = match.end()
        return JsonLiteral(match[0], start, self.at)

    def skip(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def _until(self, closing: str) -> Iterator[None]:
        """Step from the opening bracket to each element in turn, and over the closing bracket."""
        self.at += 1
        self.skip()
        if self.text[self.at : self.at + 1] != closing:
            while True:
                yield
                self.skip()
                mark = self.text[self.at : self.at + 1]
                if mark == closing:
                    break
                if mark != ",":
                    raise _unexpected(self.text, self.at, f"',' or '{closing}'")
                self.at += 1
                self.skip()
        self.at += 1

    def _member(self, depth: int) -> tuple[Text, Node]:
        if self.text[self.at : self.at + 1] != '"':
            raise _unexpected(self.text, self.at, "a quoted name")
        name = self._string()
        self.skip()
        if self.text[self.at : self.at + 1] != ":":
            raise _unexpected(self.text, self.at, "':'")
        self.at += 1
        self.skip()
        return name, self.node(depth)

    def _string(self) -> Text:
        match = _STRING.match(self.text, self.at)
        if match is None:
            msg = "a string does not end, or holds a character that must be escaped"
            raise TreeError(msg, self.at)
        start, self.at = match.span()
        value = match[1] if "\\" not in match[1] else json.loads(match[0])
        return Text(value, start, self.at)


def _refuse_twice(members: Sequence[tuple[Text, Node]]) -> None:
    seen: set[str] = set()
    for name, _ in members:
        if name.value in seen:
            msg = f"the name {name.value!r} occurs twice in one object"
            raise TreeError(msg, name.start)
        seen.add(name.value)


def _unexpected(text: str, at: int, wanted: str) -> TreeError:
    instead = f"found {text[at]!r}" if at < len(text) else "the text ends"
    return TreeError(f"{instead} where {wanted} should stand", at)
