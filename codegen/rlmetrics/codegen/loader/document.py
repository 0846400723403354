"""One YAML file: its data, and the place of everything in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from ..findings import Location

__all__ = ["YamlDocument", "YamlMark", "YamlPath", "align", "at"]

YamlPath = tuple[str | int, ...]
"""Keys and indices that lead from the top of a file to a node."""


class YamlMark(Protocol):
    """A place as libyaml gives it, counted from 0."""

    @property
    def line(self) -> int:
        """The line."""
        ...

    @property
    def column(self) -> int:
        """The column, in characters."""
        ...


def at(file: str, mark: YamlMark) -> Location:
    """Return the place of a mark of libyaml."""
    return Location(file, mark.line + 1, mark.column + 1)


@dataclass(frozen=True)
class YamlDocument:
    """A parsed file that still knows where everything stands.

    Attributes:
        file: The name that locations carry.
        text: The whole text.
        data: Plain dicts, lists and scalars; None if the file could not be read.
        compose: Gives the nodes with their places. Few files are ever asked where something stands.
    """

    file: str
    text: str
    data: Any
    compose: Callable[[], Node | None] = field(default=lambda: None, repr=False, compare=False)
    _keys: dict[int, dict[str, tuple[Node, Node]]] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def root(self) -> Node | None:
        """The node of the whole file."""
        return self.compose()

    def locate(self, path: YamlPath, *, value: bool = False) -> Location:
        """Return the place of a node, or of its nearest existing parent.

        Args:
            path: Keys and indices from the top.
            value: Point to the value of the last key instead of the key itself.
        """
        key, node = self._find(path)
        if node is None:
            return Location(self.file)
        empty = isinstance(node, ScalarNode) and node.start_mark.index == node.end_mark.index
        mark = node.start_mark if key is None or (value and not empty) else key.start_mark
        return at(self.file, mark)

    def source(self, path: YamlPath) -> str | None:
        """Return the text of a scalar as written, without quotes and before it was read as a number or a boolean."""
        _, node = self._find(path)
        return node.value if isinstance(node, ScalarNode) else None

    def locate_in_text(self, path: YamlPath, offset: int) -> Location:
        """Return the place of a character of a text value, through quotes, escapes and folded lines.

        Args:
            path: Where the text value stands.
            offset: Index of the character in the value.
        """
        _, node = self._find(path)
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            return self.locate(path, value=True)
        start, end = node.start_mark.index, node.end_mark.index
        position = align(self.text[start:end], node.value, offset, str(node.style or "")) + start
        line = self.text.count("\n", 0, position) + 1
        return Location(self.file, line, position - (self.text.rfind("\n", 0, position) + 1) + 1)

    def _find(self, path: YamlPath) -> tuple[Node | None, Node | None]:
        key: Node | None = None
        node = self.root
        for step in path:
            if isinstance(node, MappingNode):
                entry = self._entries(node).get(str(step))
                if entry is None:
                    break
                key, node = entry
            elif isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
                key, node = None, node.value[step]
            else:
                break
        return key, node

    def _entries(self, node: MappingNode) -> dict[str, tuple[Node, Node]]:
        entries = self._keys.get(id(node))
        if entries is None:
            entries = {}
            for key, value in node.value:
                if isinstance(key, ScalarNode):
                    entries.setdefault(key.value, (key, value))
            self._keys[id(node)] = entries
        return entries


_ESCAPE_LENGTH = {"x": 4, "u": 6, "U": 10}


def align(source: str, value: str, offset: int, style: str) -> int:
    """Return the index, in a scalar as written, of a character of its value.

    Args:
        source: The scalar as it stands in the file, with its quotes or its ``|`` or ``>``.
        value: What it means.
        offset: Index of the character in the value; one past the end gives the last character.
        style: Its quote, ``|``, ``>``, or empty for a plain scalar.
    """
    position = 0
    if style in {"'", '"'}:
        position = 1
    elif style in {"|", ">"}:
        position = source.find("\n") + 1
    for character in value[:offset]:
        position = _skip_space(source, position, character)
        if style == '"' and source[position : position + 1] == "\\":
            position += _ESCAPE_LENGTH.get(source[position + 1 : position + 2], 2)
        elif style == "'" and source[position : position + 2] == "''":
            position += 2
        elif source[position : position + 1] == character:
            position += 1
    last = value[offset] if offset < len(value) else ""
    return min(_skip_space(source, position, last), max(len(source) - 1, 0))


def _skip_space(source: str, position: int, character: str) -> int:
    """Step over folded line breaks and indentation to the place where ``character`` stands."""
    while position < len(source) and source[position] != character and source[position].isspace():
        position += 1
    return position
